// The life of namespaces: a new one gets its default service account and root certificate, a deleted one is emptied
// kind by kind and then let go.
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import type { StoreEvent } from '../../store/store.ts'
import type { Core } from '../core.ts'
import { callFor, callSelf, ensureObject, isRaced } from '../internal.ts'
import { timestamp } from '../resource/metadata.ts'
import { findObject } from '../resource/read.ts'
import { prefixFor, type Served } from '../served.ts'
import { startWorker, type Worker } from './worker.ts'

/** While something still holds an object in a namespace, it is looked at again this often. */
const RECHECK_MS = 2_000
const ROOT_CA = 'kube-root-ca.crt'
const DEFAULT_ACCOUNT = 'default'
const NAMESPACE_PREFIX = '/registry/core/namespaces/'
/** What each namespace has, made again when it was deleted. */
const DEFAULTS: readonly { readonly prefix: string; readonly name: string }[] = [
  { prefix: '/registry/core/serviceaccounts/', name: DEFAULT_ACCOUNT },
  { prefix: '/registry/core/configmaps/', name: ROOT_CA },
]

export function keepNamespaces(core: Core): Worker {
  const worker = startWorker(core, 'namespace upkeep', (name) => keepNamespace(core, name))
  const onEvent = (event: StoreEvent) => {
    if (event.key.startsWith(NAMESPACE_PREFIX)) {
      if (event.type === 'put') worker.add(event.key.slice(NAMESPACE_PREFIX.length))
      return
    }
    if (event.type !== 'delete') return
    for (const { prefix, name } of DEFAULTS) {
      if (!event.key.startsWith(prefix)) continue
      const [namespace = '', deleted] = event.key.slice(prefix.length).split('/')
      if (deleted === name) worker.add(namespace)
    }
  }
  const page = core.store.range(NAMESPACE_PREFIX)
  for (const { key } of page.entries) worker.add(key.slice(NAMESPACE_PREFIX.length))
  const stops = [NAMESPACE_PREFIX, ...DEFAULTS.map(({ prefix }) => prefix)].map((prefix) =>
    core.store.watch(prefix, page.revision, onEvent),
  )
  return {
    add: worker.add,
    close: () => {
      for (const stop of stops) stop()
      worker.close()
    },
  }
}

async function keepNamespace(core: Core, name: string): Promise<number | undefined> {
  const served = core.served.find('', 'v1', 'namespaces')
  const namespace = served && findObject(core, served, undefined, name)
  if (!served || !namespace) return undefined
  if (!namespace.metadata.deletionTimestamp) {
    await addDefaults(core, name)
    return undefined
  }
  return emptyNamespace(core, served, namespace)
}

async function addDefaults(core: Core, namespace: string): Promise<void> {
  try {
    await ensureObject(core, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: DEFAULT_ACCOUNT, namespace },
    })
    await ensureObject(core, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: ROOT_CA, namespace },
      data: { 'ca.crt': core.deps.identity.servingCaPem },
    })
  } catch (error) {
    // The namespace may have begun to go meanwhile.
    if (!isRaced(error) && !isForbidden(error)) throw error
  }
}

function isForbidden(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 403
}

async function emptyNamespace(
  core: Core,
  served: Served,
  namespace: KubeObject,
): Promise<number | undefined> {
  const name = namespace.metadata.name ?? ''
  const remaining: string[] = []
  for (const kind of core.served.stored()) {
    if (!kind.namespaced || !kind.kind.verbs.includes('delete')) continue
    if (core.store.count(prefixFor(kind, name)) === 0) continue
    await deleteAll(core, kind, name)
    const left = core.store.count(prefixFor(kind, name))
    if (left > 0)
      remaining.push(
        `${kind.kind.plural}${kind.kind.group === '' ? '' : `.${kind.kind.group}`} has ${left} resource instances`,
      )
  }
  if (remaining.length > 0) {
    await tellRemaining(core, served, namespace, remaining)
    return RECHECK_MS
  }
  await finalize(core, served, name)
  return undefined
}

async function deleteAll(core: Core, served: Served, namespace: string): Promise<void> {
  for (const entry of core.store.range(prefixFor(served, namespace)).entries) {
    const object = core.parsed.get(served, entry)
    if (object.metadata.deletionTimestamp) continue
    try {
      await callSelf(
        core,
        callFor(
          'delete',
          { served, namespace, name: object.metadata.name },
          { propagationPolicy: 'Background' },
        ),
      )
    } catch (error) {
      if (!isRaced(error)) throw error
    }
  }
}

async function tellRemaining(
  core: Core,
  served: Served,
  namespace: KubeObject,
  remaining: readonly string[],
): Promise<void> {
  const message = `Some resources are remaining: ${remaining.join(', ')}`
  const status = (namespace['status'] as JsonObject | undefined) ?? {}
  const conditions = (status['conditions'] as readonly JsonObject[] | undefined) ?? []
  if (conditions.some((one) => one['type'] === 'NamespaceContentRemaining' && one['message'] === message))
    return
  const condition = {
    type: 'NamespaceContentRemaining',
    status: 'True',
    reason: 'SomeResourcesRemain',
    message,
    lastTransitionTime: timestamp(core.clock.now()),
  }
  const target = { served, name: namespace.metadata.name, subresource: 'status' }
  const call = callFor('patch', target, {
    status: {
      conditions: [...conditions.filter((one) => one['type'] !== 'NamespaceContentRemaining'), condition],
    },
  })
  await callSelf(core, { ...call, patchType: 'merge' })
}

async function finalize(core: Core, served: Served, name: string): Promise<void> {
  const namespace = findObject(core, served, undefined, name)
  if (!namespace) return
  const spec = (namespace['spec'] as { readonly finalizers?: readonly string[] } | undefined) ?? {}
  const finalizers = (spec.finalizers ?? []).filter((finalizer) => finalizer !== 'kubernetes')
  const target = { served, name, subresource: 'finalize' }
  try {
    await callSelf(
      core,
      callFor('update', target, { ...namespace, spec: { ...spec, finalizers } } as unknown as JsonObject),
    )
  } catch (error) {
    if (!isRaced(error)) throw error
  }
}
