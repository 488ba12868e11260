// What the agent of a node offers to the doors of the API (streams and actions on a running guest), as shapes only,
// so that gate/ needs nothing of node/. In one process main.ts hands the local agent over; between hosts the same
// interface travels over the agent's own port.
import type { Result } from './result.ts'

/** A byte stream in both directions; the same shape as ByteStream of host/host.ts. */
export interface AgentStream {
  readonly readable: AsyncIterable<Uint8Array>
  /** Resolves when the bytes are accepted below (back pressure). Rejects once the stream is closed. */
  write(bytes: Uint8Array): Promise<void>
  close(): void
  readonly closed: Promise<void>
}

/** The machine that is meant: names for people, `uid` (of the VirtualMachineInstance) as identity. */
export interface MachineRef {
  readonly namespace: string
  readonly name: string
  /** Uid of the VirtualMachineInstance. */
  readonly uid: string
}

/**
 * `serial`: the console, first a replay of what it said lately, then live; what is written goes to the guest.
 * `vnc`: the RFB stream. `port`: TCP to a port of the guest. `agent-log`: the serial log as text, read only.
 */
export interface AgentTarget extends MachineRef {
  readonly type: 'serial' | 'vnc' | 'agent-log' | 'port'
  /** For `port`: TCP port inside the guest. */
  readonly port?: number
  /** For `agent-log`: stay and deliver what comes. */
  readonly follow?: boolean
  /** For `agent-log`: only that many lines from the end. */
  readonly tailLines?: number
  /** For `serial`: leave the replay out. */
  readonly noReplay?: boolean
}

export interface AgentDial {
  /**
   * Failures: `MachineNotRunning`, `NoSerialConsole`, `NoGraphicsDevice`, `NoInterface`, `PortUnreachable`,
   * `NodeUnknown`.
   */
  open(nodeName: string, target: AgentTarget): Promise<Result<AgentStream>>
}

export interface GuestOsInfo {
  readonly guestAgentVersion?: string
  readonly hostname?: string
  readonly timezone?: string
  readonly os: Readonly<Record<string, string>>
  readonly supportedCommands: readonly string[]
  readonly fsFreezeStatus?: string
}
export interface GuestUser {
  readonly userName: string
  readonly domain?: string
  /** Seconds since 1970, with fraction. */
  readonly loginTime?: number
}
export interface GuestFileSystem {
  readonly diskName: string
  readonly mountPoint: string
  readonly fileSystemType: string
  readonly usedBytes: number
  readonly totalBytes: number
}

/**
 * Actions on a running guest. Failures carry these reasons, which gate/ turns into answers:
 * `MachineNotRunning`, `AlreadyPaused`, `NotPaused`, `AgentNotConnected`, `AgentNorAcpi`, `QmpFailed`, `NodeUnknown`.
 */
export interface AgentActions {
  pause(nodeName: string, machine: MachineRef): Promise<Result<void>>
  unpause(nodeName: string, machine: MachineRef): Promise<Result<void>>
  reset(nodeName: string, machine: MachineRef): Promise<Result<void>>
  softReboot(nodeName: string, machine: MachineRef): Promise<Result<void>>
  /** Thaws by itself after `unfreezeTimeoutMs`; 0 means never. */
  freeze(nodeName: string, machine: MachineRef, unfreezeTimeoutMs: number): Promise<Result<void>>
  unfreeze(nodeName: string, machine: MachineRef): Promise<Result<void>>
  guestOsInfo(nodeName: string, machine: MachineRef): Promise<Result<GuestOsInfo>>
  userList(nodeName: string, machine: MachineRef): Promise<Result<readonly GuestUser[]>>
  filesystemList(nodeName: string, machine: MachineRef): Promise<Result<readonly GuestFileSystem[]>>
  /** A PNG picture of the screen. */
  screenshot(nodeName: string, machine: MachineRef): Promise<Result<Uint8Array>>
  /** Takes the medium out of a CD-ROM drive; `disk` is the name in spec.domain.devices.disks. */
  eject(nodeName: string, machine: MachineRef, disk: string): Promise<Result<void>>
}

/** An image file on its way to the node whose disk waits for it. */
export interface UploadRequest {
  readonly nodeName: string
  /** Name of the Longhorn BackingImage in longhorn-system. */
  readonly backingImage: string
  /** Size that the sender promised, where it did. Bytes. */
  readonly sizeBytes?: number
  readonly body: AsyncIterable<Uint8Array>
}

export interface AgentUploads {
  /**
   * Resolves when the image is stored, checked and ready. Failures: `ImageUnknown`, `ImageNotWaiting`, `NoSpace`,
   * `UploadBroken`, `UploadShort`, `ChecksumMismatch` and those of recognition, with words for the sender.
   */
  receive(request: UploadRequest): Promise<Result<void>>
}
