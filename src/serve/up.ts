// `croft up`: one process with the control plane and the agent of this host.

import { assert } from '../base/assert.ts'
import type { Failure, Result } from '../base/result.ts'
import { failed, ok } from '../base/result.ts'
import { printKubeconfig } from '../client/kubeconfig.ts'
import { joinDesk } from '../cluster/join-desk.ts'
import { DURATIONS_TO_LOST, LEASE_NAMESPACE } from '../control/node-lifecycle.ts'
import type { GateAgent } from '../gate/ask.ts'
import { createGate } from '../gate/create-gate.ts'
import { ADMIN_NAME } from '../gate/sessions/users.ts'
import { type LocalNames, localNames } from '../host/real/addresses.ts'
import { realCertificates } from '../host/real/certificates.ts'
import { type RealHost, realHost } from '../host/real/index.ts'
import { realInflater } from '../host/real/inflater.ts'
import { realPasswords } from '../host/real/passwords.ts'
import { Lease } from '../kinds/kubernetes/lease.ts'
import { linkClient } from '../node/link/link-client.ts'
import { peersOf } from '../node/link/peers.ts'
import { agentsOfAllNodes } from '../node/link/remote-agent.ts'
import { LEASE_SECONDS } from '../node/node-registration.ts'
import { createObservatory } from '../observe/observatory.ts'
import { prometheusText } from '../observe/prometheus.ts'
import { openSqliteStore } from '../store/sqlite.ts'
import { startChores } from './chores.ts'
import { CONTROLLER_USER, type ControlPlane, startControlPlane } from './control-plane.ts'
import { allDeciders } from './deciders.ts'
import { linkTls, startLocalAgent } from './local-agent.ts'
import { CROFT_VERSION } from './version.ts'

export interface UpOptions {
  readonly dataFolder: string
  /** Folder of croft itself, in which `ui/dist` is the built web interface. */
  readonly croftRoot: string
  readonly listen: { readonly host: string; readonly port: number }
  /** Name and address of this host's node; the host's name and its first address without them. */
  readonly nodeName?: string
  readonly nodeIp?: string
}

export interface Server {
  readonly plane: ControlPlane
  /** The login of the first administrator, at the very first start only: to be shown once. */
  readonly firstLogin: { readonly user: string; readonly password: string } | undefined
  stop(): Promise<void>
}

export function serverUrl(listen: UpOptions['listen']): string {
  const host = ['0.0.0.0', '::'].includes(listen.host) ? '127.0.0.1' : listen.host
  return `https://${host.includes(':') ? `[${host}]` : host}:${listen.port}`
}

