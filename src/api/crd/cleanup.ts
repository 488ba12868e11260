// A definition that is deleted takes its objects along: they are deleted first, by their own finalizers' leave, and
// then the definition is let go.
import type { JsonObject } from '../../base/json.ts'
import { includesText } from '../bytes.ts'
import type { Core } from '../core.ts'
import { callFor, callSelf, isRaced } from '../internal.ts'
import { startWorker, type Worker } from '../lifecycle/worker.ts'
import { findObject } from '../resource/read.ts'
import { DEFINITIONS_PREFIX } from './definitions.ts'
import { CLEANUP_FINALIZER } from './establish.ts'

const RECHECK_MS = 1_000
const MARK = '"deletionTimestamp":'

export function cleanDefinitions(core: Core): Worker {
  const worker = startWorker(core, 'definition cleanup', (name) => clean(core, name))
  const look = (key: string, value: Uint8Array) => {
    if (includesText(value, MARK)) worker.add(key.slice(DEFINITIONS_PREFIX.length))
  }
  const page = core.store.range(DEFINITIONS_PREFIX)
  for (const { key, value } of page.entries) look(key, value)
  const stop = core.store.watch(DEFINITIONS_PREFIX, page.revision, ({ key, value }) => {
    if (value) look(key, value)
  })
  return {
    add: worker.add,
    close: () => {
      stop()
      worker.close()
    },
  }
}

async function clean(core: Core, name: string): Promise<number | undefined> {
  const served = core.served.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
  const definition = served && findObject(core, served, undefined, name)
  if (!served || !definition?.metadata.deletionTimestamp) return undefined
  const finalizers = definition.metadata.finalizers ?? []
  if (!finalizers.includes(CLEANUP_FINALIZER)) return undefined
  if ((await deleteObjects(core, name)) > 0) return RECHECK_MS
  const patch = {
    metadata: {
      resourceVersion: definition.metadata.resourceVersion,
      finalizers: finalizers.filter((one) => one !== CLEANUP_FINALIZER),
    },
  } as JsonObject
  try {
    await callSelf(core, { ...callFor('patch', { served, name }, patch), patchType: 'merge' })
  } catch (error) {
    if (!isRaced(error)) throw error
  }
  return undefined
}

/** How many are left. */
async function deleteObjects(core: Core, definition: string): Promise<number> {
  const served = core.served.all().find((one) => one.definition === definition)
  if (!served) return 0
  for (const entry of core.store.range(served.prefix).entries) {
    const { namespace, name, deletionTimestamp } = core.parsed.get(served, entry).metadata
    if (deletionTimestamp) continue
    try {
      await callSelf(core, callFor('delete', { served, namespace, name }, {}))
    } catch (error) {
      if (!isRaced(error)) throw error
    }
  }
  return core.store.count(served.prefix)
}
