// Keeps this host's Node, its Lease and its Longhorn Node in the API.
import { aborted } from '../base/aborted.ts'
import { deepEqual } from '../base/equality.ts'
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { formatMicroTime, formatTime } from '../base/time.ts'
import { Node } from '../kinds/core/node.ts'
import type { Kind, KindOf } from '../kinds/kind.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import { Lease } from '../kinds/kubernetes/lease.ts'
import { Node as LonghornNode } from '../kinds/longhorn/node.ts'
import { Orphan } from '../kinds/longhorn/orphan.ts'
import type { AgentOptions } from './agent-options.ts'
import { readHost } from './host-report.ts'
import { DONE, keyedWork } from './keyed-work.ts'
import { LONGHORN_NAMESPACE, reportDisks } from './node-disks.ts'
import { lookForOrphans } from './orphans.ts'
import { mergeConditions } from './plan/conditions.ts'
import type { HostFacts } from './plan/facts.ts'
import { networkCondition, nodeConditions, nodeInfo, nodeLabels, nodeResources } from './plan/node-object.ts'

/** Three chances before the lease runs out; the takeover waits for twice its time. */
export const LEASE_RENEW_MS = 3_000
export const LEASE_SECONDS = 10
const STATUS_EVERY_MS = 60_000
/** An unchanged status is written anew this often, so that its heartbeat is not mistaken for death. */
const HEARTBEAT_MS = 5 * 60_000
/** At the start there is more to do. */
const ORPHANS_FIRST_MS = 60_000
const ORPHANS_EVERY_MS = 5 * 60_000
const LEASE_NAMESPACE = 'kube-node-lease'
const DEFAULT_DISK = 'default-disk'
/** Longhorn's setting storage-reserved-percentage-for-default-disk. */
const RESERVED_SHARE = 0.3
/** Labels of these families are ours to remove when a host loses what they say. */
const OWN_LABELS = [
  'cpu-model.node.kubevirt.io/',
  'machine-type.node.kubevirt.io/',
  'cpu-vendor.node.kubevirt.io/',
]

export interface Registration {
  /** Writes everything once; to be done before the node is used. */
  register(): Promise<void>
  /** Keeps it fresh until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Monotonic time at which the last renewal of the lease that was answered was sent. */
  readonly renewedAt: number
}

/** The facts of this host, which may get better while we run. */
export interface FactsSource {
  readonly facts: HostFacts
  refreshFacts(): Promise<void>
}

export function nodeRegistration(options: AgentOptions, source: FactsSource): Registration {
  let lastHeartbeat = 0
  let renewedAt = options.host.clock.monotonic()
  const writeNode = async (): Promise<void> => {
    if (source.facts.missing) await source.refreshFacts()
    const { facts } = source
    const now = options.host.clock.now()
    const due = now - lastHeartbeat >= HEARTBEAT_MS
    if (await writeNodeObject(options, facts, { now, heartbeat: due })) lastHeartbeat = now
  }
  return {
    get renewedAt() {
      return renewedAt
    },
    async register() {
      // First the lease: a Node that says it is ready beside an old one would be taken for lost again.
      const sentAt = options.host.clock.monotonic()
      await renewLease(options)
      renewedAt = sentAt
      await writeNode()
      await reportDisks(options, await storageNode(options))
    },
    async run(signal) {
      const { clock } = options.host
      // One that comes back from the dead was taken for lost at its old lease.
      let again = true
      await Promise.all([
        every(options, signal, LEASE_RENEW_MS, async () => {
          const sentAt = clock.monotonic()
          await renewLease(options)
          // After a long silence others may have taken this node for lost, or be about to: it says twice that it lives.
          const silent = sentAt - renewedAt > LEASE_SECONDS * 1_000
          renewedAt = sentAt
          if (silent || again) await writeNode()
          again = silent
        }),
        every(options, signal, STATUS_EVERY_MS, async () => {
          await writeNode()
          await reportDisks(options, await storageNode(options))
        }),
        followDisks(options, signal),
        followOrphans(options, signal),
      ])
    },
  }
}

/** A disk that somebody names is taken up at once. */
async function followDisks(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const { informers, host, nodeName } = options
  const work = keyedWork({
    host,
    signal,
    name: 'disks',
    concurrency: 1,
    work: async () => {
      await reportDisks(options, await storageNode(options))
      return DONE
    },
  })
  informers.start(LonghornNode)
  const leave = informers.subscribe(LonghornNode, ({ object }) => {
    if (object.metadata.name === nodeName) work.add('disks')
  })
  await aborted(signal)
  leave()
  await work.idle()
}

/** Folders without an owner are looked for now and then, and at once when one is to go. */
async function followOrphans(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const { informers, host, client, nodeName } = options
  const work = keyedWork({
    host,
    signal,
    name: 'orphans',
    concurrency: 1,
    work: async (key) => {
      const node = await storageNode(options)
      await lookForOrphans({ host, client, nodeName }, node)
      return key === 'regular' ? { againMs: ORPHANS_EVERY_MS } : DONE
    },
  })
  informers.start(Orphan)
  const leave = informers.subscribe(Orphan, ({ object }) => {
    if (object.metadata.deletionTimestamp) work.add('deleted')
  })
  work.addLater('regular', ORPHANS_FIRST_MS)
  await aborted(signal)
  leave()
  await work.idle()
}

