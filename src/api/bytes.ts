// Looking into stored bytes without making text of them: scans over all objects would otherwise cost a copy of each.

/** Looks for one text in many values; the text is made into bytes once. */
export function textFinder(text: string): (bytes: Uint8Array) => boolean {
  const wanted = Buffer.from(text)
  return (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(wanted)
}

/** Whether the text stands somewhere in the UTF-8 bytes. */
export function includesText(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(text)
}
