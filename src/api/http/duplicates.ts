// Finds keys that stand twice in one object of a JSON text, which JSON.parse silently forgets. One pass over the
// text, no allocation per value.

const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const COLON = 58
const COMMA = 44

interface Level {
  /** Undefined in a list. */
  readonly keys: Set<string> | undefined
  key: string
  index: number
}

/** Paths of the doubled keys, for instance `spec.volumes` or `spec.disks[0].name`. The text must be valid JSON. */
export function duplicateKeys(text: string): readonly string[] {
  const found: string[] = []
  const levels: Level[] = []
  let lastString = ''
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      const level = levels.at(-1)
      if (level?.keys) lastString = text.slice(at + 1, end)
      at = end
    } else if (code === COLON) {
      const level = levels.at(-1)
      if (level?.keys) {
        level.key = lastString.includes('\\') ? (JSON.parse(`"${lastString}"`) as string) : lastString
        if (level.keys.has(level.key)) found.push(pathOf(levels))
        else level.keys.add(level.key)
      }
    } else if (code === OPEN_BRACE) levels.push({ keys: new Set(), key: '', index: 0 })
    else if (code === OPEN_BRACKET) levels.push({ keys: undefined, key: '', index: 0 })
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) levels.pop()
    else if (code === COMMA) {
      const level = levels.at(-1)
      if (level && !level.keys) level.index += 1
    }
  }
  return found
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const end = text.indexOf('"', at)
    if (end < 0) return text.length
    let slashes = 0
    for (let back = end - 1; text.charCodeAt(back) === BACKSLASH; back -= 1) slashes += 1
    if (slashes % 2 === 0) return end
    at = end
  }
}

function pathOf(levels: readonly Level[]): string {
  let path = ''
  for (const level of levels)
    path += level.keys ? `${path === '' ? '' : '.'}${level.key}` : `[${level.index}]`
  return path
}
