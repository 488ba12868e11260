// The interfaces between the agent and the rooms that prepare what a machine stands on: volumes, networks, images.
// Each room watches its own objects; the machine workflow only asks whether what it needs is there yet.
import type { Result } from '../base/result.ts'
import type { DiskBacking } from './plan/backing.ts'
import type { NicAttachment } from './plan/nic.ts'
import type { StandingDisk } from './volume/standing.ts'

/** A part of the agent that watches its own objects until the signal aborts. */
export interface RunningRoom {
  run(signal: AbortSignal): Promise<void>
}

export interface VolumeRoom extends RunningRoom {
  /**
   * How the machine reaches the Longhorn volume whose engine runs on this node; undefined as long as it is not
   * attached here. One child: a plain NBD client node; several: the quorum inside the machine's QEMU.
   */
  endpoint(volumeName: string): DiskBacking | undefined
  /** Calls back whenever an endpoint appears, changes or goes. Returns the cancel function. */
  onChange(call: (volumeName: string) => void): () => void
  /** A machine of before our restart; to be told before `run`, so that no volume is taken for unused. */
  stand(disk: StandingDisk): void
  /**
   * Starts a machine on volumes that stay as they are meanwhile. Failures: `VolumeMoved` when one of them is reached
   * otherwise by now, and those of the start.
   */
  connect<T>(connection: Connection<T>): Promise<Result<T>>
}

export interface Connection<T> {
  readonly volumes: readonly { readonly longhornVolume: string; readonly backing: DiskBacking }[]
  start(): Promise<Result<T>>
  /** What stands on the volumes once it is started. */
  disks(started: T): readonly StandingDisk[]
}

export interface NicRequest {
  readonly vmiUid: string
  readonly podNamespace: string
  readonly podName: string
  readonly podUid: string
  readonly vmiName: string
  /** Name of the interface and network in the VMI. */
  readonly name: string
  /** Index among the VMI's interfaces; 0 is the one whose address becomes the Pod's. */
  readonly index: number
  readonly binding: 'masquerade' | 'bridge' | 'other'
  /** `pod` for the default network, else the name of the NetworkAttachmentDefinition (`namespace/name`). */
  readonly network: 'pod' | { readonly multus: string }
  /** Lower case with colons; absent: the room makes one that stays the same for this VMI and interface. */
  readonly mac?: string
  /** Ports of the interface, forwarded from the host where the network is QEMU's own. */
  readonly ports: readonly {
    readonly name?: string
    readonly port: number
    readonly protocol: 'TCP' | 'UDP'
  }[]
  /** Who may open the tap device. */
  readonly user: { readonly uid: number; readonly gid: number }
}

/** The default network of this node, for its label and condition. */
export interface NetworkState {
  /** `bridge`: machines have addresses of their own. `user`: QEMU's own network, a fallback. */
  readonly kind: 'bridge' | 'user'
  readonly ready: boolean
  readonly reason: string
  /** What it is, why, and what stands in its way. */
  readonly message: string
}

export interface NetworkRoom extends RunningRoom {
  /** Absent: nothing is told of it. */
  state?(): NetworkState
  /** Idempotent: the same request gives the same answer, also after a restart of the agent. */
  attach(request: NicRequest): Promise<Result<NicAttachment>>
  /** Removes everything made for this VMI; idempotent. Addresses are released with the Pod. */
  detach(vmiUid: string): Promise<Result<void>>
  /** The VMIs for which something exists here, so that the agent can clean up after a crash. */
  attached(): Promise<readonly string[]>
}

/** Keeps backing images of this node's disks; the machine workflow needs nothing of it. */
export interface ImageRoom extends RunningRoom {}

export interface AgentRooms {
  readonly volume: VolumeRoom
  readonly network: NetworkRoom
  readonly image: ImageRoom
}
