// What must hold at every instant of a simulation, whatever fails. A broken rule ends the run at once.
import type { ApiCall } from '../base/call.ts'
import type { KubeObject } from '../base/object.ts'
import type { StoreDisk } from './store-disk.ts'
import type { World } from './world.ts'

interface Acknowledged {
  readonly version: number
  readonly path: string
}

export class Problems {
  readonly found: string[] = []
  readonly #world: World
  readonly #disk: StoreDisk
  readonly #acknowledged = new Map<string, Acknowledged>()
  /** Running QEMUs by the machine they are a run of. */
  readonly #machines = new Map<string, Set<string>>()

  constructor(world: World, disk: StoreDisk) {
    this.#world = world
    this.#disk = disk
  }

  add(problem: string): void {
    this.#world.note('PROBLEM', problem)
    this.found.push(`at ${this.#world.nowMs} ms: ${problem}`)
  }

  /** Nothing acknowledged is lost: the answer came, so the write is on the disk. */
  acknowledged(call: ApiCall, object: KubeObject, version: number): void {
    if (version > this.#disk.durable) {
      this.add(
        `${call.verb} of ${call.resource} was acknowledged at ${version}, the disk holds ${this.#disk.durable}`,
      )
    }
    const path = storePath(call, object)
    if (path !== undefined && version > 0) this.#acknowledged.set(path, { version, path })
  }

  /** After a restart the disk must hold every acknowledged object, or its later deletion. */
  checkAcknowledged(): void {
    for (const { version, path } of this.#acknowledged.values()) {
      const latest = this.#disk.latest.get(path)
      if (latest === undefined || latest.revision < version) {
        this.add(`${path} was acknowledged at ${version}, the disk holds ${latest?.revision ?? 'nothing'}`)
      }
    }
  }

  /** One QEMU a machine: two would write to one disk. */
  qemuStarted(machine: string, qemu: string): void {
    const running = this.#machines.get(machine) ?? new Set()
    running.add(qemu)
    this.#machines.set(machine, running)
    if (running.size > 1) this.add(`${machine} runs ${running.size} times: ${[...running].join(' and ')}`)
  }

  qemuEnded(machine: string, qemu: string): void {
    const running = this.#machines.get(machine)
    running?.delete(qemu)
    if (running?.size === 0) this.#machines.delete(machine)
  }

  running(machine: string): number {
    return this.#machines.get(machine)?.size ?? 0
  }
}

function storePath(call: ApiCall, object: KubeObject): string | undefined {
  const name = call.name ?? object.metadata?.name
  // Deletions answer the last state, posts to subresources another kind of object.
  if (name === undefined || call.verb === 'delete' || call.verb === 'deletecollection') return undefined
  if (call.verb === 'create' && call.subresource !== undefined) return undefined
  const group = call.group === '' ? 'core' : call.group
  const space = call.namespace === undefined ? '' : `${call.namespace}/`
  return `/registry/${group}/${call.resource}/${space}${name}`
}
