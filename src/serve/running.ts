// The note that a running server leaves in its data folder: which process it is and where it answers, so that
// `up`, `down` and `demo` find it. It is believed only while exactly that process lives.
import { isObject, parseJson } from '../base/json.ts'
import type { Result } from '../base/result.ts'
import type { Files, Host, ProcessIdentity } from '../host/host.ts'

export interface Running {
  readonly process: ProcessIdentity
  /** For instance `https://127.0.0.1:6443`. */
  readonly url: string
  readonly version: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Of a host that joined: its node. `url` is that of the server it belongs to. */
  readonly node?: { readonly name: string; readonly ready: boolean }
}

function notePath(dataFolder: string): string {
  return `${dataFolder}/croft.json`
}

export function writeRunning(files: Files, dataFolder: string, running: Running): Promise<Result<void>> {
  return files.writeDurable(notePath(dataFolder), `${JSON.stringify(running)}\n`, 0o644)
}

export async function forgetRunning(files: Files, dataFolder: string): Promise<void> {
  await files.remove(notePath(dataFolder))
}

/** The server of this data folder, if one runs. */
export async function findRunning({ files, exec }: Host, dataFolder: string): Promise<Running | undefined> {
  const text = await files.readText(notePath(dataFolder))
  if (!text.ok) return undefined
  let note: unknown
  try {
    note = parseJson(text.value)
  } catch {
    return undefined
  }
  if (!isObject(note) || !isObject(note['process']) || typeof note['url'] !== 'string') return undefined
  const running = note as unknown as Running
  return (await exec.isAlive(running.process)) ? running : undefined
}
