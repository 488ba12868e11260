// Which ports of the host a machine on QEMU's own network got: kept, so that they are the same after our restart.
import { isObject, parseJson } from '../../base/json.ts'
import type { Result } from '../../base/result.ts'
import type { Files } from '../../host/host.ts'
import type { HostForward } from '../plan/nic.ts'

export interface UserRecord {
  readonly version: 1
  readonly vmiUid: string
  /** By the name of the interface. */
  readonly forwards: Readonly<Record<string, readonly HostForward[]>>
}

const folderOf = (folder: string): string => `${folder}/user`
const pathOf = (folder: string, vmiUid: string): string => `${folderOf(folder)}/${vmiUid}.json`

export async function readUserRecord(
  files: Files,
  folder: string,
  vmiUid: string,
): Promise<UserRecord | undefined> {
  const text = await files.readText(pathOf(folder, vmiUid))
  try {
    const value = text.ok ? parseJson(text.value) : undefined
    return isObject(value) && value['version'] === 1 ? (value as unknown as UserRecord) : undefined
  } catch {
    return undefined
  }
}

export async function writeUserRecord(
  files: Files,
  folder: string,
  record: UserRecord,
): Promise<Result<void>> {
  const made = await files.makeFolder(folderOf(folder), 0o700)
  return made.ok ? files.writeDurable(pathOf(folder, record.vmiUid), JSON.stringify(record), 0o600) : made
}

export function removeUserRecord(files: Files, folder: string, vmiUid: string): Promise<Result<void>> {
  return files.remove(pathOf(folder, vmiUid))
}

/** Uids of all that have one. */
export async function userRecords(files: Files, folder: string): Promise<readonly string[]> {
  const listed = await files.list(folderOf(folder))
  const names = listed.ok ? listed.value : []
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length))
}
