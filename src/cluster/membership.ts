// A joined host's side: which cluster it belongs to, its certificate, and how it got in. All of it lies in the data
// folder, so a restart needs neither token nor server.
import { isObject, type JsonObject, parseJson, printJson } from '../base/json.ts'
import { type Failure, failed, ok, type Result } from '../base/result.ts'
import type { Certificates } from '../host/certificates.ts'
import type { Files, Host, HttpClientRequest } from '../host/host.ts'
import { renewalTime } from './identity.ts'
import { type JoinToken, parseToken } from './join-token.ts'
import { makeRequest } from './pki.ts'

const ROUTE = '/v1-croft/cluster'
const ANSWER_TIMEOUT_MS = 15_000
const ANSWER_MAX_BYTES = 256 * 1024
/** Certificates begin an hour before they are made, so more would fail anyway; leases and logs want it much closer. */
const CLOCK_TOLERANCE_MS = 5 * 60_000
const PAIR = 'node.pem'
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/

export interface Membership {
  /** For instance `https://10.0.0.1:6443`. */
  readonly server: string
  readonly nodeName: string
  readonly nodeIp: string
  readonly caPem: string
  readonly certificatePem: string
  readonly keyPem: string
  /** When half of the certificate's life has passed; milliseconds since 1970. */
  readonly renewAt: number
}

export interface MemberParts {
  readonly host: Host
  readonly certificates: Certificates
  readonly dataFolder: string
}

export interface JoinWish extends MemberParts {
  readonly server: string
  readonly token: string
  readonly nodeName: string
  readonly nodeIp: string
}

function notePath(dataFolder: string): string {
  return `${dataFolder}/node.json`
}

export function pkiFolder(dataFolder: string): string {
  return `${dataFolder}/pki`
}

/** Undefined where this folder never joined. */
export async function readMembership({
  host,
  certificates,
  dataFolder,
}: MemberParts): Promise<Result<Membership | undefined>> {
  const note = await readNote(host.files, dataFolder)
  if (!note.ok || note.value === undefined) return note as Result<undefined>
  const folder = pkiFolder(dataFolder)
  const ca = await host.files.readText(`${folder}/ca.crt`)
  if (!ca.ok) return ca
  const pair = await host.files.readText(`${folder}/${PAIR}`)
  if (!pair.ok) return pair
  const [certificatePem = ''] = CERTIFICATE.exec(pair.value) ?? []
  const keyPem = pair.value.replace(CERTIFICATE, '').trim()
  const facts = certificates.read(certificatePem)
  if (!facts)
    return failed({
      reason: 'CertificateDamaged',
      message: `${folder}/${PAIR} holds no certificate: restore it, or remove ${notePath(dataFolder)} and join again`,
      retry: 'never',
    })
  return ok({ ...note.value, caPem: ca.value, certificatePem, keyPem, renewAt: renewalTime(facts) })
}

type Note = Pick<Membership, 'server' | 'nodeName' | 'nodeIp'>

async function readNote(files: Files, dataFolder: string): Promise<Result<Note | undefined>> {
  const path = notePath(dataFolder)
  const text = await files.readText(path)
  if (!text.ok) return text.failure.reason === 'NotFound' ? ok(undefined) : text
  try {
    const value = parseJson(text.value)
    if (isObject(value)) {
      const { server, nodeName, nodeIp } = value
      if (typeof server === 'string' && typeof nodeName === 'string' && typeof nodeIp === 'string')
        return ok({ server, nodeName, nodeIp })
    }
  } catch {
    // Said below.
  }
  return failed({
    reason: 'NoteDamaged',
    message: `${path} does not say which cluster this host belongs to: remove it and join again`,
    retry: 'never',
  })
}

