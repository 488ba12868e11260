// A guest of 512 bytes: its firmware loads it, it counts the boots of its disk, tells the count on the serial port and
// then stands still or switches the machine off. It starts in a second where a real guest needs ten.

const COUNT_ADDRESS = 0x7e00
const SERIAL_PORT = 0x3f8
/** PM1a control register of QEMU's q35; writing sleep type 0 with the enable bit switches off. */
const POWER_PORT = 0x604
const POWER_OFF = 0x2000
const DISK_BYTES = 1024 * 1024

const word = (value: number): readonly [number, number] => [value & 0xff, (value >> 8) & 0xff]

/** int 13h on sector 2 of the boot disk, to or from COUNT_ADDRESS. */
function sector2(service: number): readonly number[] {
  // mov ax, service<<8 | 1; mov cx, 2; mov dh, 0; mov bx, address; int 13h
  return [0xb8, 0x01, service, 0xb9, ...word(2), 0xb6, 0x00, 0xbb, ...word(COUNT_ADDRESS), 0xcd, 0x13]
}

function switchOff(afterMs: number): readonly number[] {
  const microseconds = afterMs * 1000
  const wait = [
    0xb4,
    0x86,
    0xb9,
    ...word(microseconds >> 16),
    0xba,
    ...word(microseconds & 0xffff),
    0xcd,
    0x15,
  ]
  // mov dx, port; mov ax, value; out dx, ax
  return [...wait, 0xba, ...word(POWER_PORT), 0xb8, ...word(POWER_OFF), 0xef]
}

/** A raw disk. Its guest says `=A` at its first boot, `=B` at its second. */
export function bootSectorDisk(options: { readonly powerOffAfterMs?: number } = {}): Uint8Array {
  const code = [
    ...[0x31, 0xc0, 0x8e, 0xd8, 0x8e, 0xc0], // xor ax, ax; mov ds, ax; mov es, ax
    ...sector2(2),
    ...[0xfe, 0x06, ...word(COUNT_ADDRESS)], // inc byte [count]
    ...sector2(3),
    ...[0xba, ...word(SERIAL_PORT), 0xb0, 0x3d, 0xee], // mov dx, serial; mov al, '='; out dx, al
    ...[0xa0, ...word(COUNT_ADDRESS), 0x04, 0x40, 0xee], // mov al, [count]; add al, 'A' - 1; out dx, al
    ...[0xb0, 0x0a, 0xee], // a line feed
    ...(options.powerOffAfterMs === undefined ? [] : switchOff(options.powerOffAfterMs)),
    ...[0xf4, 0xeb, 0xfd], // hlt; jmp back
  ]
  const disk = new Uint8Array(DISK_BYTES)
  disk.set(code)
  disk.set([0x55, 0xaa], 510)
  return disk
}

/** How often the disk was booted, told by what its guest said last. */
export function bootsTold(serialLog: string): number {
  const letters = [...serialLog.matchAll(/=([A-Z])/g)]
  return (letters.at(-1)?.[1]?.charCodeAt(0) ?? 64) - 64
}
