// Every Pod runs as a service account of its namespace and, unless it says otherwise, finds that account's token,
// the cluster's root certificate and its namespace in a well-known folder.
import { refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { resourceOf, type Work } from '../core.ts'
import { randomSuffix } from '../resource/metadata.ts'
import { findObject } from '../resource/read.ts'

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
/** As kubelet renews at 80 % of an hour, with some slack. Seconds. */
const TOKEN_SECONDS = 3607
const READ_ALL = 420

interface Mount {
  readonly mountPath?: string
}
interface ContainerShape {
  readonly volumeMounts?: readonly Mount[]
}
interface PodSpecShape {
  readonly serviceAccountName?: string
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly imagePullSecrets?: readonly unknown[]
  readonly containers?: readonly ContainerShape[]
  readonly initContainers?: readonly ContainerShape[]
  readonly volumes?: readonly { readonly name?: string }[]
}

export function addServiceAccount(
  work: Work,
  next: KubeObject,
  previous: KubeObject | undefined,
): KubeObject {
  if (previous) return next
  const spec = (next['spec'] as PodSpecShape | undefined) ?? {}
  const name = spec.serviceAccountName || spec.serviceAccount || 'default'
  const account = accountOf(work, next, name)
  const imagePullSecrets = spec.imagePullSecrets?.length
    ? spec.imagePullSecrets
    : (account?.['imagePullSecrets'] as readonly unknown[] | undefined)
  const named: PodSpecShape = {
    ...spec,
    serviceAccountName: name,
    serviceAccount: name,
    ...(imagePullSecrets ? { imagePullSecrets } : {}),
  }
  const wanted = spec.automountServiceAccountToken ?? account?.['automountServiceAccountToken'] ?? true
  return { ...next, spec: wanted ? withToken(work, named) : named }
}

/** The account `default` may still be on its way in a namespace that was made a moment ago. */
function accountOf(work: Work, pod: KubeObject, name: string): KubeObject | undefined {
  const served = work.core.served.find('', 'v1', 'serviceaccounts')
  const namespace = pod.metadata.namespace ?? ''
  const account = served && findObject(work.core, served, namespace, name)
  if (!account && name !== 'default')
    throw refuse.forbidden(
      resourceOf(work.served),
      pod.metadata.name ?? '',
      `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
    )
  return account
}

function withToken(work: Work, spec: PodSpecShape): PodSpecShape {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const missing = containers.some((container) => !isMounted(container))
  if (!missing) return spec
  const known = spec.volumes?.find((volume) => volume.name?.startsWith('kube-api-access-'))?.name
  const name = known ?? `kube-api-access-${randomSuffix(work.core.random)}`
  const mount = { name, readOnly: true, mountPath: MOUNT_PATH }
  const mounted = (list: readonly ContainerShape[] | undefined) =>
    list?.map((container) =>
      isMounted(container)
        ? container
        : { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] },
    )
  const { containers: main, initContainers: init, volumes = [], ...rest } = spec
  return {
    ...rest,
    volumes: known === undefined ? [...volumes, tokenVolume(name)] : volumes,
    ...(main ? { containers: mounted(main) ?? [] } : {}),
    ...(init ? { initContainers: mounted(init) ?? [] } : {}),
  }
}

function isMounted(container: ContainerShape): boolean {
  return container.volumeMounts?.some((mount) => mount.mountPath === MOUNT_PATH) ?? false
}

function tokenVolume(name: string) {
  const namespace = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }
  return {
    name,
    projected: {
      defaultMode: READ_ALL,
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [namespace] } },
      ],
    },
  }
}
