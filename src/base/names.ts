// The names Kubernetes allows, each with the words in which it says no. Every check gives the list of what is wrong;
// an empty list means that the name is good.

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`
const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?'
const WILDCARD_SUBDOMAIN = `\\*\\.${DNS_SUBDOMAIN}`
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${QUALIFIED_NAME})?`
const C_IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*'
const ENVIRONMENT_NAME = '[-._a-zA-Z][-._a-zA-Z0-9]*'
const HTTP_HEADER = '[-A-Za-z0-9]+'
const CONFIG_KEY = '[-._a-zA-Z0-9]+'
const PERCENT = '[0-9]+%'

const LABEL_MAX = 63
const SUBDOMAIN_MAX = 253
const PORT_NAME_MAX = 15

interface Rule {
  readonly pattern: RegExp
  readonly text: string
}

function rule(source: string, words: string, examples: readonly string[]): Rule {
  return { pattern: new RegExp(`^(?:${source})$`), text: regexText(words, source, examples) }
}

/** The sentence form of Kubernetes for "does not match", with its double space between examples. */
function regexText(words: string, source: string, examples: readonly string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(' or ')
  return `${words} (e.g. ${quoted}regex used for validation is '${source}')`
}

const rules = {
  label: rule(
    DNS_LABEL,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    ['my-name', '123-abc'],
  ),
  subdomain: rule(
    DNS_SUBDOMAIN,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ['example.com'],
  ),
  label1035: rule(
    DNS_1035_LABEL,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    ['my-name', 'abc-123'],
  ),
  wildcard: rule(
    WILDCARD_SUBDOMAIN,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    ['*.example.com'],
  ),
  qualified: rule(
    QUALIFIED_NAME,
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ['MyName', 'my.name', '123-abc'],
  ),
  labelValue: rule(
    LABEL_VALUE,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ['MyValue', 'my_value', '12345'],
  ),
  identifier: rule(
    C_IDENTIFIER,
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
    ['my_name', 'MY_NAME', 'MyName'],
  ),
  environment: rule(
    ENVIRONMENT_NAME,
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
    ['my.env-name', 'MY_ENV.NAME', 'MyEnvName1'],
  ),
  header: rule(HTTP_HEADER, "a valid HTTP header must consist of alphanumeric characters or '-'", [
    'X-Header-Name',
  ]),
  configKey: rule(CONFIG_KEY, "a valid config key must consist of alphanumeric characters, '-', '_' or '.'", [
    'key.name',
    'KEY_NAME',
    'key-name',
  ]),
  percent: rule(PERCENT, "a valid percent string must be a numeric string followed by an ending '%'", [
    '1%',
    '93%',
  ]),
} as const

const GOOD: readonly string[] = []

function tooLong(unit: 'characters' | 'bytes', maximum: number): string {
  return `must be no more than ${maximum} ${unit}`
}

/** Length in UTF-8, which is what Kubernetes counts. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x80) bytes += 1
    else if (code < 0x800) bytes += 2
    else if (code >= 0xd800 && code < 0xdc00) {
      bytes += 4
      index++
    } else bytes += 3
  }
  return bytes
}

function bounded(text: string, maximum: number, { pattern, text: words }: Rule): readonly string[] {
  const long = text.length > maximum || utf8Length(text) > maximum
  const good = pattern.test(text)
  if (good && !long) return GOOD
  return [...(long ? [tooLong('characters', maximum)] : []), ...(good ? [] : [words])]
}

/** At most 63 characters, lower case letters, digits and inner hyphens: namespaces, containers, services. */
export function checkDns1123Label(text: string): readonly string[] {
  const wrong = bounded(text, LABEL_MAX, rules.label)
  // A name that would be good but for its dots is told so, instead of being shown a pattern.
  if (wrong.length === 0 || !rules.subdomain.pattern.test(text) || !text.includes('.')) return wrong
  return wrong.map((line) => (line === rules.label.text ? 'must not contain dots' : line))
}

