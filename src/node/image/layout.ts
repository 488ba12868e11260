// Where backing images lie on a disk of this node; the folder names are Longhorn's.
import { sha256Hex } from '../../base/sha256.ts'

/** The normalised image: qcow2, no backing file, read only. */
export const BACKING_FILE = 'backing'

/** `<disk>/backing-images/<name>-<8 hex of the object's uid>`. */
export function backingImageFolder(diskPath: string, name: string, uid: string): string {
  return `${diskPath}/backing-images/${name}-${sha256Hex(uid).slice(0, 8)}`
}

export function backingImagePath(diskPath: string, name: string, uid: string): string {
  return `${backingImageFolder(diskPath, name, uid)}/${BACKING_FILE}`
}
