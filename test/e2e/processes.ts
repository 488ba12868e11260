// Processes that belong to one test, found by its folder on their command line and ended by exact identity: other
// tests' and other people's QEMUs run on the same machine.
import { readdirSync, readFileSync } from 'node:fs'

export interface TestProcess {
  readonly pid: number
  /** Clock ticks since boot; with the pid it names one process for ever. */
  readonly startTicks: string
  readonly argv: readonly string[]
}

function look(pid: number): TestProcess | undefined {
  try {
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie has ended; only its parent has not asked yet.
    if (fields[0] === 'Z') return undefined
    return { pid, startTicks: fields[19] ?? '', argv }
  } catch {
    return undefined
  }
}

/** Every process with an argument that names something below the folder. */
export function processesOf(folder: string): readonly TestProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => look(Number(name)) ?? [])
    .filter(({ argv }) => argv.some((word) => word.includes(`${folder}/`)))
}

export function isSame(one: TestProcess): boolean {
  return look(one.pid)?.startTicks === one.startTicks
}

/** SIGKILL to exactly this process; false when it is gone already. */
export function killExactly(one: TestProcess): boolean {
  if (!isSame(one)) return false
  try {
    process.kill(one.pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

export const isQemu = ({ argv }: TestProcess): boolean =>
  (argv[0] ?? '').includes('qemu-system-') && argv.some((word) => word.startsWith('-qmp') || word === '-name')

export const isStorageDaemon = ({ argv }: TestProcess): boolean =>
  (argv[0] ?? '').endsWith('qemu-storage-daemon')
