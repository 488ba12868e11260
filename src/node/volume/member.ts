// A member of a volume: a replica as the engine's host sees it. On the same host it is the daemon itself; on another
// host the agent there answers the same questions. Every order is idempotent and may come twice.
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import type { NbdChild } from '../plan/backing.ts'
import type { RunAs } from '../plan/facts.ts'
import { type CopyOrder, closeFile, copyFile, digestOf, openFile, type ServedFile } from './copy.ts'
import { addExport, fenceExports, incarnationOf, openExports, type ReplicaDaemon } from './daemon.ts'
import { blocksOf, type FileBlocks } from './delta.ts'
import { exportName, type MemberSeen } from './epoch/record.ts'
import { freeze, headNode, metaOf, prepareFreeze, removeLayer, settleFreeze } from './freeze.ts'
import { resizeReplica } from './grow.ts'
import { closeLayer, completeJoin, type JoinOrder, joinOn, openLayer, prepareJoin } from './join.ts'
import { chainBelow, type LayerWords, layersOf } from './layers.ts'
import type { ReplicaPlace } from './layout.ts'
import { type ReplicaMeta, readMeta, writeMeta } from './meta.ts'
import { TLS_CLIENT } from './tls.ts'

/** A member that does not answer a question within this time is treated as lost while a guest waits. Milliseconds. */
export const PROBE_MS = 300

export interface ServeOrder {
  readonly epoch: number
  /** Of the record; a daemon that was started since refuses. */
  readonly incarnation: string
}

export interface Member {
  readonly replica: string
  ask(timeoutMs: number): Promise<MemberSeen>
  /** Cuts older epochs, notes this one, opens its export. Failures: `ReplicaRestarted`, `EpochPassed`, of the disk. */
  serve(order: ServeOrder): Promise<Result<NbdChild>>
  /** Cuts all epochs: nobody writes here any more. */
  fence(): Promise<Result<void>>
  /** Makes a new head ready. May take its time: the guest runs on. */
  prepareFreeze(words: LayerWords): Promise<Result<void>>
  /** The head becomes the layer, the prepared one takes over. Milliseconds; the guest is paused. */
  freeze(name: string): Promise<Result<void>>
  /** Notes what was frozen, or takes the preparation away where it was not. The guest runs. */
  settleFreeze(name: string): Promise<Result<'frozen' | 'undone'>>
  /** The head grows, after all engines were cut. The guest is paused. Failures: `ShrinkRefused`. */
  resize(sizeBytes: number): Promise<Result<void>>
  /** Takes a layer away; what it holds and what lies on it stay readable. Idempotent. */
  removeLayer(name: string): Promise<Result<void>>
  /** The engine has gone: all exports close, and how it went is noted. */
  close(clean: boolean): Promise<Result<void>>
  /** Bytes that each file of the chain takes on the disk, by its name. */
  layerSizes(): Promise<Result<Readonly<Record<string, number>>>>
  /** What the replica knows of itself. Failures: `ReplicaMetaMissing`. */
  meta(): Promise<Result<ReplicaMeta>>

  // Of a source of a rebuild:
  /** Serves a frozen layer, with all below it, for reading. */
  openLayer(name: string): Promise<Result<NbdChild>>
  closeLayer(name: string): Promise<void>
  /** Serves the bytes of a frozen layer's file. */
  openFile(file: string): Promise<Result<ServedFile>>
  closeFile(file: string): Promise<void>
  /** sha512 of a frozen layer's file; `NotFound`. */
  digest(file: string): Promise<Result<string>>
  /** Hashes of the blocks of a frozen layer's file; `NotFound`. */
  blocks(file: string): Promise<Result<FileBlocks>>

  // Of the one that is rebuilt:
  /** Its record and an empty head. Before the pause. */
  prepareJoin(order: JoinOrder): Promise<Result<void>>
  /** Opens the head over the source's layer. In the pause. */
  joinOn(head: string, source: NbdChild): Promise<Result<void>>
  /** Fetches one frozen file. */
  copyFile(order: CopyOrder): Promise<Result<void>>
  /** All layers are here: the head stands on them from now on. */
  completeJoin(): Promise<Result<void>>
}

export interface LocalMemberInput {
  readonly host: Host
  readonly replica: string
  readonly place: ReplicaPlace
  readonly daemon: ReplicaDaemon
  /** User of the daemon, where it is not our own. */
  readonly runAs?: RunAs
  /** Certificates of this host, for connections to replicas that want them. */
  readonly tlsFolder?: string
}

