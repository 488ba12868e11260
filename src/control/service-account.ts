// Decides what every Namespace holds from birth: the service account `default` and the cluster's CA for Pods.
import { ConfigMap } from '../kinds/core/config-map.ts'
import { Namespace } from '../kinds/core/namespace.ts'
import { ServiceAccount } from '../kinds/core/service-account.ts'
import type { Action, Decider, Decision } from '../kinds/decide.ts'

export const DEFAULT_ACCOUNT = 'default'
export const ROOT_CA = 'kube-root-ca.crt'
const ROOT_CA_NOTE =
  'Contains a CA bundle that can be used to verify the API server of this cluster from inside of it.'

export interface SeenBirthright {
  readonly namespace: Namespace
  readonly account: ServiceAccount | undefined
  readonly rootCa: ConfigMap | undefined
  readonly caPem: string
}

export function decideBirthright(seen: SeenBirthright, _now: number): Decision {
  const { namespace, account, rootCa, caPem } = seen
  if (namespace.metadata.deletionTimestamp !== undefined) return { actions: [] }
  const place = namespace.metadata.name ?? ''
  const actions: Action[] = []
  if (account === undefined) {
    const metadata = { name: DEFAULT_ACCOUNT, namespace: place }
    actions.push({
      do: 'create',
      kind: ServiceAccount,
      object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    })
  }
  const data = { 'ca.crt': caPem }
  if (rootCa === undefined) {
    const annotations = { 'kubernetes.io/description': ROOT_CA_NOTE }
    const metadata = { name: ROOT_CA, namespace: place, annotations }
    actions.push({
      do: 'create',
      kind: ConfigMap,
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
    })
  } else if (rootCa.data?.['ca.crt'] !== caPem) {
    const target = { kind: ConfigMap, namespace: place, name: ROOT_CA }
    actions.push({ do: 'patch', target, patch: { data } })
  }
  return { actions }
}

/** `caPem` is the CA of the API server's serving certificate. */
export function serviceAccountDecider(caPem: string): Decider<typeof Namespace, SeenBirthright> {
  const namespaceOf =
    (name: string) =>
    (object: { readonly metadata: { readonly name?: string; readonly namespace?: string } }) =>
      object.metadata.name === name ? [object.metadata.namespace ?? ''] : []
  return {
    name: 'service-account',
    kind: Namespace,
    watches: [
      { kind: ServiceAccount, keys: namespaceOf(DEFAULT_ACCOUNT) },
      { kind: ConfigMap, keys: namespaceOf(ROOT_CA) },
    ],
    gather(namespace, look) {
      const place = namespace.metadata.name ?? ''
      return {
        namespace,
        account: look.get(ServiceAccount, place, DEFAULT_ACCOUNT),
        rootCa: look.get(ConfigMap, place, ROOT_CA),
        caPem,
      }
    },
    decide: decideBirthright,
  }
}