/** Failures say what to do, in one sentence each. Nothing is written before the certificate is there. */
export async function joinCluster(wish: JoinWish): Promise<Result<Membership>> {
  const { host, server, nodeName, nodeIp, dataFolder } = wish
  const token = parseToken(wish.token)
  if (!token)
    return failed(no('TokenInvalid', 'That is no join token. Take one from "croft token create" on a server'))
  const greeted = await greet(wish, token)
  if (!greeted.ok) return greeted
  const folder = pkiFolder(dataFolder)
  for (const path of [dataFolder, folder]) {
    const made = await host.files.makeFolder(path, 0o711)
    if (!made.ok) return made
  }
  const asked = await makeRequest(host, folder, `system:node:${nodeName}`)
  if (!asked.ok) return asked
  const { keyPem, requestPem } = asked.value
  const answer = await post(wish, {
    path: `${ROUTE}/join`,
    tls: { caPem: greeted.value },
    body: { token: wish.token, nodeName, nodeIp, request: requestPem },
  })
  if (!answer.ok) return failed(refusalOf(answer.failure, nodeName))
  const certificatePem = String(answer.value['certificatePem'] ?? '')
  const kept = await keep(wish, { caPem: greeted.value, certificatePem, keyPem })
  if (!kept.ok) return kept
  const noted = await host.files.writeDurable(
    notePath(dataFolder),
    `${printJson({ server, nodeName, nodeIp })}\n`,
    0o644,
  )
  if (!noted.ok) return noted
  const member = await readMembership(wish)
  return member.ok && member.value
    ? ok(member.value)
    : failed(no('JoinFailed', 'the certificate was not kept'))
}

function no(reason: string, message: string): Failure {
  return { reason, message, retry: 'never' }
}

/** The cluster's CA, once it is known to be the one of the token. Nothing secret is said before. */
async function greet(wish: JoinWish, token: JoinToken): Promise<Result<string>> {
  const answer = await ask(wish, { method: 'GET', url: wish.server + ROUTE, anyCertificate: true })
  if (!answer.ok) return failed(answer.failure)
  const caPem = String(answer.value['caPem'] ?? '')
  const facts = wish.certificates.read(caPem)
  if (!facts)
    return failed(
      no(
        'NotCroft',
        `${wish.server} is no croft server. Name the address of one, for instance https://10.0.0.1:6443`,
      ),
    )
  if (facts.fingerprint !== token.caHash)
    return failed(
      no(
        'CaMismatch',
        `The server at ${wish.server} is not of the token's cluster: its CA is another one. Check the address, or take a new token from that server`,
      ),
    )
  const offMs = Number(answer.value['now']) - wish.host.clock.now()
  if (Number.isFinite(offMs) && Math.abs(offMs) > CLOCK_TOLERANCE_MS)
    return failed(
      no(
        'ClockOff',
        `The clock of this host is ${Math.round(Math.abs(offMs) / 60_000)} min ${offMs > 0 ? 'behind' : 'ahead of'} the server's. Set it, for instance with an NTP client, then join again`,
      ),
    )
  return ok(caPem)
}

function refusalOf(failure: Failure, nodeName: string): Failure {
  const said = failure.message
  if (failure.reason === 'Unauthorized')
    return no(
      said.includes('expired') ? 'TokenExpired' : 'TokenRefused',
      `${said}. Take a new one from "croft token create" on a server`,
    )
  if (failure.reason === 'Conflict')
    return no(
      said.includes('address') ? 'AddressTaken' : 'NameTaken',
      said.includes('address')
        ? `${reasonIn(said)}. Choose another with --node-ip`
        : `${reasonIn(said)}. Choose another name with --node-name, or stop that node first ("croft down" there)${nodeName === '' ? '' : ' and wait a minute'}`,
    )
  return failure
}

/** `Operation cannot be fulfilled on nodes "x": why`. */
function reasonIn(text: string): string {
  return text.replace(/^Operation cannot be fulfilled on \S+ "[^"]*": /, '')
}

