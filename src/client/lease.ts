// Holding a Lease object: who holds it may act, nobody else. The holder counts its right from the time of SENDING
// the last renewal, the others count the holder's silence from the time they SAW it: so the holder always stops
// before another may start, whatever the wall clocks say. (Clocks may differ; they must run at about one speed.)
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { Host } from '../host/host.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Client } from './client.ts'

export interface LeaseOptions {
  readonly client: Client
  readonly host: Host
  /** The kind coordination.k8s.io Lease. */
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
  /** Who we are; must differ between two runs of one program on one host. */
  readonly identity: string
  /** How long others wait in silence before they take over. Milliseconds. */
  readonly durationMs: number
  /** How often it is renewed; well below the duration. Milliseconds. */
  readonly renewMs: number
  readonly signal: AbortSignal
  readonly onChange?: (holding: boolean) => void
}

export interface Lease {
  /** Whether we may act now. Ask right before each effect: it turns false by time alone. */
  holds(): boolean
  /** Rises with each change of holder; fences what an earlier holder still has under way. 0 when never held. */
  epoch(): number
  /** Resolves when the signal aborted and the lease was given back, where we held it. */
  readonly done: Promise<void>
}

/** The holder stops this part of the duration early, for the effect that it started at the last moment. */
const MARGIN = 0.2
/** A renewal that takes longer than this part of the duration is given up and sent anew. */
const REQUEST_PART = 0.3

interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}

interface Observed {
  readonly version: string
  readonly seenMs: number
}

export function holdLease(options: LeaseOptions): Lease {
  const { host, durationMs } = options
  let sentMs: number | undefined
  let epoch = 0
  let observed: Observed | undefined
  let told = false

  const holds = (): boolean =>
    sentMs !== undefined && host.clock.monotonic() < sentMs + durationMs * (1 - MARGIN)
  const tellChange = (): void => {
    const now = holds()
    if (now === told) return
    told = now
    options.onChange?.(now)
  }

  /** One round: take, renew, or look on. */
  const round = async (): Promise<void> => {
    const startMs = host.clock.monotonic()
    const present = await read(options)
    if (present === undefined) {
      const sendMs = host.clock.monotonic()
      await options.client.create(options.kind, fresh(options), within(options))
      sentMs = sendMs
      epoch = 1
      return
    }
    const spec = (present['spec'] ?? {}) as LeaseSpec
    const version = present.metadata.resourceVersion ?? ''
    if (observed?.version !== version) observed = { version, seenMs: startMs }
    const mine = spec.holderIdentity === options.identity
    // The time that counts is the holder's own word, because holders of different settings may meet.
    const silentMs = host.clock.monotonic() - observed.seenMs
    const waitMs = Math.max(durationMs, (spec.leaseDurationSeconds ?? 0) * 1000)
    const vacant = (spec.holderIdentity ?? '') === '' || silentMs >= waitMs
    if (!mine && !vacant) {
      sentMs = undefined
      return
    }
    const sendMs = host.clock.monotonic()
    const next = mine ? renewal(options) : takeover(options, spec)
    const written = await options.client.patch(
      options.kind,
      options.name,
      { metadata: { resourceVersion: version }, spec: next },
      within(options),
    )
    observed = { version: written.metadata.resourceVersion ?? '', seenMs: sendMs }
    sentMs = sendMs
    epoch = ((written['spec'] as LeaseSpec | undefined)?.leaseTransitions ?? 0) + 1
  }

  const run = async (): Promise<void> => {
    while (!options.signal.aborted) {
      try {
        await round()
      } catch (error) {
        // A conflict means that another was first; a lost connection leaves the right to run out by itself.
        if (!(error instanceof ApiError) && !isAbort(error)) throw error
      }
      tellChange()
      // Awake when the right runs out too, so that its loss is told in time.
      const leftMs = sentMs === undefined ? options.renewMs : sentMs + durationMs - host.clock.monotonic()
      const sleepMs = Math.min(options.renewMs, Math.max(leftMs, options.renewMs / 10))
      await host.clock.sleep(sleepMs, options.signal).catch(() => undefined)
      tellChange()
    }
    if (holds()) await giveBack(options)
    sentMs = undefined
    tellChange()
  }

  return { holds, epoch: () => epoch, done: run() }
}

async function read(options: LeaseOptions): Promise<KubeObject | undefined> {
  try {
    return await options.client.get(options.kind, options.name, within(options))
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}

function within(options: LeaseOptions): { readonly namespace: string; readonly signal: AbortSignal } {
  const limit = new AbortController()
  const stop = options.host.clock.after(options.durationMs * REQUEST_PART, () => limit.abort())
  limit.signal.addEventListener('abort', stop, { once: true })
  return { namespace: options.namespace, signal: AbortSignal.any([options.signal, limit.signal]) }
}

function stamp(options: LeaseOptions): string {
  return new Date(options.host.clock.now()).toISOString().replace('Z', '000Z')
}

function renewal(options: LeaseOptions): JsonObject {
  return { renewTime: stamp(options), leaseDurationSeconds: Math.ceil(options.durationMs / 1000) }
}

function takeover(options: LeaseOptions, spec: LeaseSpec): JsonObject {
  return {
    ...renewal(options),
    holderIdentity: options.identity,
    acquireTime: stamp(options),
    leaseTransitions: (spec.leaseTransitions ?? 0) + 1,
  }
}

function fresh(options: LeaseOptions): KubeObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: options.name, namespace: options.namespace },
    spec: { ...takeover(options, {}), leaseTransitions: 0 },
  }
}

/** Lets the next one begin at once. Failing to is no harm: the others wait the duration out. */
async function giveBack(options: LeaseOptions): Promise<void> {
  const { client, kind, name, namespace } = options
  try {
    const present = await client.get(kind, name, { namespace })
    if ((present['spec'] as LeaseSpec | undefined)?.holderIdentity !== options.identity) return
    const metadata = { resourceVersion: present.metadata.resourceVersion ?? '' }
    await client.patch(kind, name, { metadata, spec: { holderIdentity: '' } }, { namespace })
  } catch (error) {
    options.host.log.warn('lease not given back', {
      lease: `${namespace}/${name}`,
      why: error instanceof Error ? error.message : String(error),
    })
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
