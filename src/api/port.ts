// The API for callers in the same process: no bytes in between, objects are frozen and shared.
import type { ApiAnswer, ApiCall, ApiPort, WatchEvent } from '../base/call.ts'
import { deepFreeze } from '../base/freeze.ts'
import type { JsonObject } from '../base/json.ts'
import type { Core, ListPage, Outcome } from './core.ts'
import { authorizeCall, dispatch, findServed, workFor } from './dispatch.ts'
import type { Served } from './served.ts'
import { startWatch } from './watch/watch.ts'

export function portOf(core: Core): ApiPort {
  return {
    async call(call: ApiCall): Promise<ApiAnswer> {
      findServed(core, call)
      authorizeCall(core, call)
      const warnings: string[] = []
      const outcome = await dispatch(core, call, warnings)
      return { code: outcome.code, object: objectOf(core, outcome), warnings }
    },
    watch: (call) => watchEvents(core, call),
  }
}

async function* watchEvents(core: Core, call: ApiCall): AsyncIterable<WatchEvent> {
  findServed(core, call)
  authorizeCall(core, call)
  const stream = await startWatch(workFor(core, call, []))
  try {
    for (;;) {
      const items = await stream.next()
      if (items === undefined) return
      for (const item of items) yield { type: item.type, object: deepFreeze(item.object()) }
    }
  } finally {
    stream.close()
  }
}

export function objectOf(core: Core, outcome: Outcome): JsonObject {
  switch (outcome.is) {
    case 'entry':
      return core.parsed.get(outcome.served, outcome.entry) as unknown as JsonObject
    case 'object':
      return deepFreeze(outcome.object) as JsonObject
    case 'page':
      return listOf(core, outcome.served, outcome.page)
  }
}

function listOf(core: Core, served: Served, page: ListPage): JsonObject {
  return {
    kind: `${served.kind.kind}List`,
    apiVersion: served.apiVersion,
    metadata: listMetadata(page),
    items: page.entries.map((entry) => core.parsed.get(served, entry) as unknown as JsonObject),
  }
}

export function listMetadata(page: ListPage): JsonObject {
  return {
    resourceVersion: String(page.revision),
    ...(page.continueToken === undefined ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  }
}
