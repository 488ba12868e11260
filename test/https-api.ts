// An API server on a random HTTPS port with an identity of its own, and a kubeconfig for it: what real clients see.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiDeps } from '../src/api/deps.ts'
import { ensureIdentity } from '../src/cluster/identity.ts'
import { realCertificates } from '../src/host/real/certificates.ts'
import { realHost } from '../src/host/real/index.ts'
import { ADMIN_TOKEN, type Fixture, startApi } from './api-fixture.ts'

export interface HttpsApi extends Fixture {
  readonly port: number
  readonly url: string
  readonly folder: string
  readonly caPem: string
  readonly kubeconfig: string
}

export async function startHttpsApi(more: Partial<ApiDeps> = {}, wantedPort = 0): Promise<HttpsApi> {
  const folder = await mkdtemp(join(tmpdir(), 'croft-api-'))
  const host = realHost({ log: { level: 'warn' } })
  const certificates = realCertificates
  const names = { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }
  const identity = await ensureIdentity({ host, certificates, folder: join(folder, 'pki'), names })
  if (!identity.ok) throw new Error(identity.failure.message)
  const { authority, serving, admin, tokenKey } = identity.value
  const fixture = await startApi({
    host,
    certificates,
    identity: {
      clientCaPem: authority.certificatePem,
      servingCaPem: authority.certificatePem,
      tokenKeys: [tokenKey],
      issuer: 'https://kubernetes.default.svc',
      staticTokens: [{ token: ADMIN_TOKEN, username: 'token-admin', groups: ['system:masters'] }],
    },
    ...more,
  })
  const listening = await host.net.listenHttp(
    { host: '127.0.0.1', port: wantedPort },
    fixture.api.handler,
    serving,
  )
  if (!listening.ok) throw new Error(listening.failure.message)
  const { address } = listening.value
  const port = 'port' in address ? address.port : 0
  const url = `https://127.0.0.1:${port}`
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigText(url, authority.certificatePem, admin))
  return {
    ...fixture,
    port,
    url,
    folder,
    caPem: authority.certificatePem,
    kubeconfig,
    close: async () => {
      await listening.value.close(0)
      await fixture.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function kubeconfigText(
  url: string,
  caPem: string,
  admin: { readonly certificatePem: string; readonly keyPem: string },
): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'croft', cluster: { server: url, 'certificate-authority-data': base64(caPem) } }],
    users: [
      {
        name: 'admin',
        user: {
          'client-certificate-data': base64(admin.certificatePem),
          'client-key-data': base64(admin.keyPem),
        },
      },
    ],
    contexts: [{ name: 'croft', context: { cluster: 'croft', user: 'admin', namespace: 'default' } }],
    'current-context': 'croft',
  })
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program with the server's kubeconfig and a cache of its own; never throws for a bad exit code. */
export function runTool(
  api: HttpsApi,
  program: string,
  argv: readonly string[],
  more: {
    readonly input?: string
    readonly env?: Readonly<Record<string, string>>
    readonly timeoutMs?: number
  } = {},
): Promise<Ran> {
  const env = {
    ...process.env,
    KUBECONFIG: api.kubeconfig,
    HOME: api.folder,
    KUBECACHEDIR: join(api.folder, 'cache'),
    ...more.env,
  }
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...argv],
      { env, timeout: more.timeoutMs ?? 30_000, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ code, stdout, stderr })
      },
    )
    child.stdin?.end(more.input ?? '')
  })
}
