// A machine is started on volumes: from the last look at where they are until their engines know of the machine,
// nothing of them may change, or its QEMU would write where nobody expects it.
import { deepEqual } from '../../base/equality.ts'
import { failed, type Result } from '../../base/result.ts'
import type { DiskBacking } from '../plan/backing.ts'
import type { Connection } from '../ports.ts'
import type { EngineContext } from './engine.ts'
import type { StandingDisk } from './standing.ts'

export interface ConnectPorts<T> {
  readonly connection: Connection<T>
  readonly stand: (disk: StandingDisk) => void
  readonly endpoint: (volumeName: string) => DiskBacking | undefined
}

export async function connect<T>(context: EngineContext, ports: ConnectPorts<T>): Promise<Result<T>> {
  // In one order for all, so that two machines never wait for each other.
  const names = [...new Set(ports.connection.volumes.map((one) => one.longhornVolume))].sort()
  const held = (index: number): Promise<Result<T>> => {
    const name = names[index]
    if (name === undefined) return startUnmoved(context, ports)
    const engine = context.live.get(name)?.engine
    return engine ? engine.hold(() => held(index + 1)) : Promise.resolve(failed(moved(name)))
  }
  return held(0)
}

async function startUnmoved<T>(
  context: EngineContext,
  { connection, stand, endpoint }: ConnectPorts<T>,
): Promise<Result<T>> {
  for (const { longhornVolume, backing } of connection.volumes) {
    const engine = context.live.get(longhornVolume)?.engine
    const same = deepEqual(endpoint(longhornVolume), backing)
    if (!engine || engine.needsReopen || !same) return failed(moved(longhornVolume))
  }
  const started = await connection.start()
  if (started.ok) for (const disk of connection.disks(started.value)) stand(disk)
  return started
}

const moved = (name: string) => ({
  reason: 'VolumeMoved',
  message: `volume ${name} has just changed; the machine is started on it as it is now`,
  retry: 'later' as const,
})