/** The next certificate, asked for with the present one. */
export async function renewMembership(parts: MemberParts, member: Membership): Promise<Result<Membership>> {
  const asked = await makeRequest(parts.host, pkiFolder(parts.dataFolder), `system:node:${member.nodeName}`)
  if (!asked.ok) return asked
  const { caPem, certificatePem, keyPem, server, nodeIp } = member
  const answer = await post(
    { ...parts, server },
    {
      path: `${ROUTE}/node-certificate`,
      tls: { caPem, certificatePem, keyPem },
      body: { nodeIp, request: asked.value.requestPem },
    },
  )
  if (!answer.ok) return answer
  const next = String(answer.value['certificatePem'] ?? '')
  const kept = await keep(parts, { caPem, certificatePem: next, keyPem: asked.value.keyPem })
  if (!kept.ok) return kept
  const read = await readMembership(parts)
  return read.ok && read.value ? ok(read.value) : failed(no('RenewalFailed', 'the certificate was not kept'))
}

interface Kept {
  readonly caPem: string
  readonly certificatePem: string
  readonly keyPem: string
}

/** Key and certificate lie in one file: they must belong together after a crash in the middle, too. */
async function keep(
  { host, certificates, dataFolder }: MemberParts,
  { caPem, certificatePem, keyPem }: Kept,
): Promise<Result<void>> {
  if (!certificates.isTrusted(certificatePem, caPem, host.clock.now()))
    return failed(
      no(
        'CertificateRefused',
        'the server gave a certificate that its own CA did not sign, or that is not valid at this time',
      ),
    )
  const folder = pkiFolder(dataFolder)
  for (const [name, text, mode] of [
    ['ca.crt', caPem, 0o644],
    [PAIR, `${certificatePem.trim()}\n${keyPem}`, 0o600],
  ] as const) {
    const written = await host.files.writeDurable(`${folder}/${name}`, text, mode)
    if (!written.ok) return written
  }
  return ok(undefined)
}

// --- plain calls ---

interface Post {
  readonly path: string
  readonly tls: { readonly caPem: string; readonly certificatePem?: string; readonly keyPem?: string }
  readonly body: JsonObject
}

function post(
  parts: MemberParts & { readonly server: string },
  { path, tls, body }: Post,
): Promise<Result<JsonObject>> {
  return ask(parts, {
    method: 'POST',
    url: parts.server + path,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: printJson(body),
    ...tls,
  })
}

async function ask(
  { host, server }: MemberParts & { readonly server: string },
  request: Omit<HttpClientRequest, 'idleTimeoutMs'>,
): Promise<Result<JsonObject>> {
  const answer = await host.net.request({ ...request, idleTimeoutMs: ANSWER_TIMEOUT_MS })
  if (!answer.ok) return failed(connectionFailure(server, answer.failure))
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of answer.value.body) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > ANSWER_MAX_BYTES) break
    }
    const value: unknown = parseJson(text)
    if (isObject(value)) {
      if (answer.value.status < 400) return ok(value)
      return failed({
        reason: String(value['reason'] ?? 'Refused'),
        message: String(value['message'] ?? `the server answered ${answer.value.status}`),
        retry: answer.value.status >= 500 ? 'later' : 'never',
      })
    }
  } catch {
    // Said below.
  }
  return failed(
    no(
      'NotCroft',
      `${server} does not answer as a croft server does (${answer.value.status}). Check the address`,
    ),
  )
}

function connectionFailure(server: string, { reason, message }: Failure): Failure {
  const why = message.replace(/^requesting \S+: /, '')
  if (reason === 'TlsFailed' && /expired|not yet valid/i.test(why))
    return {
      reason: 'ClockOff',
      message: `the certificate of ${server} is ${/expired/i.test(why) ? 'expired' : 'not valid yet'} by the clock of this host. Set the clock`,
      retry: 'later',
    }
  if (reason === 'TlsFailed')
    return {
      reason: 'ServerNotTrusted',
      message: `no trusted connection to ${server}: ${why}. Use an address that is in the server's certificate`,
      retry: 'later',
    }
  return {
    reason: 'ServerUnreachable',
    message: `${server} cannot be reached: ${why}. Check address, firewall, and that "croft up" runs there and listens on that address`,
    retry: 'later',
  }
}
