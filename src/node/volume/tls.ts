// TLS of the connections between hosts: QEMU's objects that hold the node's certificates, made where they are needed.
import { ok, type Result } from '../../base/result.ts'
import type { NbdChild } from '../plan/backing.ts'
import { TLS_CLIENT } from '../plan/disk-node.ts'

export { TLS_CLIENT }

type Execute = (command: string, args: Readonly<Record<string, unknown>>) => Promise<Result<unknown>>

/** The words of a program of QEMU's that connects to this child. */
export function tlsArgv({ server }: NbdChild): readonly string[] {
  if (!('tlsFolder' in server) || server.tlsFolder === undefined) return []
  return [
    '--object',
    `tls-creds-x509,id=${TLS_CLIENT},endpoint=client,dir=${server.tlsFolder},verify-peer=on`,
  ]
}

/** Makes the object that connections to these children need; one that is there already is no failure. */
export async function ensureTls(execute: Execute, children: readonly NbdChild[]): Promise<Result<void>> {
  const folders = children.flatMap(({ server }) =>
    'tlsFolder' in server && server.tlsFolder !== undefined ? [server.tlsFolder] : [],
  )
  const [dir] = folders
  if (dir === undefined) return ok(undefined)
  const made = await execute('object-add', {
    'qom-type': 'tls-creds-x509',
    id: TLS_CLIENT,
    endpoint: 'client',
    dir,
    'verify-peer': true,
  })
  return made.ok || /duplicate|already|exists/i.test(made.failure.message) ? ok(undefined) : made
}
