// Storage daemons of a moment before a crash of ours: started, and not written down. None of them has served anything,
// for exports are opened only by who knows the daemon; but each holds the files of its replica.
import { Replica } from '../../kinds/longhorn/replica.ts'
import { findProcesses } from '../processes.ts'
import { daemonProcess } from './daemon.ts'
import { replicaPlace } from './layout.ts'
import type { VolumeContext } from './replica.ts'

const PROGRAM = 'qemu-storage-daemon'

/** Ends those that no replica of this host knows; to be done before any daemon is started. */
export async function endStrays(context: VolumeContext): Promise<void> {
  const { host, look, nodeName, runFolder } = context
  const found = await findProcesses(host.files, `path=${runFolder}/r/`)
  const daemons = found.filter(({ argv }) => argv[0]?.endsWith(PROGRAM))
  if (daemons.length === 0) return
  const known = await Promise.all(
    look
      .list(Replica)
      .filter((replica) => replica.spec?.nodeID === nodeName)
      .map((replica) => daemonProcess(host, replicaPlace(runFolder, replica))),
  )
  for (const { identity } of daemons) {
    const isKnown = known.some((one) => one?.pid === identity.pid && one.startTicks === identity.startTicks)
    if (isKnown) continue
    host.log.warn('a storage daemon that nobody knows is ended', { pid: identity.pid })
    await host.exec.kill(identity, 'SIGKILL')
  }
}
