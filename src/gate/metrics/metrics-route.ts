// Load over time for people and the web interface: `/v1-croft/metrics/...`. Whoever may get an object may see what is
// measured of it, from the object's creation on: an earlier one of the same name may have been somebody else's.
import { parseDuration } from '../../base/duration.ts'
import { refuse } from '../../base/errors.ts'
import type { Latest, MetricsView, RangeWish, Subject, SubjectType } from '../../base/metrics-port.ts'
import type { KubeObject } from '../../base/object.ts'
import { parseTime } from '../../base/time.ts'
import type { Client } from '../../client/client.ts'
import type { HttpResponse } from '../../host/host.ts'
import { Node } from '../../kinds/core/node.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { answerJson } from '../answers.ts'
import { type Ask, absentAsUndefined, type GateDeps, gateClient, requireKnown, userClient } from '../ask.ts'
import { requireMay } from '../rights.ts'
import { answerSamples } from './samples-route.ts'

/** Without a step an answer has at most this many points, about what a chart shows. */
const POINTS = 360
const RANGE_MS = 3_600_000
const STORAGE = 'longhorn-system'
const MACHINE_WORDS = new Set(['vm', 'vmi', 'virtualmachine', 'virtualmachineinstance'])
const VOLUME_WORDS = new Set(['volume', 'pvc', 'persistentvolumeclaim'])
const NODE_WORDS = new Set(['node', 'host'])
const HOW =
  'ask for /v1-croft/metrics/vm/NAMESPACE/NAME, /v1-croft/metrics/volume/NAMESPACE/CLAIM, /v1-croft/metrics/node/NAME or /v1-croft/metrics/latest?type=vm|volume|node&namespace=NAMESPACE'

export async function answerMetrics(deps: GateDeps, ask: Ask): Promise<HttpResponse> {
  const { request, user, info } = ask
  if (info.path === '/v1-croft/metrics/samples') return answerSamples(deps, ask)
  if (request.method !== 'GET') throw refuse.methodNotAllowed()
  requireKnown(user)
  const view = metricsOf(deps)
  const [, , , word = '', ...place] = info.path.split('/')
  if (word === 'latest' && place.length === 0) return answerLatest(deps, view, ask)
  const seen = await subjectFor(userClient(deps, user), word.toLowerCase(), place)
  const wish = readWish(info.query, deps.host.clock.now(), view)
  // A volume that no claim is bound to yet has no history, which is no mistake.
  const { start, step, series } = view.range(seen.subject, {
    ...wish,
    start: Math.max(wish.start, seen.since),
  })
  return answerJson(200, {
    subject: seen.subject,
    start: start / 1000,
    step: step / 1000,
    series,
    ...latestOf(view.latest(seen.subject), seen.since),
  })
}

export function metricsOf({ metrics }: GateDeps): MetricsView {
  if (!metrics) throw refuse.unavailable('this server measures nothing', 60)
  return metrics
}

interface Seen {
  readonly subject: Subject
  /** Milliseconds since 1970. */
  readonly since: number
}

async function subjectFor(client: Client, word: string, place: readonly string[]): Promise<Seen> {
  const [namespace = '', name = ''] = place
  if (place.length === 1 && NODE_WORDS.has(word)) {
    const node = await client.get(Node, namespace)
    return { subject: { type: 'node', id: namespace }, since: createdAt(node) }
  }
  if (place.length !== 2) throw refuse.badRequest(HOW)
  if (MACHINE_WORDS.has(word)) {
    const vm = await absentAsUndefined(client.get(VirtualMachine, name, { namespace }))
    const object = vm ?? (await client.get(VirtualMachineInstance, name, { namespace }))
    return { subject: { type: 'machine', id: `${namespace}/${name}` }, since: createdAt(object) }
  }
  if (VOLUME_WORDS.has(word)) {
    if (namespace === STORAGE) {
      const volume = await client.get(Volume, name, { namespace })
      return { subject: { type: 'volume', id: name }, since: createdAt(volume) }
    }
    const claim = await client.get(PersistentVolumeClaim, name, { namespace })
    return { subject: { type: 'volume', id: claim.spec?.volumeName ?? '' }, since: createdAt(claim) }
  }
  throw refuse.badRequest(HOW)
}

