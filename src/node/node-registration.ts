// Keeps this host's Node, its Lease and its Longhorn Node in the API.
import { deepEqual } from '../base/equality.ts'
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { isObject, parseJson } from '../base/json.ts'
import { failed, ok, type Result } from '../base/result.ts'
import { formatMicroTime, formatTime } from '../base/time.ts'
import { Node } from '../kinds/core/node.ts'
import type { Kind, KindOf } from '../kinds/kind.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import { Lease } from '../kinds/kubernetes/lease.ts'
import { Node as LonghornNode } from '../kinds/longhorn/node.ts'
import type { AgentOptions } from './agent-options.ts'
import { readHost } from './host-report.ts'
import { mergeConditions } from './plan/conditions.ts'
import type { HostFacts } from './plan/facts.ts'
import { networkCondition, nodeConditions, nodeInfo, nodeLabels, nodeResources } from './plan/node-object.ts'

/** Three chances before the lease runs out; the takeover waits for twice its time. */
export const LEASE_RENEW_MS = 3_000
export const LEASE_SECONDS = 10
const STATUS_EVERY_MS = 60_000
/** An unchanged status is written anew this often, so that its heartbeat is not mistaken for death. */
const HEARTBEAT_MS = 5 * 60_000
const LEASE_NAMESPACE = 'kube-node-lease'
const LONGHORN_NAMESPACE = 'longhorn-system'
const DEFAULT_DISK = 'default-disk'
/** Longhorn's setting storage-reserved-percentage-for-default-disk. */
const RESERVED_SHARE = 0.3
/** A change of the free space below this is not worth a write. Bytes. */
const SPACE_STEP_BYTES = 256 * 1024 * 1024
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
}

/** The facts of this host, which may get better while we run. */
export interface FactsSource {
  readonly facts: HostFacts
  refreshFacts(): Promise<void>
}

export function nodeRegistration(options: AgentOptions, source: FactsSource): Registration {
  let lastHeartbeat = 0
  const writeNode = async (): Promise<void> => {
    if (source.facts.missing) await source.refreshFacts()
    const { facts } = source
    const now = options.host.clock.now()
    const due = now - lastHeartbeat >= HEARTBEAT_MS
    if (await writeNodeObject(options, facts, { now, heartbeat: due })) lastHeartbeat = now
  }
  return {
    async register() {
      await writeNode()
      await renewLease(options)
      const disk = await prepareDisk(options)
      if (disk.ok) await writeLonghornNode(options, disk.value)
      else options.host.log.error('the default disk cannot be used', { why: disk.failure.message })
    },
    async run(signal) {
      await Promise.all([
        every(options, signal, LEASE_RENEW_MS, () => renewLease(options)),
        every(options, signal, STATUS_EVERY_MS, async () => {
          await writeNode()
          const disk = await prepareDisk(options)
          if (disk.ok) await writeLonghornNode(options, disk.value)
        }),
      ])
    },
  }
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

// --- Longhorn's Node and its default disk ---

interface Disk {
  readonly path: string
  readonly uuid: string
  readonly totalBytes: number
  readonly freeBytes: number
}

/** Makes the folder and its identity where they are missing. The identity stays with the data, as Longhorn's does. */
async function prepareDisk({ host, dataFolder }: AgentOptions): Promise<Result<Disk>> {
  const path = `${dataFolder}/disks/default`
  const made = await host.files.makeFolder(path, 0o711)
  if (!made.ok) return made
  const file = `${path}/longhorn-disk.cfg`
  const read = await host.files.readText(file)
  const known = read.ok ? uuidIn(read.value) : undefined
  if (read.ok && known === undefined)
    return failed({
      reason: 'DiskDamaged',
      message: `${file} names no diskUUID: restore it, or remove it if the disk is empty`,
      retry: 'later',
    })
  const uuid = known ?? host.random.uuid()
  if (known === undefined) {
    const written = await host.files.writeDurable(file, JSON.stringify({ diskUUID: uuid }))
    if (!written.ok) return written
  }
  const space = await host.files.space(path)
  return space.ok ? ok({ path, uuid, ...space.value }) : space
}

function uuidIn(text: string): string | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) && typeof value['diskUUID'] === 'string' ? value['diskUUID'] : undefined
  } catch {
    return undefined
  }
}

async function writeLonghornNode(options: AgentOptions, disk: Disk): Promise<void> {
  const { client, host, nodeName } = options
  const now = host.clock.now()
  const node = await ensure(options, LonghornNode, {
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
          path: disk.path,
          diskType: 'filesystem',
          allowScheduling: true,
          evictionRequested: false,
          storageReserved: Math.floor(disk.totalBytes * RESERVED_SHARE),
          tags: [],
        },
      },
    },
  })
  const name = Object.entries(node.spec?.disks ?? {}).find(([, one]) => one.path === disk.path)?.[0]
  if (name === undefined) return
  const before = node.status?.diskStatus?.[name]
  const moved = Math.abs(Number(before?.storageAvailable ?? 0) - disk.freeBytes) >= SPACE_STEP_BYTES
  const conditions = mergeConditions(before?.conditions ?? [], DISK_CONDITIONS, [], now)
  const nodeConditions = mergeConditions(node.status?.conditions ?? [], NODE_CONDITIONS, [], now)
  const same =
    before?.diskUUID === disk.uuid &&
    !moved &&
    deepEqual(before.conditions, conditions) &&
    deepEqual(node.status?.conditions, nodeConditions)
  if (same) return
  const diskStatus = {
    diskUUID: disk.uuid,
    diskName: name,
    diskPath: disk.path,
    diskType: 'filesystem',
    storageMaximum: disk.totalBytes,
    storageAvailable: disk.freeBytes,
    conditions,
  }
  const status = { conditions: nodeConditions, diskStatus: { [name]: diskStatus } }
  await client.patch(LonghornNode, nodeName, { status } as unknown as JsonObject, {
    subresource: 'status',
    namespace: LONGHORN_NAMESPACE,
  })
}

const DISK_CONDITIONS = [
  { type: 'Ready', status: 'True', reason: '', message: '' },
  { type: 'Schedulable', status: 'True', reason: '', message: '' },
] as const
const NODE_CONDITIONS = [
  { type: 'Ready', status: 'True', reason: '', message: '' },
  { type: 'Schedulable', status: 'True', reason: '', message: '' },
] as const