export function localMember(input: LocalMemberInput): Member {
  const { host, replica, daemon } = input
  return {
    replica,
    ask: (timeoutMs) => ask(input, timeoutMs),
    serve: (order) => serve(input, order),
    fence: () => fenceExports(host, daemon),
    prepareFreeze: (words) => prepareFreeze(input, words),
    freeze: (name) => freeze(input, name),
    settleFreeze: (name) => settleFreeze(input, name),
    removeLayer: (name) => removeLayer(input, name),
    resize: (sizeBytes) => resizeReplica(input, sizeBytes),
    close: (clean) => close(input, clean),
    meta: () => metaOf(input),
    layerSizes: () => layerSizes(input),
    openLayer: (name) => openLayer(input, name),
    closeLayer: (name) => closeLayer(input, name),
    openFile: (file) => openFile(input, file),
    closeFile: (file) => closeFile(input, file),
    digest: (file) => digestOf(input, file),
    blocks: (file) => blocksOf(input, file),
    prepareJoin: (order) => prepareJoin(input, order),
    joinOn: (head, source) => joinOn(input, head, source),
    copyFile: (order) => copyFile(input, order),
    completeJoin: () => completeJoin(input),
  }
}

async function layerSizes(input: LocalMemberInput): Promise<Result<Readonly<Record<string, number>>>> {
  const meta = await metaOf(input)
  if (!meta.ok) return meta
  const names = [meta.value.head, ...layersOf(meta.value).map((layer) => layer.file)]
  const sizes = await Promise.all(
    names.map(async (name) => {
      const stat = await input.host.files.stat(`${input.place.folder}/${name}`)
      return [name, stat.ok ? stat.value.allocatedBytes : 0] as const
    }),
  )
  return ok(Object.fromEntries(sizes))
}

async function close(input: LocalMemberInput, clean: boolean): Promise<Result<void>> {
  const fenced = await fenceExports(input.host, input.daemon)
  if (!fenced.ok) return fenced
  const meta = await metaOf(input)
  if (!meta.ok) return meta
  return writeMeta(input.host.files, input.place.meta, { ...meta.value, cleanShutdown: clean })
}

async function ask(
  { host, replica, place, daemon }: LocalMemberInput,
  timeoutMs: number,
): Promise<MemberSeen> {
  const [exports, meta] = await Promise.all([
    openExports(daemon, timeoutMs),
    readMeta(host.files, place.meta),
  ])
  if (!exports.ok) return { state: 'absent', why: exports.failure.message }
  if (!meta.ok) return { state: 'absent', why: meta.failure.message }
  if (!meta.value) return { state: 'absent', why: `${place.meta} is gone` }
  return {
    state: 'present',
    report: {
      replica,
      incarnation: incarnationOf(daemon.process),
      epoch: meta.value.epoch,
      sizeBytes: meta.value.sizeBytes,
      chain: [...chainBelow(meta.value).map((layer) => layer.name), 'volume-head'],
      cleanShutdown: meta.value.cleanShutdown,
      exports: exports.value,
    },
  }
}

/** One daemon listens in one place: for all, or for its own host. */
export function serverOf({ daemon, place, tlsFolder }: LocalMemberInput): NbdChild['server'] {
  if (!daemon.tcp) return { unix: place.nbdSocket }
  const { host, port, tls } = daemon.tcp
  if (!tls) return { host, port }
  return { host, port, tlsCreds: TLS_CLIENT, ...(tlsFolder === undefined ? {} : { tlsFolder }) }
}

async function serve(input: LocalMemberInput, order: ServeOrder): Promise<Result<NbdChild>> {
  const { host, replica, place, daemon } = input
  const { epoch, incarnation } = order
  if (incarnation !== incarnationOf(daemon.process))
    return failed({
      reason: 'ReplicaRestarted',
      message: `replica ${replica} was started anew since epoch ${epoch} was committed`,
      retry: 'never',
    })
  const meta = await readMeta(host.files, place.meta)
  if (!meta.ok) return meta
  if (!meta.value)
    return failed({ reason: 'ReplicaMetaMissing', message: `${place.meta} is gone`, retry: 'later' })
  if (meta.value.epoch > epoch)
    return failed({
      reason: 'EpochPassed',
      message: `replica ${replica} serves epoch ${meta.value.epoch} already; ${epoch} is over`,
      retry: 'never',
    })
  const name = exportName({ replica, incarnation }, epoch)
  const noted = meta.value.epoch === epoch && meta.value.incarnation === incarnation
  const [fenced, written] = await Promise.all([
    fenceExports(host, daemon, name),
    noted && !meta.value.cleanShutdown
      ? ok(undefined)
      : writeMeta(host.files, place.meta, { ...meta.value, epoch, incarnation, cleanShutdown: false }),
  ])
  if (!fenced.ok) return fenced
  if (!written.ok) return written
  const open = await openExports(daemon)
  if (!open.ok) return open
  if (open.value.includes(name)) return ok({ server: serverOf(input), exportName: name })
  const head = await headNode(daemon, meta.value)
  if (!head.ok) return head
  const opened = await addExport(daemon, name, head.value)
  return opened.ok ? ok({ server: serverOf(input), exportName: name }) : opened
}
