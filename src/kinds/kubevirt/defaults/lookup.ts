// What the defaults of a run depend on in the cluster: the KubeVirt object and the settings.
import { isObject } from '../../../base/json.ts'
import { graceInForce, overcommitInForce } from '../../harvester/setting-look.ts'
import type { RuleLook } from '../../kind.ts'
import { KubeVirt } from '../kubevirt.ts'
import type { DefaultsOf } from './instance-spec.ts'

/** The one KubeVirt object, with the namespace that Harvester gives it. */
export const KUBEVIRT_NAMESPACE = 'harvester-system'
export const KUBEVIRT_NAME = 'kubevirt'

export function defaultsInForce(look: Pick<RuleLook, 'get'>): DefaultsOf {
  const kubevirt = look.get<KubeVirt>(KubeVirt, KUBEVIRT_NAMESPACE, KUBEVIRT_NAME)
  const configuration = kubevirt?.spec?.configuration
  const binding = configuration?.network?.defaultNetworkInterface
  const evictionStrategy = configuration?.evictionStrategy
  const cpuModel = configuration?.cpuModel
  return {
    architecture: architectureOf(kubevirt),
    ...(binding === 'bridge' || binding === 'masquerade' ? { binding } : {}),
    ...(cpuModel ? { cpuModel } : {}),
    ...(evictionStrategy ? { evictionStrategy } : {}),
    overcommit: overcommitInForce(look),
    terminationGracePeriodSeconds: graceInForce(look),
  }
}

/** `status.defaultArchitecture` is written by the agent of the first node; before that amd64 is assumed. */
export function architectureOf(kubevirt: KubeVirt | undefined): string {
  const status = kubevirt?.status
  return (
    (isObject(status) &&
      typeof status['defaultArchitecture'] === 'string' &&
      status['defaultArchitecture']) ||
    'amd64'
  )
}
