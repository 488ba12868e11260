// Processes by identity, read from /proc: pid, start time and boot, so that a successor is never taken for the one meant.
import { readFileSync } from 'node:fs'
import type { ProcessIdentity } from '../host.ts'

export function keyOf({ pid, startTicks, bootId }: ProcessIdentity): string {
  return `${pid}/${startTicks}/${bootId}`
}

let knownBootId: string | undefined

export function bootId(): string {
  return (knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
}

/** State letter and start time of a process, from /proc/PID/stat; the name in brackets may hold anything. */
function readProcess(pid: number): { readonly state: string; readonly startTicks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', startTicks: Number(fields[19]) }
  } catch {
    return undefined
  }
}

/** Zombies count as dead. */
export function isAlive(identity: ProcessIdentity): boolean {
  const seen = readProcess(identity.pid)
  return (
    seen !== undefined &&
    seen.startTicks === identity.startTicks &&
    seen.state !== 'Z' &&
    seen.state !== 'X' &&
    bootId() === identity.bootId
  )
}

/** False when it was gone already. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false
  try {
    return process.kill(identity.pid, signal)
  } catch {
    return false
  }
}

/** Kills the process and all that it started, when it leads a group of its own. */
export function killWithGroup(identity: ProcessIdentity): void {
  if (!isAlive(identity)) return
  for (const target of [-identity.pid, identity.pid])
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // No group of that number, or gone in the meantime.
    }
}

/** Takes zombies and successors for alive, but costs a microsecond only. */
export function answersSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The identity of this very process, for lock files. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks ?? 0, bootId: bootId() }
}
