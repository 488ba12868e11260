// The identity of this server on disk: CA, serving certificate, administrator's certificate, token signing key.
// Made on first start, renewed at half life, never edited in place.
import type { Failure, Result } from '../base/result.ts'
import { ok } from '../base/result.ts'
import type { CertificateFacts, Certificates } from '../host/certificates.ts'
import type { Host, TlsMaterial } from '../host/host.ts'
import { nodeLeaf, serverLeaf } from './node-names.ts'
import type { KeyPairPem, LeafRequest } from './pki.ts'
import { issueLeaf, makeAuthority, makeSigningKey } from './pki.ts'

export interface Identity {
  readonly authority: KeyPairPem
  readonly serving: TlsMaterial
  readonly admin: KeyPairPem
  readonly tokenKey: { readonly privatePem: string; readonly publicPem: string }
  /** Of the node on this host, for its agent; with the names that others reach it by. */
  readonly node: KeyPairPem | undefined
  /** With which this server asks the agents of other nodes. */
  readonly link: KeyPairPem | undefined
  /** When a certificate next needs renewal; milliseconds since 1970. */
  readonly renewAt: number
}

export interface IdentityNames {
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
}

export interface IdentityWish {
  readonly host: Host
  readonly certificates: Certificates
  /** Folder of the keys, made with mode 0700. */
  readonly folder: string
  readonly names: IdentityNames
  /** The node of this host, where it is one. */
  readonly node?: { readonly name: string; readonly addresses: readonly string[] }
}

const SECRET_MODE = 0o600
const FOLDER_MODE = 0o700

/** Reads or makes everything; idempotent, so a crash in the middle only means: made next time. */
export async function ensureIdentity(wish: IdentityWish): Promise<Result<Identity>> {
  const { host, folder, names } = wish
  const made = await host.files.makeFolder(folder, FOLDER_MODE)
  if (!made.ok) return made
  const authority = await ensurePair(host, folder, 'ca', () => makeAuthority(host, folder, 'croft'))
  if (!authority.ok) return authority
  const serving = await ensureLeaf(wish, authority.value, 'server', {
    commonName: 'kube-apiserver',
    dnsNames: names.dnsNames,
    ipAddresses: names.ipAddresses,
    usage: 'server',
  })
  if (!serving.ok) return serving
  const admin = await ensureLeaf(wish, authority.value, 'admin', {
    commonName: 'kubernetes-admin',
    organizations: ['system:masters'],
    usage: 'client',
  })
  if (!admin.ok) return admin
  const tokenKey = await ensureTokenKey(host, folder)
  if (!tokenKey.ok) return tokenKey
  const node = wish.node
    ? await ensureLeaf(wish, authority.value, 'node', nodeLeaf(wish.node.name, wish.node.addresses))
    : ok(undefined)
  if (!node.ok) return node
  const link = wish.node
    ? await ensureLeaf(wish, authority.value, 'link', serverLeaf(wish.node.name))
    : ok(undefined)
  if (!link.ok) return link
  const pairs = [serving.value, admin.value, ...[node.value, link.value].filter((pair) => pair !== undefined)]
  const leaves = pairs.map((pair) => wish.certificates.read(pair.certificatePem))
  return ok({
    authority: authority.value,
    serving: { ...serving.value, clientCaPem: authority.value.certificatePem },
    admin: admin.value,
    tokenKey: tokenKey.value,
    node: node.value,
    link: link.value,
    renewAt: Math.min(...leaves.map((facts) => (facts ? renewalTime(facts) : 0))),
  })
}

/** When half of the certificate's life has passed; milliseconds since 1970. */
export function renewalTime(facts: CertificateFacts): number {
  return facts.notBefore + (facts.notAfter - facts.notBefore) / 2
}

/** Whether the certificate covers all of these names and addresses (a host may have got a new one). */
export function covers(
  facts: CertificateFacts,
  names: readonly string[],
  addresses: readonly string[],
): boolean {
  return (
    names.every((name) => facts.dnsNames.includes(name)) &&
    addresses.every((address) => facts.ipAddresses.includes(expandIp(address)))
  )
}

// The platform's parser prints IPv6 addresses in full upper-case groups.
function expandIp(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((group) => group.replace(/^0+(?=.)/, '').toUpperCase()).join(':')
}

async function readPair(host: Host, folder: string, name: string): Promise<Result<KeyPairPem | undefined>> {
  const certificate = await host.files.readText(`${folder}/${name}.crt`)
  const key = await host.files.readText(`${folder}/${name}.key`)
  if (certificate.ok && key.ok) return ok({ certificatePem: certificate.value, keyPem: key.value })
  const failure = firstFailure([certificate, key])
  // A half-written pair (key without certificate) is as good as none: the certificate is written last.
  return failure && failure.reason !== 'NotFound' ? { ok: false, failure } : ok(undefined)
}

function firstFailure(results: readonly Result<unknown>[]): Failure | undefined {
  for (const result of results) if (!result.ok) return result.failure
  return undefined
}

async function writePair(
  host: Host,
  folder: string,
  name: string,
  pair: KeyPairPem,
): Promise<Result<KeyPairPem>> {
  const key = await host.files.writeDurable(`${folder}/${name}.key`, pair.keyPem, SECRET_MODE)
  if (!key.ok) return key
  const certificate = await host.files.writeDurable(`${folder}/${name}.crt`, pair.certificatePem, 0o644)
  return certificate.ok ? ok(pair) : certificate
}

async function ensurePair(
  host: Host,
  folder: string,
  name: string,
  make: () => Promise<Result<KeyPairPem>>,
): Promise<Result<KeyPairPem>> {
  const present = await readPair(host, folder, name)
  if (!present.ok || present.value) return present as Result<KeyPairPem>
  const made = await make()
  return made.ok ? writePair(host, folder, name, made.value) : made
}

async function ensureLeaf(
  { host, certificates, folder }: IdentityWish,
  authority: KeyPairPem,
  name: string,
  request: LeafRequest,
): Promise<Result<KeyPairPem>> {
  const present = await readPair(host, folder, name)
  if (!present.ok) return present
  const facts = present.value && certificates.read(present.value.certificatePem)
  const now = host.clock.now()
  const good =
    facts !== undefined &&
    renewalTime(facts) > now &&
    certificates.isTrusted(present.value!.certificatePem, authority.certificatePem, now) &&
    facts.commonName === request.commonName &&
    covers(facts, request.dnsNames ?? [], request.ipAddresses ?? [])
  if (good) return ok(present.value!)
  const made = await issueLeaf(host, folder, authority, request)
  return made.ok ? writePair(host, folder, name, made.value) : made
}

async function ensureTokenKey(
  host: Host,
  folder: string,
): Promise<Result<{ readonly privatePem: string; readonly publicPem: string }>> {
  const [privateKey, publicKey] = [
    await host.files.readText(`${folder}/sa.key`),
    await host.files.readText(`${folder}/sa.pub`),
  ]
  if (privateKey.ok && publicKey.ok) return ok({ privatePem: privateKey.value, publicPem: publicKey.value })
  const failure = firstFailure([privateKey, publicKey])
  if (failure && failure.reason !== 'NotFound') return { ok: false, failure }
  const made = await makeSigningKey(host, folder)
  if (!made.ok) return made
  const written = await host.files.writeDurable(`${folder}/sa.key`, made.value.privatePem, SECRET_MODE)
  if (!written.ok) return written
  const shown = await host.files.writeDurable(`${folder}/sa.pub`, made.value.publicPem, 0o644)
  return shown.ok ? made : shown
}
