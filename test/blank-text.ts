// Blanks out comments, the insides of strings and of regular expressions, so that what is left is code. Code inside
// template placeholders stays. Length and line ends stay, so that positions are those of the source.

/** After one of these a slash starts a regular expression, after anything else it divides. */
const BEFORE_REGEX =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|yield|await|void|delete))\s*$/

export function blankText(source: string): string {
  let code = ''
  /** One entry for each template literal that is open; how many braces are open in its placeholder. */
  const templates: number[] = []
  let at = 0
  const copy = (length: number): void => {
    code += source.slice(at, at + length)
    at += length
  }
  const blankTo = (end: number): void => {
    code += source.slice(at, end).replace(/[^\n]/g, ' ')
    at = end
  }
  while (at < source.length) {
    const [char, pair] = [source[at] ?? '', source.slice(at, at + 2)]
    if (pair === '//') blankTo(endOr(source.indexOf('\n', at), source))
    else if (pair === '/*') blankTo(endOr(source.indexOf('*/', at + 2) + 2, source))
    else if (char === "'" || char === '"') {
      copy(1)
      blankTo(stringEnd(source, at, char))
      copy(1)
    } else if (char === '`' || (char === '}' && templates.at(-1) === 0)) {
      if (char === '}') templates.pop()
      copy(1)
      blankTo(templateEnd(source, at))
      if (source[at] === '$') templates.push(0)
      copy(source[at] === '$' ? 2 : 1)
    } else if (char === '/' && BEFORE_REGEX.test(code.slice(-20))) {
      copy(1)
      blankTo(regexEnd(source, at))
      copy(1)
    } else {
      const depth = templates.length - 1
      if (char === '{' && depth >= 0) templates[depth]! += 1
      if (char === '}' && depth >= 0) templates[depth]! -= 1
      copy(1)
    }
  }
  return code
}

function endOr(found: number, source: string): number {
  return found <= 1 ? source.length : found
}

function stringEnd(source: string, start: number, quote: string): number {
  let at = start
  while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1
  return at
}

function templateEnd(source: string, start: number): number {
  let at = start
  while (at < source.length && source[at] !== '`' && source.slice(at, at + 2) !== '${')
    at += source[at] === '\\' ? 2 : 1
  return at
}

function regexEnd(source: string, start: number): number {
  let [at, inClass] = [start, false]
  while (at < source.length && source[at] !== '\n' && (inClass || source[at] !== '/')) {
    if (source[at] === '[') inClass = true
    else if (source[at] === ']') inClass = false
    at += source[at] === '\\' ? 2 : 1
  }
  return at
}
