// Finds running programs by what stands on their command line, for what was started in the moment before a crash
// and whose identity nobody wrote down.
import type { Files, ProcessIdentity } from '../host/host.ts'

export interface FoundProcess {
  readonly identity: ProcessIdentity
  readonly argv: readonly string[]
}

/** All processes with an argument that contains `part`; one look through /proc. */
export async function findProcesses(files: Files, part: string): Promise<readonly FoundProcess[]> {
  const boot = await files.readText('/proc/sys/kernel/random/boot_id')
  const names = await files.list('/proc')
  if (!boot.ok || !names.ok) return []
  const found: FoundProcess[] = []
  for (const name of names.value) {
    if (!/^\d+$/.test(name)) continue
    const line = await files.readText(`/proc/${name}/cmdline`)
    if (!line.ok || !line.value.includes(part)) continue
    const stat = await files.readText(`/proc/${name}/stat`)
    if (!stat.ok) continue
    // The program's name in brackets may hold spaces and brackets itself.
    const fields = stat.value.slice(stat.value.lastIndexOf(')') + 2).split(' ')
    const identity = { pid: Number(name), startTicks: Number(fields[19]), bootId: boot.value.trim() }
    found.push({ identity, argv: line.value.split('\0') })
  }
  return found
}
