// String and number formats that Kubernetes checks in custom resources. Unknown formats pass.

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const HOSTNAME =
  /^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9])(\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9]))*\.?$/
const IPV4 = /^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/
const DURATION =
  /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w))*$|^[+-]?0$/
const UUID = /^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/

export function isIpv4(text: string): boolean {
  return IPV4.test(text)
}

/** Text form of an IPv6 address, IPv4-mapped tails included, zones not. */
export function isIpv6(text: string): boolean {
  if (!/^[0-9a-fA-F:.]+$/.test(text)) return false
  let address = text
  const tail = text.lastIndexOf(':')
  if (text.includes('.')) {
    if (tail < 0 || !isIpv4(text.slice(tail + 1))) return false
    address = text.slice(0, tail + 1) + '0:0'
  }
  const halves = address.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (groups.some((group) => !/^[0-9a-fA-F]{1,4}$/.test(group))) return false
  return halves.length === 2 ? groups.length < 8 : groups.length === 8
}

export function isCidr(text: string): boolean {
  const [address, bits, rest] = text.split('/')
  if (address === undefined || bits === undefined || rest !== undefined || !/^(0|[1-9]\d*)$/.test(bits))
    return false
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128)
}

/** RFC 3339 with a real day of the month. */
export function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && isDate(text.slice(0, 10))
}

function isDate(text: string): boolean {
  if (!DATE.test(text)) return false
  const [year, month, day] = text.split('-').map(Number) as [number, number, number]
  // Every month has these; nearly all dates are told without asking the calendar.
  if (day <= 28) return true
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Padded base64; line breaks are tolerated as Go's decoder does. */
export function isBase64(text: string): boolean {
  return BASE64.test(/[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text)
}

function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]*$/.test(text) || /^\/[^\s]*$/.test(text)
}

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isDateTime,
  date: isDate,
  duration: (text) => DURATION.test(text),
  byte: isBase64,
  uri: isUri,
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  hostname: (text) => text.length <= 255 && HOSTNAME.test(text),
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  mac: (text) =>
    /^([0-9a-fA-F]{2}[:-]){5}([0-9a-fA-F]{2}[:-]?)$|^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/.test(text),
  uuid: (text) => UUID.test(text),
  uuid3: (text) => UUID.test(text) && text.replaceAll('-', '')[12] === '3',
  uuid4: (text) => UUID.test(text) && text.replaceAll('-', '')[12] === '4',
  uuid5: (text) => UUID.test(text) && text.replaceAll('-', '')[12] === '5',
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: (text) =>
    /^rgb\(\s*(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\s*(,\s*(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\s*){2}\)$/.test(
      text,
    ),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: (text) => /^(?:\d[ -]?){13,19}$/.test(text),
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  'k8s-short-name': (text) => text.length <= 63 && LABEL.test(text),
  'k8s-long-name': (text) => text.length <= 253 && SUBDOMAIN.test(text),
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '')
  if (!/^\d{9}[\dX]$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 10; index += 1) {
    sum += (10 - index) * (digits[index] === 'X' ? 10 : Number(digits[index]))
  }
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '')
  if (!/^\d{13}$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 13; index += 1) sum += (index % 2 === 0 ? 1 : 3) * Number(digits[index])
  return sum % 10 === 0
}

export function matchesFormat(text: string, format: string): boolean {
  const check = CHECKS[format]
  return check === undefined || check(text)
}

/** Formats that the server knows; others make a Warning when a CustomResourceDefinition uses them. */
export function isKnownFormat(format: string): boolean {
  return format in CHECKS || ['int32', 'int64', 'float', 'double', 'password'].includes(format)
}
