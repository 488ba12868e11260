// Patterns in schemas are RE2, unanchored. JavaScript's `u` expressions accept the same language for what schemas
// use; what RE2 has and JavaScript writes otherwise is translated, what only JavaScript has is refused.

const cache = new Map<string, RegExp | string>()
/** Patterns come from schemas, which are few; a user's CRDs could still bring many. */
const CACHE_MAX = 2000

/** The expression, or the reason why the pattern is none. */
export function compilePattern(pattern: string): RegExp | string {
  let known = cache.get(pattern)
  if (known === undefined) {
    known = translate(pattern)
    if (cache.size >= CACHE_MAX) cache.clear()
    cache.set(pattern, known)
  }
  return known
}

function translate(pattern: string): RegExp | string {
  if (/(^|[^\\])(\\\\)*\(\?(=|!|<=|<!)/.test(pattern)) {
    return 'error parsing regexp: invalid or unsupported Perl syntax'
  }
  if (/(^|[^\\])(\\\\)*\\[1-9]/.test(pattern)) return 'error parsing regexp: invalid escape sequence'
  if (/^[+*?]/.test(pattern)) {
    return `error parsing regexp: missing argument to repetition operator: \`${pattern[0] ?? ''}\``
  }
  let flags = 'u'
  let body = pattern
  const inline = /^\(\?([imsU]+)\)/.exec(body)
  if (inline?.[1] !== undefined) {
    body = body.slice(inline[0].length)
    for (const flag of inline[1]) if (flag !== 'U' && !flags.includes(flag)) flags += flag
  }
  body = body
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replace(/\[\[:(\^?)(\w+):\]\]/g, (_all, negated: string, name: string) =>
      POSIX[name] === undefined ? '[]' : `[${negated}${POSIX[name]}]`,
    )
    .replace(/\[:(\w+):\]/g, (_all, name: string) => POSIX[name] ?? '')
  try {
    return new RegExp(body, flags)
  } catch {
    // RE2 takes escapes of plain characters and lone braces, which the strict `u` syntax does not.
    try {
      return new RegExp(body, flags.replace('u', ''))
    } catch (error) {
      return `error parsing regexp: ${error instanceof Error ? error.message : String(error)}`
    }
  }
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  space: '\\t\\n\\v\\f\\r ',
  xdigit: '0-9A-Fa-f',
  word: '0-9A-Za-z_',
}
