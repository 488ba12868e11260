// The node's certificate once more, laid out as QEMU's tls-creds-x509 wants a folder, and readable by the user that
// QEMU and the storage daemons run as. Written anew whenever the certificate is.
import { ok, type Result } from '../base/result.ts'
import type { Host } from '../host/host.ts'
import type { KeyPairPem } from './pki.ts'

export interface QemuFolderWish {
  readonly host: Host
  /** `<data>/pki`. */
  readonly pki: string
  readonly caPem: string
  readonly node: KeyPairPem
  /** Root where left out. */
  readonly owner?: { readonly uid: number; readonly gid: number }
}

export function qemuFolder(pki: string): string {
  return `${pki}/qemu`
}

export async function writeQemuFolder({
  host,
  pki,
  caPem,
  node,
  owner,
}: QemuFolderWish): Promise<Result<void>> {
  const folder = qemuFolder(pki)
  const { files } = host
  for (const path of [pki, folder]) {
    const made = await files.makeFolder(path, 0o711)
    if (!made.ok) return made
  }
  // Keys are guarded by their own modes; QEMU's user has to pass through.
  const opened = await files.chmod(pki, 0o711)
  if (!opened.ok) return opened
  for (const [name, text] of [
    ['ca-cert.pem', caPem],
    ['server-key.pem', node.keyPem],
    ['server-cert.pem', node.certificatePem],
    ['client-key.pem', node.keyPem],
    ['client-cert.pem', node.certificatePem],
  ] as const) {
    const path = `${folder}/${name}`
    const present = await files.readText(path)
    if (!(present.ok && present.value === text)) {
      const written = await files.writeDurable(path, text, 0o400)
      if (!written.ok) return written
    }
    const given = owner ? await files.chown(path, owner.uid, owner.gid) : ok(undefined)
    if (!given.ok) return given
  }
  return ok(undefined)
}
