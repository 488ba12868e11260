// Lays out the files of a machine before its start. Its folder belongs to us and holds what must not be replaced
// (state.json, the log's name); only single files and the folder of sockets belong to the machine's user, so that a
// guest that broke out of QEMU cannot make us open something else.
import { ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import type { RunAs } from '../plan/facts.ts'
import type { MachinePlan } from '../plan/machine-plan.ts'
import type { FileStep } from '../plan/part.ts'

const QEMU_IMG_TIMEOUT_MS = 30_000

export interface PrepareInput {
  readonly folder: string
  readonly socketFolder: string
  readonly plan: MachinePlan
  readonly extraFiles: readonly FileStep[]
  readonly runAs?: RunAs
}

export async function prepareFiles(host: Host, input: PrepareInput): Promise<Result<void>> {
  const { files } = host
  const { folder, socketFolder, plan } = input
  const made = await passableFolder(host, folder)
  if (!made.ok) return made
  // Left over from an earlier attempt; a QEMU of that attempt is gone by now.
  await files.remove(socketFolder)
  const sockets = await files.makeFolder(socketFolder, 0o700)
  if (!sockets.ok) return sockets
  const owned = await own(host, socketFolder, input.runAs)
  if (!owned.ok) return owned
  if (plan.sockets.serial !== undefined) {
    const log = await touch(host, `${folder}/serial.log`, input.runAs)
    if (!log.ok) return log
  }
  for (const step of [...input.extraFiles, ...plan.files]) {
    const done = await carryOut(host, step, input.runAs)
    if (!done.ok) return done
  }
  return ok(undefined)
}

/** A folder of ours that the machines' user may pass through, whatever the umask says. */
export async function passableFolder({ files }: Host, path: string): Promise<Result<void>> {
  const made = await files.makeFolder(path, 0o711)
  return made.ok ? files.chmod(path, 0o711) : made
}

async function own(host: Host, path: string, runAs: RunAs | undefined): Promise<Result<void>> {
  return runAs ? host.files.chown(path, runAs.uid, runAs.gid) : ok(undefined)
}

async function touch(host: Host, path: string, runAs: RunAs | undefined): Promise<Result<void>> {
  const opened = await host.files.open(path, 'append', 0o600)
  if (!opened.ok) return opened
  await opened.value.close()
  return own(host, path, runAs)
}

async function carryOut(host: Host, step: FileStep, runAs: RunAs | undefined): Promise<Result<void>> {
  const { files, exec } = host
  if (step.do === 'folder') {
    const made = await files.makeFolder(step.path, step.mode)
    return made.ok ? own(host, step.path, runAs) : made
  }
  if (step.do === 'write') {
    const written = await files.writeDurable(step.path, step.content, 0o600)
    return written.ok ? own(host, step.path, runAs) : written
  }
  const path = step.do === 'copy' ? step.to : step.path
  if (step.keepExisting && (await files.stat(path)).ok) return ok(undefined)
  if (step.do === 'copy') {
    const content = await files.read(step.from)
    if (!content.ok) return content
    const written = await files.writeDurable(path, content.value, 0o600)
    return written.ok ? own(host, path, runAs) : written
  }
  // Made under another name first, so that half an image is never taken for a whole one.
  const half = `${path}.new`
  const made = await exec.run(['qemu-img', 'create', '-q', '-f', 'qcow2', half, String(step.sizeBytes)], {
    timeoutMs: QEMU_IMG_TIMEOUT_MS,
  })
  if (!made.ok) return made
  const owned = await own(host, half, runAs)
  return owned.ok ? files.rename(half, path) : owned
}
