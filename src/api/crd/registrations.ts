// Objects by which tools see what is served: an APIService for each group and version, and a custom resource
// definition for each of our own kinds of the custom habit. Kept in the background; nothing here depends on them.
import type { JsonObject } from '../../base/json.ts'
import { definitionOf } from '../../kinds/crd.ts'
import { type AnyKind, apiVersionOf } from '../../kinds/kind.ts'
import { includesText } from '../bytes.ts'
import type { Core } from '../core.ts'
import { GATE_GROUPS } from '../discovery/gate-resources.ts'
import { groupPriority } from '../discovery/resources.ts'
import { callFor, callSelf, ensureObject, isRaced } from '../internal.ts'
import { startWorker, type Worker } from '../lifecycle/worker.ts'
import { timestamp } from '../resource/metadata.ts'
import { findObject, listObjects } from '../resource/read.ts'
import { keyFor } from '../served.ts'

const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged'
/** Version of croft that wrote a definition: a new one writes it anew. */
const WRITTEN_BY = 'croft.io/written-by'

export function keepRegistrations(core: Core): Worker {
  const worker = startWorker(core, 'registrations', async (what) => {
    if (what === 'services') await keepServices(core)
    else await keepDefinition(core, what)
    return undefined
  })
  worker.add('services')
  for (const kind of core.deps.kinds) if (kind.habit === 'custom') worker.add(`${kind.plural}.${kind.group}`)
  core.served.onChange(() => worker.add('services'))
  return worker
}

async function keepServices(core: Core): Promise<void> {
  const served = core.served.find('apiregistration.k8s.io', 'v1', 'apiservices')
  if (!served) return
  const wanted = new Map<string, JsonObject>()
  const now = timestamp(core.clock.now())
  for (const { group, versions } of core.discovery.groups())
    versions.forEach(({ version }, index) => {
      const name = `${version}.${group}`
      wanted.set(name, apiService(name, group, version, { versionPriority: 100 - Math.min(index, 80), now }))
    })
  for (const [name, service] of wanted)
    if (!findObject(core, served, undefined, name)) await ensureObject(core, service)
  for (const { metadata } of listObjects(core, served)) {
    if (metadata.labels?.[AUTOMANAGED] === undefined || wanted.has(metadata.name ?? '')) continue
    await callSelf(core, callFor('delete', { served, name: metadata.name }, {})).catch((error: unknown) => {
      if (!isRaced(error)) throw error
    })
  }
}

function apiService(
  name: string,
  group: string,
  version: string,
  place: { readonly versionPriority: number; readonly now: string },
): JsonObject {
  const { versionPriority, now } = place
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { [AUTOMANAGED]: GATE_GROUPS.has(group) ? 'true' : 'onstart' } },
    spec: { group, version, groupPriorityMinimum: groupPriority(group), versionPriority },
    status: {
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'Local',
          message: 'Local APIServices are always available',
          lastTransitionTime: now,
        },
      ],
    },
  }
}

async function keepDefinition(core: Core, name: string): Promise<void> {
  const served = core.served.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
  const [first, ...others] = core.deps.kinds.filter((kind) => `${kind.plural}.${kind.group}` === name)
  if (!served || !first) return
  const entry = core.store.get(keyFor(served, undefined, name))
  // Definitions are large; the mark is looked for without parsing them.
  const mark = `${JSON.stringify(WRITTEN_BY)}:${JSON.stringify(core.deps.croftVersion)}`
  if (entry && includesText(entry.value, mark)) return
  const definition = wholeDefinition(core, [first, ...others])
  if (!entry) {
    await ensureObject(core, definition)
    return
  }
  const metadata = { ...(definition['metadata'] as JsonObject), resourceVersion: String(entry.revision) }
  await callSelf(core, callFor('update', { served, name }, { ...definition, metadata }))
}

function wholeDefinition(core: Core, kinds: readonly [AnyKind, ...AnyKind[]]): JsonObject {
  const { metadata, status: _status, ...rest } = definitionOf(kinds)
  return {
    ...(rest as unknown as JsonObject),
    metadata: {
      ...(metadata as JsonObject),
      annotations: {
        ...metadata.annotations,
        [WRITTEN_BY]: core.deps.croftVersion,
        // Groups that belong to Kubernetes must say where their API was agreed on.
        ...(kinds[0].group.endsWith('.k8s.io')
          ? { 'api-approved.kubernetes.io': `https://croft.io/${apiVersionOf(kinds[0])}` }
          : {}),
      },
    },
  }
}