/** At most 253 characters, labels joined by dots: the names of most objects. */
export function checkDns1123Subdomain(text: string): readonly string[] {
  return bounded(text, SUBDOMAIN_MAX, rules.subdomain)
}

/** As a DNS-1123 label, but it starts with a letter. */
export function checkDns1035Label(text: string): readonly string[] {
  return bounded(text, LABEL_MAX, rules.label1035)
}

/** `*.` and a subdomain. */
export function checkWildcardDns1123Subdomain(text: string): readonly string[] {
  return bounded(text, SUBDOMAIN_MAX, rules.wildcard)
}

const LABEL_KEY_TEXT = `a valid label key ${rules.qualified.text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`

/** Keys of labels and annotations: a name, or a DNS subdomain, `/` and a name. */
export function checkQualifiedName(text: string): readonly string[] {
  const slash = text.indexOf('/')
  if (slash < 0) return nameParts(text)
  if (text.indexOf('/', slash + 1) >= 0) return [LABEL_KEY_TEXT]
  const prefix = text.slice(0, slash)
  if (prefix === '') return ['prefix part must be non-empty', ...nameParts(text.slice(slash + 1))]
  const wrong = checkDns1123Subdomain(prefix).map((line) => `prefix part ${line}`)
  return [...wrong, ...nameParts(text.slice(slash + 1))]
}

function nameParts(name: string): readonly string[] {
  if (name === '') return ['name part must be non-empty', `name part ${rules.qualified.text}`]
  return bounded(name, LABEL_MAX, rules.qualified).map(
    (line) => `name part ${line.replace(/characters$/, 'bytes')}`,
  )
}

/** Values of labels: empty, or at most 63 letters, digits, `-`, `_` and `.` between letters or digits. */
export function checkLabelValue(text: string): readonly string[] {
  return bounded(text, LABEL_MAX, rules.labelValue).map((line) =>
    line.replace(/^(must be no more.*)characters$/, '$1bytes'),
  )
}

/** Names that may stand in a URL path: no `/` or `%`, not `.` or `..`. RBAC objects have such names. */
export function checkPathSegment(text: string): readonly string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`]
  const wrong: string[] = []
  for (const sign of ['/', '%']) if (text.includes(sign)) wrong.push(`may not contain '${sign}'`)
  return wrong
}

export function checkCIdentifier(text: string): readonly string[] {
  return rules.identifier.pattern.test(text) ? GOOD : [rules.identifier.text]
}

export function checkHttpHeaderName(text: string): readonly string[] {
  return rules.header.pattern.test(text) ? GOOD : [rules.header.text]
}

export function checkPercent(text: string): readonly string[] {
  return rules.percent.pattern.test(text) ? GOOD : [rules.percent.text]
}

/** Names of environment variables, in the strict form. */
export function checkEnvironmentName(text: string): readonly string[] {
  const wrong = rules.environment.pattern.test(text) ? [] : [rules.environment.text]
  return [...wrong, ...dotted(text)]
}

/** Keys of ConfigMaps and Secrets; they become file names, so `..` must not lead them. */
export function checkConfigMapKey(text: string): readonly string[] {
  return [...bounded(text, SUBDOMAIN_MAX, rules.configKey), ...dotted(text)]
}

function dotted(text: string): readonly string[] {
  if (text === '.' || text === '..') return [`must not be '${text}'`]
  return text.startsWith('..') ? ["must not start with '..'"] : GOOD
}

/** Names of ports: at most 15 letters, digits and single inner hyphens, one letter at least. */
export function checkPortName(text: string): readonly string[] {
  const wrong: string[] = []
  if (utf8Length(text) > PORT_NAME_MAX) wrong.push(tooLong('characters', PORT_NAME_MAX))
  if (!/^[-a-z0-9]+$/.test(text))
    wrong.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(text)) wrong.push('must contain at least one letter (a-z)')
  if (text.includes('--')) wrong.push('must not contain consecutive hyphens')
  if (text.startsWith('-') || text.endsWith('-')) wrong.push('must not begin or end with a hyphen')
  return wrong
}