function createdAt({ metadata }: KubeObject): number {
  return parseTime(String(metadata.creationTimestamp ?? '')) ?? 0
}

function latestOf(latest: Latest | undefined, since: number) {
  return latest && latest.at >= since ? { latest: { at: latest.at / 1000, values: latest.values } } : {}
}

function readWish(query: URLSearchParams, now: number, view: MetricsView): RangeWish {
  const end = Math.min(readMoment(query, 'end', now) ?? now, now)
  const start = Math.max(readMoment(query, 'start', now) ?? end - RANGE_MS, now - view.keptMs)
  if (start >= end) throw refuse.badRequest('start must be before end, and not further back than a day')
  const asked = query.get('step')
  const step = asked === null ? (end - start) / POINTS : spanOf('step', asked)
  const fold = query.get('fold') ?? 'mean'
  if (fold !== 'mean' && fold !== 'max') throw refuse.badRequest('fold is mean or max')
  const names = query.get('metrics')
  return {
    start,
    end,
    step: Math.max(view.stepMs, Math.ceil(step / view.stepMs) * view.stepMs),
    fold,
    ...(names === null ? {} : { metrics: names.split(',') }),
  }
}

/** Seconds since 1970, a time as Kubernetes writes it, or a span back from now like `-6h`. */
function readMoment(query: URLSearchParams, name: string, now: number): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (text.startsWith('-')) return now - spanOf(name, text.slice(1))
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : parseTime(text)
  if (seconds === undefined)
    throw refuse.badRequest(
      `${name} "${text}" is no time: give seconds since 1970, 2026-01-31T12:00:00Z or -6h`,
    )
  return seconds
}

function spanOf(name: string, text: string): number {
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : parseDuration(text)
  if (ms === undefined || ms <= 0)
    throw refuse.badRequest(`${name} "${text}" is no span of time like 10s or 5m`)
  return ms
}

// --- the present of many ---

const LISTS = {
  vm: { type: 'machine', group: 'kubevirt.io', resource: 'virtualmachineinstances' },
  volume: { type: 'volume', group: '', resource: 'persistentvolumeclaims' },
  node: { type: 'node', group: '', resource: 'nodes' },
} as const

async function answerLatest(deps: GateDeps, view: MetricsView, { user, info }: Ask): Promise<HttpResponse> {
  const word = info.query.get('type') ?? ''
  if (word !== 'vm' && word !== 'volume' && word !== 'node') throw refuse.badRequest(HOW)
  const { type, group, resource } = LISTS[word]
  const namespace = word === 'node' ? '' : (info.query.get('namespace') ?? '')
  await requireMay(deps, user, { verb: 'list', group, resource, namespace, name: '' })
  const items = await latestItems(gateClient(deps), view, type, namespace)
  return answerJson(200, { items })
}

async function latestItems(client: Client, view: MetricsView, type: SubjectType, namespace: string) {
  const where = namespace === '' ? {} : { namespace }
  const item = (object: KubeObject, id: string) => {
    const latest = view.latest({ type, id })
    const { namespace: place, name } = object.metadata
    if (!latest || latest.at < createdAt(object)) return []
    return [{ ...(place ? { namespace: place } : {}), name, at: latest.at / 1000, values: latest.values }]
  }
  if (type === 'node') {
    const { items } = await client.list(Node)
    return items.flatMap((node) => item(node, node.metadata.name ?? ''))
  }
  if (type === 'machine') {
    const { items } = await client.list(VirtualMachineInstance, where)
    return items.flatMap((vmi) => item(vmi, `${vmi.metadata.namespace}/${vmi.metadata.name}`))
  }
  const { items } = await client.list(PersistentVolumeClaim, where)
  return items.flatMap((claim) => item(claim, claim.spec?.volumeName ?? ''))
}
