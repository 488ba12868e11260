// A Kubernetes API reduced to what clients, caches and the loop lean on: versions, compare-and-swap, watch from a
// version, finalizers, status beside spec. For tests of those rooms, which must be able to make it misbehave: lose
// watches, forget history, refuse. Not a model of the API server; the real one is used where its rules matter.
import type { ApiAnswer, ApiCall, ApiPort, WatchEvent } from '../base/call.ts'
import { deepEqual } from '../base/equality.ts'
import { type ApiError, refuse, statusOf } from '../base/errors.ts'
import { deepFreeze } from '../base/freeze.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { EPOCH_MS } from './process.ts'
import { type SeededRandom, seededRandom } from './random.ts'

interface Stored {
  readonly path: string
  readonly resource: string
  readonly object: KubeObject
}
interface Past {
  readonly version: number
  readonly resource: string
  readonly event: WatchEvent
}

export class FakeApi implements ApiPort {
  readonly calls: ApiCall[] = []
  /** Thrown instead of the answer, when it answers something. */
  refusal: ((call: ApiCall) => ApiError | undefined) | undefined
  /** Simulated time, for deletion timestamps. Milliseconds since 1970. */
  now: () => number = () => EPOCH_MS
  version = 0
  /** Told of each change in the instant in which it is made. */
  onChange: ((object: KubeObject, before: KubeObject | undefined) => void) | undefined
  readonly #objects = new Map<string, Stored>()
  readonly #past: Past[] = []
  readonly #watchers = new Set<{ wake: () => void; cut: boolean }>()
  readonly #random: SeededRandom = seededRandom(7)
  #compacted = 0

  async call(call: ApiCall): Promise<ApiAnswer> {
    this.calls.push(call)
    const refusal = this.refusal?.(call)
    if (refusal !== undefined) throw refusal
    const object = this.#answer(call)
    // As a real store does: the answer and the watch come after the commit, not within the call.
    await Promise.resolve()
    return { code: 200, object, warnings: [] }
  }

  async *watch(call: ApiCall): AsyncGenerator<WatchEvent> {
    this.calls.push(call)
    const refusal = this.refusal?.(call)
    if (refusal !== undefined) throw refusal
    let from = Number(call.options.resourceVersion ?? this.version)
    const watcher = { wake: () => {}, cut: false }
    this.#watchers.add(watcher)
    const wakeUp = (): void => watcher.wake()
    call.signal?.addEventListener('abort', wakeUp)
    try {
      while (!call.signal?.aborted && !watcher.cut) {
        if (from < this.#compacted) {
          yield { type: 'ERROR', object: statusOf(refuse.gone('too old resource version')) as never }
          return
        }
        const news = this.#past.filter((past) => past.version > from && past.resource === resourceOf(call))
        for (const past of news) {
          from = past.version
          if (call.namespace === undefined || past.event.object.metadata.namespace === call.namespace) {
            yield past.event
          }
          if (watcher.cut) return
        }
        if (news.length > 0) continue
        await new Promise<void>((resolve) => {
          watcher.wake = resolve
          if (watcher.cut || call.signal?.aborted) resolve()
        })
      }
    } finally {
      this.#watchers.delete(watcher)
      call.signal?.removeEventListener('abort', wakeUp)
    }
  }

  /** Ends every watch, as a restart of the server does. */
  cutWatches(): void {
    for (const watcher of this.#watchers) {
      watcher.cut = true
      watcher.wake()
    }
  }

  /** Forgets all history: watches from before must list again. */
  compact(): void {
    this.#compacted = this.version
    this.#past.length = 0
  }

  all(resource: string): readonly KubeObject[] {
    return [...this.#objects.values()].filter((one) => one.resource === resource).map((one) => one.object)
  }

  #answer(call: ApiCall): KubeObject {
    if (call.verb === 'list') return this.#list(call)
    if (call.verb === 'create' && call.subresource === undefined) return this.#create(call)
    const stored = this.#objects.get(pathOf(call))
    if (stored === undefined) throw refuse.notFound(nameOf(call), call.name ?? '')
    if (call.verb === 'get') return stored.object
    if (call.verb === 'delete') return this.#delete(call, stored)
    if (call.verb === 'create') return this.#post(call, stored)
    return this.#change(call, stored)
  }

