// Reads a public key of ssh from a file, and refuses what must stay with its owner.
import { failedError, usageError } from './cli-error.ts'
import type { World } from './command.ts'
import { absolute } from './connect.ts'

/** A public key is one line; more is another file. Characters. */
const KEY_MAX = 16 * 1024

export async function readPublicKey({ host, terminal }: World, file: string): Promise<string> {
  const home = terminal.env('HOME') ?? '/root'
  const path = absolute(file.replace(/^~(?=\/)/, home), terminal.folder)
  const text = await host.files.readText(path)
  if (!text.ok) throw failedError('The public key cannot be read.', text.failure)
  const key = text.value.trim()
  if (key.includes('PRIVATE KEY'))
    throw usageError(`${file} is a private key; it stays with you.`, `Try ${file}.pub`)
  if (key.length > KEY_MAX || !/^(ssh-|ecdsa-|sk-)\S+ \S+/.test(key))
    throw usageError(`${file} is no public key of ssh.`)
  return key
}
