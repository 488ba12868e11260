// ISO 9660 writes its numbers twice, in both byte orders.

export function both16(view: DataView, offset: number, value: number): void {
  view.setUint16(offset, value, true)
  view.setUint16(offset + 2, value, false)
}
export function both32(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value, true)
  view.setUint32(offset + 4, value, false)
}
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
