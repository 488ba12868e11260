// Certificates of one cluster: a self-made CA and what it signs, made by the openssl program. Keys never appear in
// a command line; every run works in a private folder that is removed afterwards.
import type { Result } from '../base/result.ts'
import { ok } from '../base/result.ts'
import type { Host } from '../host/host.ts'

const DAY_MS = 24 * 3_600_000
export const CA_LIFE_DAYS = 3650
/** Renewed at half of this by the running process. */
export const LEAF_LIFE_DAYS = 90
/** Clocks of hosts that have just booted may lag by this much, so certificates begin earlier than now. */
export const BACKDATE_MS = 3_600_000
const OPENSSL_TIMEOUT_MS = 20_000

export interface KeyPairPem {
  readonly certificatePem: string
  readonly keyPem: string
}

export interface LeafRequest {
  readonly commonName: string
  /** Kubernetes groups, as organizations. */
  readonly organizations?: readonly string[]
  readonly dnsNames?: readonly string[]
  readonly ipAddresses?: readonly string[]
  readonly usage: 'server' | 'client' | 'both'
}

/** Runs `work` in a fresh private folder under `parent`, removed whatever happens. */
async function inPrivateFolder<T>(
  host: Host,
  parent: string,
  work: (folder: string) => Promise<Result<T>>,
): Promise<Result<T>> {
  const folder = `${parent}/.work-${host.random.uuid()}`
  const made = await host.files.makeFolder(folder, 0o700)
  if (!made.ok) return made
  try {
    return await work(folder)
  } finally {
    await host.files.remove(folder)
  }
}

async function openssl(host: Host, args: readonly string[]): Promise<Result<void>> {
  const ran = await host.exec.run(['openssl', ...args], { timeoutMs: OPENSSL_TIMEOUT_MS })
  return ran.ok ? ok(undefined) : ran
}

/** `20261130231500Z`, as openssl's ca command wants dates. */
function asn1Time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
}

