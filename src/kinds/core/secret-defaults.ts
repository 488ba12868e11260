// stringData is only for writing: its texts become data.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import type { Mutator } from '../kind.ts'
import type { secretBody } from './data-bodies.ts'

export type SecretObject = KubeObject & Infer<typeof secretBody>

export const moveStringData: Mutator = (next) => {
  const { stringData, ...secret } = next as SecretObject
  if (!stringData) return next
  const encoded = Object.entries(stringData).map(([key, text]) => [key, toBase64(text)])
  return { ...secret, data: { ...secret.data, ...Object.fromEntries(encoded) } } as KubeObject
}

/** Base64 of a text's UTF-8 bytes. */
export function toBase64(text: string): string {
  let bytes = ''
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}
