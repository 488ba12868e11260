// What the agent is made from, and what its parts share.
import type { Client } from '../client/client.ts'
import type { Informers } from '../client/informer.ts'
import type { Host } from '../host/host.ts'
import type { EventRecorder } from '../loop/events.ts'
import type { AgentRooms } from './ports.ts'
import type { StartGate } from './start-gate.ts'

export interface AgentOptions {
  readonly host: Host
  readonly client: Client
  /** The agent's own caches; it starts what it needs. */
  readonly informers: Informers
  readonly recorder: EventRecorder
  readonly nodeName: string
  /** Address under which others reach this node. */
  readonly nodeIp: string
  /** `--data`; machines, disks and caches lie below it. */
  readonly dataFolder: string
  /** Short folder for sockets when the data folder's path is too long, for instance /run/croft-<hash>. */
  readonly runFolder: string
  readonly rooms: AgentRooms
  /** Shared by the rooms that start programs. */
  readonly starts: StartGate
  /** Port at the node's address where other agents and servers ask this one; absent: nobody can. */
  readonly linkPort?: number
  /** Shown as the node's kubelet version. */
  readonly version: string
}

export interface MachineFolders {
  readonly folder: string
  readonly sockets: string
  /** Survives single runs: belongs to the VirtualMachine, or to the instance where there is none. */
  readonly state: string
}