  #list(call: ApiCall): KubeObject {
    const items = this.all(resourceOf(call)).filter(
      (object) => call.namespace === undefined || object.metadata.namespace === call.namespace,
    )
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      metadata: { resourceVersion: String(this.version) },
      items,
    }
    return deepFreeze(list) as unknown as KubeObject
  }

  #create(call: ApiCall): KubeObject {
    const body = call.body as unknown as KubeObject
    const named = { ...call, name: body.metadata.name ?? '' }
    if (this.#objects.has(pathOf(named))) throw refuse.alreadyExists(nameOf(call), named.name)
    return this.#put(named, {
      ...body,
      metadata: {
        ...body.metadata,
        ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
        uid: this.#random.uuid(),
        creationTimestamp: timeText(this.now()),
        generation: 1,
      },
    })
  }

  #post(call: ApiCall, stored: Stored): KubeObject {
    if (call.subresource !== 'binding') throw refuse.noSuchResource()
    const spec = (stored.object['spec'] ?? {}) as JsonObject
    if (spec['nodeName']) throw refuse.conflict(nameOf(call), call.name ?? '', 'pod is already assigned')
    const target = (call.body as JsonObject)['target'] as JsonObject
    this.#put(call, { ...stored.object, spec: { ...spec, nodeName: target['name'] } })
    return { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success' }
  }

  #change(call: ApiCall, stored: Stored): KubeObject {
    const body = call.body as JsonObject
    const metadata = body['metadata'] as KubeObject['metadata'] | undefined
    const wanted = metadata?.resourceVersion
    if (wanted !== undefined && wanted !== stored.object.metadata.resourceVersion) {
      throw refuse.conflict(nameOf(call), call.name ?? '')
    }
    const before = stored.object as unknown as JsonObject
    const raw = call.verb === 'patch' ? (mergePatch(before, body) as JsonObject) : body
    const status = call.subresource === 'status'
    const merged = status
      ? { ...before, status: raw['status'] }
      : call.subresource === 'finalize'
        ? { ...before, spec: raw['spec'] }
        : { ...raw, ...('status' in before ? { status: before['status'] } : {}) }
    const next = merged as unknown as KubeObject
    if (deepEqual({ ...next, metadata: undefined }, { ...before, metadata: undefined })) {
      const meta = { ...next.metadata, resourceVersion: stored.object.metadata.resourceVersion }
      if (status || deepEqual(meta, stored.object.metadata)) return stored.object
    }
    if (isOver(next)) return this.#drop(call, next)
    return this.#put(call, next)
  }

  #delete(call: ApiCall, stored: Stored): KubeObject {
    const options = (call.body ?? {}) as JsonObject
    const wanted = (options['preconditions'] as JsonObject | undefined)?.['uid']
    if (wanted !== undefined && wanted !== stored.object.metadata.uid) {
      throw refuse.conflict(
        nameOf(call),
        call.name ?? '',
        `Precondition failed: UID in precondition: ${wanted}`,
      )
    }
    const { metadata } = stored.object
    const added = { Foreground: ['foregroundDeletion'], Orphan: ['orphan'] }[
      String(options['propagationPolicy'])
    ]
    const finalizers = [...new Set([...(metadata.finalizers ?? []), ...(added ?? [])])]
    const grace = call.resource === 'pods' ? graceOf(options, stored.object) : 0
    const spec = stored.object['spec'] as JsonObject | undefined
    const hasSpecFinalizers = ((spec?.['finalizers'] as readonly string[] | undefined) ?? []).length > 0
    const marked: KubeObject = {
      ...stored.object,
      metadata: {
        ...metadata,
        ...(finalizers.length > 0 ? { finalizers } : {}),
        deletionTimestamp: metadata.deletionTimestamp ?? timeText(this.now() + grace * 1000),
        deletionGracePeriodSeconds: grace,
      },
    }
    if (finalizers.length === 0 && grace === 0 && !hasSpecFinalizers) return this.#drop(call, marked)
    if (metadata.deletionTimestamp !== undefined && deepEqual(marked, stored.object)) return stored.object
    return this.#put(call, marked)
  }

  #put(call: ApiCall, object: KubeObject): KubeObject {
    const path = pathOf(call)
    this.version += 1
    const metadata = { ...object.metadata, resourceVersion: String(this.version) }
    const stored = deepFreeze({ ...structuredClone(object), metadata: structuredClone(metadata) })
    const before = this.#objects.get(path)?.object
    const type = before ? 'MODIFIED' : 'ADDED'
    this.#objects.set(path, { path, resource: resourceOf(call), object: stored })
    this.onChange?.(stored, before)
    this.#tell(call, { type, object: stored })
    return stored
  }

  #drop(call: ApiCall, object: KubeObject): KubeObject {
    this.version += 1
    const metadata = { ...object.metadata, resourceVersion: String(this.version) }
    const last = deepFreeze({ ...structuredClone(object), metadata: structuredClone(metadata) })
    this.#objects.delete(pathOf(call))
    this.#tell(call, { type: 'DELETED', object: last })
    return last
  }

  #tell(call: ApiCall, event: WatchEvent): void {
    this.#past.push({ version: this.version, resource: resourceOf(call), event })
    queueMicrotask(() => {
      for (const watcher of this.#watchers) watcher.wake()
    })
  }
}

function isOver({ metadata, spec }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).length > 0) return false
  const more = (spec as JsonObject | undefined)?.['finalizers'] as readonly string[] | undefined
  return !metadata.deletionGracePeriodSeconds && (more ?? []).length === 0
}

function graceOf(options: JsonObject, pod: KubeObject): number {
  const spec = (pod['spec'] ?? {}) as JsonObject
  if (!spec['nodeName']) return 0
  return Number(options['gracePeriodSeconds'] ?? spec['terminationGracePeriodSeconds'] ?? 30)
}

function resourceOf(call: ApiCall): string {
  return call.group === '' ? call.resource : `${call.resource}.${call.group}`
}

function nameOf(call: ApiCall): { readonly group: string; readonly resource: string } {
  return { group: call.group, resource: call.resource }
}

function pathOf(call: ApiCall): string {
  return `${resourceOf(call)}/${call.namespace ?? ''}/${call.name ?? ''}`
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged: Record<string, unknown> = { ...(isObject(target) ? target : {}) }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else if (value !== undefined) merged[key] = mergePatch(merged[key], value)
  }
  return merged
}
