// What the default network remembers of each attached interface, one small file each: the wanted state, from which
// everything on the host can be made anew after a restart of Croft or of the host.
import { shortHash } from '../../base/derived-name.ts'
import { isObject, parseJson } from '../../base/json.ts'
import { ok, type Result } from '../../base/result.ts'
import type { Files } from '../../host/host.ts'

export interface AttachedNic {
  readonly version: 1
  readonly vmiUid: string
  readonly vmiName: string
  readonly namespace: string
  readonly podName: string
  readonly podUid: string
  /** Interface of the VMI. */
  readonly name: string
  readonly tap: string
  readonly mac: string
  readonly ip: string
  /** Who may open the tap. */
  readonly uid: number
  /** When it was first attached. Milliseconds since 1970. */
  readonly since: number
}

/** At most 15 characters (IFNAMSIZ less its end); the same for this machine and interface. */
export function tapName(vmiUid: string, nic: string): string {
  return `vmtap${shortHash(`${vmiUid}/${nic}`, 10)}`
}

function pathOf(folder: string, tap: string): string {
  return `${folder}/nics/${tap}.json`
}

export async function readNics(files: Files, folder: string): Promise<Result<readonly AttachedNic[]>> {
  const made = await files.makeFolder(`${folder}/nics`, 0o700)
  if (!made.ok) return made
  const listed = await files.list(`${folder}/nics`)
  if (!listed.ok) return listed
  const nics: AttachedNic[] = []
  for (const name of listed.value.filter((one) => /^vmtap\w+\.json$/.test(one))) {
    const text = await files.readText(`${folder}/nics/${name}`)
    const nic = text.ok ? parsed(text.value) : undefined
    if (nic) nics.push(nic)
  }
  return ok(nics.sort((a, b) => (a.tap < b.tap ? -1 : 1)))
}

function parsed(text: string): AttachedNic | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) && value['version'] === 1 ? (value as unknown as AttachedNic) : undefined
  } catch {
    // A damaged record is as good as none: its machine attaches anew, or its tap is swept.
    return undefined
  }
}

export function writeNic(files: Files, folder: string, nic: AttachedNic): Promise<Result<void>> {
  return files.writeDurable(pathOf(folder, nic.tap), JSON.stringify(nic), 0o600)
}

export function removeNic(files: Files, folder: string, tap: string): Promise<Result<void>> {
  return files.remove(pathOf(folder, tap))
}
