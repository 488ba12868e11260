// What is written into a VirtualMachineInstance when it is saved: every default, so that the agent finds a whole
// spec and `kubectl get vmi -o yaml` shows what really runs.
import { deepEqual } from '../../../base/equality.ts'
import { isObject, type Json } from '../../../base/json.ts'
import type { Mutator } from '../../kind.ts'
import { validate } from '../../validate.ts'
import { virtualMachineInstanceSpec } from '../instance-spec.ts'
import type { InstanceSpec } from '../types.ts'
import { uuidFrom } from './firmware-identity.ts'
import { instanceSpecWithDefaults } from './instance-spec.ts'
import { defaultsInForce } from './lookup.ts'

export const instanceMutator: Mutator = (next, previous, look) => {
  // Most writes touch only the status; they cost nothing here.
  if (previous && deepEqual(next['spec'], previous['spec'])) return next
  if (!isObject(next['spec']) || validate(next['spec'] as Json, virtualMachineInstanceSpec).length > 0)
    return next
  const given = next['spec'] as unknown as InstanceSpec
  const old = previous?.['spec'] as InstanceSpec | undefined
  const { namespace = '', name = '', uid } = next.metadata
  // What depends on the cluster or on chance is taken from the stored object, never made anew.
  const kept = old ? keep(given, old) : given
  const uuid = old?.domain.firmware?.uuid ?? uuidFrom(`uuid/${namespace}/${name}/${uid ?? look.now}`)
  return { ...next, spec: instanceSpecWithDefaults(kept, { ...defaultsInForce(look), uuid }) }
}

function keep(next: InstanceSpec, old: InstanceSpec): InstanceSpec {
  const { architecture, evictionStrategy, terminationGracePeriodSeconds } = old
  const { requests } = old.domain.resources ?? {}
  const model = next.domain.cpu?.model ?? old.domain.cpu?.model
  return {
    ...(architecture ? { architecture } : {}),
    ...(evictionStrategy ? { evictionStrategy } : {}),
    ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds }),
    ...next,
    domain: {
      ...next.domain,
      ...(model ? { cpu: { ...next.domain.cpu, model } } : {}),
      ...(requests
        ? {
            resources: {
              ...next.domain.resources,
              requests: { ...requests, ...next.domain.resources?.requests },
            },
          }
        : {}),
    },
  }
}
