// The order of keys: bytewise by their UTF-8 form, as every store on disk has it.

/** UTF-16 order and UTF-8 order differ only where a code unit of this range takes part. */
const HIGH = /[\uD800-\uFFFF]/

/** Negative, zero or positive, like the UTF-8 bytes of both compare. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0
  const plain = comparePlainKeys(a, b)
  return isHighKey(a) && isHighKey(b) ? compareHigh(a, b, plain) : plain
}

/** The same while at most one of both has characters of the high range; ten times as fast. */
export function comparePlainKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function isHighKey(key: string): boolean {
  return HIGH.test(key)
}

/** Surrogates (characters beyond U+FFFF) come after the rest of the basic plane in UTF-8, before it in UTF-16. */
function compareHigh(a: string, b: string, plain: number): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)]
    if (left !== right) return weight(left) - weight(right)
  }
  return plain
}

function weight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
