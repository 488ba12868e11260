// volume.meta: what a replica knows of itself without the API. Written with fsync before anything that it says
// happens, so that after any crash it is never ahead of the data and never behind the committed epoch it served.
import { isObject, parseJson } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { Files } from '../../host/host.ts'
import type { Layer } from './layers.ts'

export interface ReplicaMeta {
  readonly formatVersion: 1
  readonly volume: string
  readonly replica: string
  readonly sizeBytes: number
  readonly head: string
  /** Absolute path at the time of creation, for people; the chain itself stands in the qcow2 header. */
  readonly backingFile?: string
  /** Frozen layers; a tree, for a revert leaves later ones aside. */
  readonly layers?: readonly Layer[]
  /** Name of the layer that the head lies on. */
  readonly parent?: string
  /**
   * A head that was made ready to take over. Whether it has, only the daemon knows; after a crash it counts as the
   * head, for an empty one changes nothing and a used one holds the newest writes.
   */
  readonly pending?: {
    readonly name: string
    readonly userCreated: boolean
    readonly createdAt: string
    readonly head: string
  }
  /** Layers are still being copied from others: this replica must not be chosen, nor opened without them. */
  readonly joining?: boolean
  /** The last epoch this replica was opened for. */
  readonly epoch: number
  /** Random word of the export of that epoch. */
  readonly incarnation: string
  readonly cleanShutdown: boolean
}

export async function readMeta(files: Files, path: string): Promise<Result<ReplicaMeta | undefined>> {
  const text = await files.readText(path)
  if (!text.ok) return text.failure.reason === 'NotFound' ? ok(undefined) : text
  try {
    const parsed = parseJson(text.value)
    if (isObject(parsed) && parsed['formatVersion'] === 1) return ok(parsed as unknown as ReplicaMeta)
  } catch {
    // Told below: a file that is no JSON is as unusable as one of another version.
  }
  return failed({
    reason: 'ReplicaMetaUnreadable',
    message: `${path} is not a replica record of this version; restore it or delete the replica`,
    retry: 'never',
  })
}

export function writeMeta(files: Files, path: string, meta: ReplicaMeta): Promise<Result<void>> {
  return files.writeDurable(path, `${JSON.stringify(meta, null, 1)}\n`, 0o600)
}
