// Writes the Events that deciders and agents note. The same word about the same object becomes a count on one Event,
// at most one write a minute each; an object that talks too much is cut short.

import { shortHash } from '../base/derived-name.ts'
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { Client } from '../client/client.ts'
import type { Host } from '../host/host.ts'
import type { ObjectRef } from '../kinds/decide.ts'
import { apiVersionOf, type Kind } from '../kinds/kind.ts'
import { refText } from './plan.ts'

export interface Note {
  readonly about: ObjectRef
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export interface EventRecorder {
  /** Never throws and never waits: an Event that cannot be written is logged and forgotten. */
  note(note: Note): void
  /** Resolves when the writes under way are done. */
  flush(): Promise<void>
}

/** Repeats are written at most this often. */
const REPEAT_WRITE_MS = 60_000
/** Remembered Events; the oldest are forgotten first, and a forgotten one is found again by its name. */
const REMEMBERED_MAX = 4096
/** New Events about one object within BURST_WINDOW_MS; more are dropped with a log line. */
const BURST_MAX = 25
const BURST_WINDOW_MS = 5 * 60_000
/** kube-apiserver's limit on the message of an Event. Characters. */
const MESSAGE_MAX = 1024

interface Remembered {
  readonly name: string
  readonly firstMs: number
  count: number
  writtenMs: number
  /** Repeats since the last write. */
  unwritten: number
}

export interface RecorderOptions {
  readonly client: Client
  readonly host: Host
  /** The kind core/v1 Event. */
  readonly kind: Kind
  /** Who speaks, for instance `virtual-machine` or `croft-agent`. */
  readonly component: string
  /** The node of an agent. */
  readonly node?: string
}

export function createEventRecorder(options: RecorderOptions): EventRecorder {
  const { host } = options
  const known = new Map<string, Remembered>()
  const bursts = new Map<string, { fromMs: number; count: number }>()
  const underWay = new Set<Promise<void>>()

  const mayBegin = (about: string, nowMs: number): boolean => {
    const burst = bursts.get(about)
    if (burst === undefined || nowMs - burst.fromMs > BURST_WINDOW_MS) {
      forgetOldest(bursts)
      bursts.set(about, { fromMs: nowMs, count: 1 })
      return true
    }
    burst.count += 1
    return burst.count <= BURST_MAX
  }

  const launch = (work: Promise<void>): void => {
    const tracked: Promise<void> = work
      .catch((error: unknown) => host.log.warn('event not written', { why: textOf(error) }))
      .finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }

  return {
    note(note) {
      const now = host.clock.monotonic()
      const identity = identityOf(note)
      const old = known.get(identity)
      if (old === undefined) {
        if (!mayBegin(`${note.about.uid ?? ''}/${note.about.name}`, now)) {
          host.log.warn('event dropped: too many about one object', {
            about: refText(note.about),
            reason: note.reason,
          })
          return
        }
        const name = `${note.about.name.slice(0, 200)}.${shortHash(identity, 12)}`
        const begun: Remembered = { name, firstMs: host.clock.now(), count: 1, writtenMs: now, unwritten: 0 }
        forgetOldest(known)
        known.set(identity, begun)
        launch(create(options, note, begun))
        return
      }
      old.unwritten += 1
      if (now - old.writtenMs < REPEAT_WRITE_MS) return
      old.count += old.unwritten
      old.unwritten = 0
      old.writtenMs = now
      launch(repeat(options, note, old))
    },
    async flush() {
      await Promise.all([...underWay])
    },
  }
}

function identityOf({ about, type, reason, message }: Note): string {
  return [about.kind.kind, about.namespace ?? '', about.name, about.uid ?? '', type, reason, message].join(
    '\n',
  )
}

function forgetOldest(map: Map<string, unknown>): void {
  if (map.size < REMEMBERED_MAX) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}

async function create(options: RecorderOptions, note: Note, begun: Remembered): Promise<void> {
  const { client, kind } = options
  try {
    await client.create(kind, eventObject(options, note, begun))
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') {
      if (isNamespaceGone(error)) return
      throw error
    }
    // Said before our restart, or forgotten: go on counting where it stands.
    const present = await client.get(kind, begun.name, { namespace: namespaceOf(note) })
    begun.count = Number((present['count'] as number | undefined) ?? 1) + 1
    await repeat(options, note, begun)
  }
}

async function repeat({ client, host, kind }: RecorderOptions, note: Note, old: Remembered): Promise<void> {
  const patch: JsonObject = { count: old.count, lastTimestamp: timeOf(host.clock.now()) }
  try {
    await client.patch(kind, old.name, patch, { namespace: namespaceOf(note) })
  } catch (error) {
    // It outlived its time; the next repeat begins a new one.
    if (!(error instanceof ApiError) || error.code !== 404) throw error
    old.count = 0
    old.writtenMs = Number.NEGATIVE_INFINITY
  }
}

function eventObject(options: RecorderOptions, note: Note, begun: Remembered): KubeObject {
  const { about, type, reason, message } = note
  const time = timeOf(begun.firstMs)
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: begun.name, namespace: namespaceOf(note) },
    involvedObject: {
      apiVersion: apiVersionOf(about.kind),
      kind: about.kind.kind,
      name: about.name,
      ...(about.namespace === undefined ? {} : { namespace: about.namespace }),
      ...(about.uid === undefined ? {} : { uid: about.uid }),
    },
    type,
    reason,
    message: message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX - 3)}...` : message,
    count: begun.count,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: options.component, ...(options.node === undefined ? {} : { host: options.node }) },
    reportingComponent: options.component,
    reportingInstance: options.node ?? '',
  }
}

/** Events about cluster-scoped objects live in `default`. */
function namespaceOf(note: Note): string {
  return note.about.namespace ?? 'default'
}

function isNamespaceGone(error: ApiError | unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.code === 404) return true
  return error.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') ?? false
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
