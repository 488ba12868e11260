// The password of the first user between the start that made it and the person who reads it: a file for root alone
// beside the keys, never the log. It is gone once the password was changed.
import type { Client } from '../client/client.ts'
import type { Files } from '../host/host.ts'
import { Secret } from '../kinds/core/secret.ts'

const SECRET_NAME = 'croft-user-admin'
const SECRET_NAMESPACE = 'kube-system'

function passwordPath(dataFolder: string): string {
  return `${dataFolder}/pki/first-password`
}

export async function keepFirstPassword(files: Files, dataFolder: string, password: string): Promise<void> {
  await files.writeDurable(passwordPath(dataFolder), `${password}\n`, 0o600)
}

/** Undefined once it was changed, and for everybody who may not read the folder of the keys. */
export async function firstPassword(files: Files, dataFolder: string): Promise<string | undefined> {
  const text = await files.readText(passwordPath(dataFolder))
  return text.ok ? text.value.trim() : undefined
}

export async function forgetChangedPassword(files: Files, client: Client, dataFolder: string): Promise<void> {
  if ((await firstPassword(files, dataFolder)) === undefined) return
  const list = await client.list(Secret, {
    namespace: SECRET_NAMESPACE,
    fieldSelector: `metadata.name=${SECRET_NAME}`,
  })
  const data = list.items[0]?.data?.['mustChangePassword']
  if (data !== undefined && atob(String(data)) === 'true') return
  await files.remove(passwordPath(dataFolder))
}