// openssl's configuration treats `$`, `\`, `#` and quotes specially, and names come from hosts and users.
function configValue(text: string): string {
  return text.replace(/[\\$#"'`;]/g, '\\$&').replace(/[\r\n]/g, ' ')
}

function subjectSection(commonName: string, organizations: readonly string[]): string {
  const groups = organizations.map((name, index) => `${index}.O = ${configValue(name)}`)
  return ['[subject]', ...groups, `CN = ${configValue(commonName)}`].join('\n')
}

const CA_SECTION = (folder: string): string => `[ca]
default_ca = croft
[croft]
database = ${folder}/index.txt
new_certs_dir = ${folder}
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
copy_extensions = none
preserve = yes
[any]
organizationName = optional
commonName = supplied`

interface Signing {
  readonly host: Host
  readonly folder: string
  readonly now: number
  readonly days: number
  readonly config: string
  readonly selfSigned: boolean
}

/** Makes a key and a certificate in `folder`; a leaf needs ca.crt and ca.key there. */
async function sign({ host, folder, now, days, config, selfSigned }: Signing): Promise<Result<KeyPairPem>> {
  const path = (name: string): string => `${folder}/${name}`
  for (const [name, text] of [
    ['config', config],
    ['index.txt', ''],
  ] as const) {
    const written = await host.files.writeDurable(path(name), text, 0o600)
    if (!written.ok) return written
  }
  const steps: readonly (readonly string[])[] = [
    ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', path('key')],
    ['req', '-new', '-config', path('config'), '-key', path('key'), '-out', path('request')],
    [
      ...['ca', '-batch', '-notext', '-config', path('config'), '-extensions', 'extensions'],
      ...(selfSigned
        ? ['-selfsign', '-keyfile', path('key')]
        : ['-cert', path('ca.crt'), '-keyfile', path('ca.key')]),
      ...['-startdate', asn1Time(now - BACKDATE_MS), '-enddate', asn1Time(now + days * DAY_MS)],
      ...['-in', path('request'), '-out', path('certificate')],
    ],
  ]
  for (const step of steps) {
    const done = await openssl(host, step)
    if (!done.ok) return done
  }
  const key = await host.files.readText(path('key'))
  if (!key.ok) return key
  const certificate = await host.files.readText(path('certificate'))
  return certificate.ok ? ok({ keyPem: key.value, certificatePem: certificate.value }) : certificate
}

/** A new certificate authority. `parent` is a folder only root can read. */
export function makeAuthority(host: Host, parent: string, commonName: string): Promise<Result<KeyPairPem>> {
  const config = (folder: string): string => `${CA_SECTION(folder)}
[req]
prompt = no
distinguished_name = subject
${subjectSection(commonName, [])}
[extensions]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
`
  const now = host.clock.now()
  return inPrivateFolder(host, parent, (folder) =>
    sign({ host, folder, now, days: CA_LIFE_DAYS, config: config(folder), selfSigned: true }),
  )
}

// QEMU before 9 takes no certificate without keyEncipherment, though elliptic keys have no use for it.
function leafExtensions(request: LeafRequest): string {
  const usages = { server: 'serverAuth', client: 'clientAuth', both: 'serverAuth,clientAuth' }[request.usage]
  const names = [
    ...(request.dnsNames ?? []).map((name, index) => `DNS.${index} = ${configValue(name)}`),
    ...(request.ipAddresses ?? []).map((ip, index) => `IP.${index} = ${configValue(ip)}`),
  ]
  return `[extensions]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature,keyEncipherment
extendedKeyUsage = ${usages}
authorityKeyIdentifier = keyid
${names.length === 0 ? '' : `subjectAltName = @names\n[names]\n${names.join('\n')}\n`}`
}

/** A certificate for a server, a user or a node, signed by `authority`. */
export function issueLeaf(
  host: Host,
  parent: string,
  authority: KeyPairPem,
  request: LeafRequest,
): Promise<Result<KeyPairPem>> {
  return inPrivateFolder(host, parent, async (folder) => {
    for (const [name, text] of [
      ['ca.crt', authority.certificatePem],
      ['ca.key', authority.keyPem],
    ] as const) {
      const written = await host.files.writeDurable(`${folder}/${name}`, text, 0o600)
      if (!written.ok) return written
    }
    const config = `${CA_SECTION(folder)}
[req]
prompt = no
distinguished_name = subject
${subjectSection(request.commonName, request.organizations ?? [])}
${leafExtensions(request)}`
    return sign({ host, folder, now: host.clock.now(), days: LEAF_LIFE_DAYS, config, selfSigned: false })
  })
}

/** What a host asks with: its own new key, and a request that proves it has it. The names in it do not count. */
export function makeRequest(
  host: Host,
  parent: string,
  commonName: string,
): Promise<Result<{ readonly keyPem: string; readonly requestPem: string }>> {
  return inPrivateFolder(host, parent, async (folder) => {
    const config = `[req]\nprompt = no\ndistinguished_name = subject\n${subjectSection(commonName, [])}\n`
    const written = await host.files.writeDurable(`${folder}/config`, config, 0o600)
    if (!written.ok) return written
    for (const step of [
      ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${folder}/key`],
      ['req', '-new', '-config', `${folder}/config`, '-key', `${folder}/key`, '-out', `${folder}/request`],
    ]) {
      const done = await openssl(host, step)
      if (!done.ok) return done
    }
    const keyPem = await host.files.readText(`${folder}/key`)
    if (!keyPem.ok) return keyPem
    const requestPem = await host.files.readText(`${folder}/request`)
    return requestPem.ok ? ok({ keyPem: keyPem.value, requestPem: requestPem.value }) : requestPem
  })
}

/**
 * A certificate for the key of a foreign request; subject and names are `wish`'s alone. Fails where the request is
 * damaged or was not signed by its own key.
 */
export function signRequest(
  host: Host,
  parent: string,
  authority: KeyPairPem,
  wish: { readonly requestPem: string; readonly leaf: LeafRequest },
): Promise<Result<string>> {
  return inPrivateFolder(host, parent, async (folder) => {
    const { leaf, requestPem } = wish
    const config = `${CA_SECTION(folder)}\n${leafExtensions(leaf)}`
    for (const [name, text] of [
      ['ca.crt', authority.certificatePem],
      ['ca.key', authority.keyPem],
      ['request', requestPem],
      ['config', config],
      ['index.txt', ''],
    ] as const) {
      const written = await host.files.writeDurable(`${folder}/${name}`, text, 0o600)
      if (!written.ok) return written
    }
    const subject = [
      ...(leaf.organizations ?? []).map((name) => `/O=${name}`),
      `/CN=${leaf.commonName}`,
    ].join('')
    const now = host.clock.now()
    const signed = await openssl(host, [
      ...['ca', '-batch', '-notext', '-config', `${folder}/config`, '-extensions', 'extensions'],
      ...['-cert', `${folder}/ca.crt`, '-keyfile', `${folder}/ca.key`, '-subj', subject],
      ...['-startdate', asn1Time(now - BACKDATE_MS), '-enddate', asn1Time(now + LEAF_LIFE_DAYS * DAY_MS)],
      ...['-in', `${folder}/request`, '-out', `${folder}/certificate`],
    ])
    return signed.ok ? host.files.readText(`${folder}/certificate`) : signed
  })
}

/** A key pair for signing service account tokens (ES256). */
export function makeSigningKey(
  host: Host,
  parent: string,
): Promise<Result<{ readonly privatePem: string; readonly publicPem: string }>> {
  return inPrivateFolder(host, parent, async (folder) => {
    const made = await openssl(host, [
      ...['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${folder}/key`],
    ])
    if (!made.ok) return made
    const shown = await openssl(host, ['pkey', '-in', `${folder}/key`, '-pubout', '-out', `${folder}/public`])
    if (!shown.ok) return shown
    const privatePem = await host.files.readText(`${folder}/key`)
    if (!privatePem.ok) return privatePem
    const publicPem = await host.files.readText(`${folder}/public`)
    return publicPem.ok ? ok({ privatePem: privatePem.value, publicPem: publicPem.value }) : publicPem
  })
}