async function every(
  options: AgentOptions,
  signal: AbortSignal,
  ms: number,
  work: () => Promise<void>,
): Promise<void> {
  const { clock, log } = options.host
  while (!signal.aborted) {
    await clock.sleep(ms, signal).catch(() => undefined)
    if (signal.aborted) return
    await work().catch((error: unknown) =>
      log.warn('the node was not reported', { why: error instanceof Error ? error.message : String(error) }),
    )
  }
}

/** The object as it is, or as it was just created. */
async function ensure<K extends Kind>(options: AgentOptions, kind: K, fresh: KindOf<K>): Promise<KindOf<K>> {
  const { name = '', namespace } = fresh.metadata
  const where = namespace === undefined ? {} : { namespace }
  try {
    return await options.client.get(kind, name, where)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error
  }
  try {
    return await options.client.create(kind, fresh, where)
  } catch (error) {
    if (error instanceof ApiError && error.code === 409) return options.client.get(kind, name, where)
    throw error
  }
}

// --- Node ---

async function writeNodeObject(
  options: AgentOptions,
  facts: HostFacts,
  { now, heartbeat }: { readonly now: number; readonly heartbeat: boolean },
): Promise<boolean> {
  const report = await readHost(options)
  const network = options.rooms.network.state?.()
  const labels: Readonly<Record<string, string>> = {
    ...nodeLabels(report, facts),
    ...(network ? { 'croft.io/default-network': network.kind } : {}),
  }
  const node = await ensure(options, Node, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: options.nodeName, labels },
    spec: {},
  })
  const present = node.metadata.labels ?? {}
  const stale = Object.keys(present).filter(
    (key) => labels[key] === undefined && OWN_LABELS.some((family) => key.startsWith(family)),
  )
  // Whether machines may be placed here may be switched off by people; it is set once.
  const { 'kubevirt.io/schedulable': schedulable, ...firm } = labels
  const wanted =
    present['kubevirt.io/schedulable'] === undefined
      ? { ...firm, 'kubevirt.io/schedulable': schedulable }
      : firm
  const changed = Object.entries(wanted).filter(([key, value]) => present[key] !== value)
  if (changed.length > 0 || stale.length > 0)
    await options.client.patch(Node, options.nodeName, {
      metadata: {
        labels: { ...Object.fromEntries(changed), ...Object.fromEntries(stale.map((key) => [key, null])) },
      },
    } as JsonObject)
  const wishes = [...nodeConditions(report, facts), ...(network ? [networkCondition(network)] : [])]
  const merged = mergeConditions(node.status?.conditions, wishes, [], now)
  const differs = !merged.every((one, index) => sameButBeat(one, node.status?.conditions?.[index]))
  const status = {
    ...nodeResources(report, facts),
    nodeInfo: nodeInfo(report, facts),
    addresses: [
      { type: 'InternalIP', address: report.address },
      { type: 'Hostname', address: report.nodeName },
    ],
    ...(options.linkPort === undefined
      ? {}
      : { daemonEndpoints: { kubeletEndpoint: { Port: options.linkPort } } }),
  }
  const same = Object.entries(status).every(([key, value]) =>
    deepEqual((node.status as JsonObject | undefined)?.[key], value),
  )
  if (same && !differs && !heartbeat) return false
  const beat = formatTime(now)
  await options.client.patch(
    Node,
    options.nodeName,
    {
      status: { ...status, conditions: merged.map((one) => ({ ...one, lastHeartbeatTime: beat })) },
    } as unknown as JsonObject,
    { subresource: 'status' },
  )
  return true
}

function sameButBeat(a: object, b: object | undefined): boolean {
  const { lastHeartbeatTime: _a, ...left } = a as Record<string, unknown>
  const { lastHeartbeatTime: _b, ...right } = (b ?? {}) as Record<string, unknown>
  return deepEqual(left, right)
}

// --- Lease ---

async function renewLease(options: AgentOptions): Promise<void> {
  const { client, host, nodeName } = options
  const renewTime = formatMicroTime(host.clock.now())
  const spec = { holderIdentity: nodeName, leaseDurationSeconds: LEASE_SECONDS, renewTime }
  const lease = await ensure(options, Lease, {
    apiVersion: apiVersionOf(Lease),
    kind: 'Lease',
    metadata: { name: nodeName, namespace: LEASE_NAMESPACE },
    spec,
  })
  if (lease.spec?.renewTime !== renewTime)
    await client.patch(Lease, nodeName, { spec }, { namespace: LEASE_NAMESPACE })
}

// --- Longhorn's Node and its disks ---

/** The object; the first time with the default disk, which people may change or take out afterwards. */
async function storageNode(options: AgentOptions): Promise<KindOf<typeof LonghornNode>> {
  const { host, nodeName, dataFolder } = options
  const path = `${dataFolder}/disks/default`
  const made = await host.files.makeFolder(path, 0o711)
  const space = made.ok ? await host.files.space(path) : made
  if (!space.ok) host.log.error('the default disk cannot be used', { why: space.failure.message })
  const totalBytes = space.ok ? space.value.totalBytes : 0
  return ensure(options, LonghornNode, {
    apiVersion: apiVersionOf(LonghornNode),
    kind: 'Node',
    metadata: { name: nodeName, namespace: LONGHORN_NAMESPACE },
    spec: {
      name: nodeName,
      allowScheduling: true,
      evictionRequested: false,
      tags: [],
      disks: {
        [DEFAULT_DISK]: {
          path,
          diskType: 'filesystem',
          allowScheduling: true,
          evictionRequested: false,
          storageReserved: Math.floor(totalBytes * RESERVED_SHARE),
          tags: [],
        },
      },
    },
  })
}
