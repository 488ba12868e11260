// A watch as a stream of JSON lines. Frames that other watchers need too are made once and shared.
import { type JsonObject, printJson } from '../../base/json.ts'
import type { HttpResponse } from '../../host/host.ts'
import type { Core } from '../core.ts'
import type { Served } from '../served.ts'
import type { WatchItem } from '../watch/item.ts'
import type { WatchStream } from '../watch/watch.ts'
import type { Shown } from './answer.ts'
import { jsonHeaders, warningHeader } from './answer.ts'
import { metadataOf } from './partial.ts'
import { tableOf } from './table.ts'

const encoder = new TextEncoder()

export function answerWatch(core: Core, served: Served, stream: WatchStream, shown: Shown): HttpResponse {
  return {
    status: 200,
    headers: { ...jsonHeaders(), ...warningHeader(shown.warnings) },
    body: watchBytes(core, served, stream, shown),
  }
}

export async function* watchBytes(
  core: Core,
  served: Served,
  stream: WatchStream,
  shown: Shown,
): AsyncIterable<Uint8Array> {
  const frame = frameMaker(core, served, shown)
  try {
    for (;;) {
      const items = await stream.next()
      if (items === undefined) return
      yield join(items.map(frame))
    }
  } finally {
    stream.close()
  }
}

function join(frames: readonly Uint8Array[]): Uint8Array {
  const [only] = frames
  if (frames.length === 1 && only) return only
  const whole = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0))
  let at = 0
  for (const frame of frames) {
    whole.set(frame, at)
    at += frame.length
  }
  return whole
}

function frameMaker(core: Core, served: Served, shown: Shown): (item: WatchItem) => Uint8Array {
  const { as } = shown.form
  if (as === 'object')
    return (item) => {
      const make = () => encoder.encode(`{"type":"${item.type}","object":${item.text()}}\n`)
      return item.shared ? item.shared.frame(`${item.type} object`, make) : make()
    }
  let first = true
  return (item) => {
    if (item.type === 'ERROR')
      return encoder.encode(`{"type":"ERROR","object":${printJson(item.object())}}\n`)
    const object =
      as === 'metadata' ? metadataOf(item.object()) : eventTable(core, served, item, shown, first)
    first = false
    return encoder.encode(`${printJson({ type: item.type, object })}\n`)
  }
}

/** Column definitions stand in the first event only. */
function eventTable(core: Core, served: Served, item: WatchItem, shown: Shown, first: boolean): JsonObject {
  const table = tableOf(core, served, item.object(), shown.includeObject)
  const bookmark = item.type === 'BOOKMARK'
  return {
    ...table,
    ...(first ? {} : { columnDefinitions: null }),
    ...(bookmark ? { rows: [{ cells: [], object: item.object() as unknown as JsonObject }] } : {}),
  } as JsonObject
}