/** Failures say what is wrong with the host: folder not writable, port taken, state in use. */
export async function startServer(options: UpOptions, host: RealHost): Promise<Result<Server, Failure>> {
  const made = await host.files.makeFolder(options.dataFolder, 0o711)
  // A folder that exists is no failure, so what exists here is something else.
  if (!made.ok && made.failure.reason === 'AlreadyExists')
    return failed({ ...made.failure, reason: 'NotAFolder', message: 'it is a file, not a folder' })
  if (!made.ok) return made
  const store = openSqliteStore(`${options.dataFolder}/state.db`)
  if (!store.ok) return store
  const names = localNames()
  const place = placeOf(options, names)
  const observatory = createObservatory({ host, folder: `${options.dataFolder}/metrics` })
  const loadText = (): string =>
    running
      ? prometheusText({
          look: running.informers.look,
          samples: observatory.samples(),
          version: CROFT_VERSION,
        })
      : ''
  let local: GateAgent | undefined
  let running: ControlPlane | undefined
  const link = linkClient({
    host,
    peer: (name) => (running ? peersOf(running.informers.look)(name) : undefined),
    tls: () => {
      assert(running, 'nobody asks before the control plane is there')
      return linkTls(running, 'link')
    },
  })
  const agents = agentsOfAllNodes(place.nodeName, () => local, link)
  const plane = await startControlPlane({
    host,
    certificates: realCertificates,
    store: store.value,
    dataFolder: options.dataFolder,
    listen: options.listen,
    dnsNames: [names.hostname],
    addresses: [...new Set([place.nodeIp, ...names.addresses])],
    node: { name: place.nodeName, addresses: [place.nodeIp] },
    deciders: allDeciders,
    croftVersion: CROFT_VERSION,
    architecture: 'amd64',
    metrics: () => `${host.meter.snapshot()}${loadText()}`,
    gate: (clientFor) =>
      createGate({
        host,
        passwords: realPasswords,
        openInflater: realInflater,
        clientFor,
        agent: () => local && agents,
        cluster: joinDesk({
          host,
          client: clientFor(CONTROLLER_USER, 'croft-join'),
          folder: `${options.dataFolder}/pki`,
          authority: () => {
            assert(running, 'nobody joins before the control plane is there')
            return running.identity.authority
          },
          version: CROFT_VERSION,
          silenceMs: (name) => running?.informers.look.ageMs(Lease, LEASE_NAMESPACE, name),
          deadAfterMs: DURATIONS_TO_LOST * LEASE_SECONDS * 1_000,
        }),
        uiFolder: `${options.croftRoot}/ui/dist`,
        metrics: observatory,
        samples: observatory,
        croftVersion: CROFT_VERSION,
      }),
  })
  if (!plane.ok) {
    await store.value.close()
    return plane
  }
  running = plane.value
  const written = await writeKubeconfig(options, host, plane.value)
  if (!written.ok) {
    await plane.value.stop()
    return written
  }
  const agent = await startLocalAgent({
    host,
    certificates: realCertificates,
    plane: plane.value,
    dataFolder: options.dataFolder,
    ...place,
    clusterNetworks: [],
    samples: observatory,
  })
  if (!agent.ok) {
    await plane.value.stop()
    return agent
  }
  const chores = new AbortController()
  const keeping = observatory.run(chores.signal)
  startChores({
    host,
    store: store.value,
    plane: plane.value,
    dataFolder: options.dataFolder,
    rewriteKubeconfig: async () => {
      await agent.value.renewed()
      return writeKubeconfig(options, host, plane.value)
    },
    signal: chores.signal,
  })
  local = { ...agent.value.agent, uploads: agent.value.uploads }
  const password = await plane.value.gate?.sessions.ensureFirstUser()
  return ok({
    plane: plane.value,
    firstLogin: password === undefined ? undefined : { user: ADMIN_NAME, password },
    stop: async () => {
      chores.abort()
      await keeping
      await agent.value.stop()
      await plane.value.stop()
    },
  })
}

/** A server on loopback is for this host alone, and so is its agent. */
function placeOf({ listen, nodeName, nodeIp }: UpOptions, names: LocalNames) {
  const alone = ['127.0.0.1', '::1', 'localhost'].includes(listen.host)
  const listened = ['0.0.0.0', '::'].includes(listen.host) || alone ? undefined : listen.host
  const v4 = names.addresses.find((address) => !address.includes(':'))
  const address = nodeIp ?? listened ?? v4 ?? names.addresses[0] ?? '127.0.0.1'
  return {
    nodeName: nodeName ?? names.hostname,
    nodeIp: address,
    linkHost: alone ? '127.0.0.1' : address,
  }
}

function writeKubeconfig(options: UpOptions, host: RealHost, plane: ControlPlane): Promise<Result<void>> {
  const { authority, admin } = plane.identity
  const text = printKubeconfig({
    server: serverUrl(options.listen),
    namespace: 'default',
    cluster: 'croft',
    user: 'admin',
    caPem: authority.certificatePem,
    certificatePem: admin.certificatePem,
    keyPem: admin.keyPem,
  })
  return host.files.writeDurable(`${options.dataFolder}/kubeconfig`, text, 0o600)
}

export function makeHost(): RealHost {
  return realHost({ log: { level: 'info' } })
}
