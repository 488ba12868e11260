// Where the parts of a replica lie: its data on the disk, its sockets in a short folder of the run directory.

import { assert } from '../../base/assert.ts'
import { shortHash } from '../../base/derived-name.ts'
import { SOCKET_PATH_MAX } from '../../base/limits.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'

export const HEAD_FILE = 'volume-head-000.qcow2'

export interface ReplicaPlace {
  readonly folder: string
  readonly head: string
  readonly meta: string
  /** Identity of the running daemon. */
  readonly daemon: string
  readonly log: string
  readonly socketFolder: string
  readonly qmpSocket: string
  readonly nbdSocket: string
}

/** `runFolder` is short enough for sockets below it (base/limits.ts). */
export function replicaPlace(runFolder: string, replica: Replica): ReplicaPlace {
  const folder = `${replica.spec?.diskPath}/replicas/${replica.spec?.dataDirectoryName}`
  const socketFolder = `${runFolder}/r/${shortHash(replica.metadata.uid!, 10)}`
  const nbdSocket = `${socketFolder}/nbd.sock`
  assert(nbdSocket.length <= SOCKET_PATH_MAX, `socket path is too long: ${nbdSocket}`)
  return {
    folder,
    head: `${folder}/${HEAD_FILE}`,
    meta: `${folder}/volume.meta`,
    daemon: `${folder}/daemon.json`,
    log: `${folder}/daemon.log`,
    socketFolder,
    qmpSocket: `${socketFolder}/qmp.sock`,
    nbdSocket,
  }
}
