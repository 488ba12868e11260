// Wires the control plane of one server: store, API, controllers. Takes real adapters and gives a running whole;
// everything in it reaches the state through the API alone.

import { type Api, createApi } from '../api/create-api.ts'
import { assert } from '../base/assert.ts'
import type { ApiPort, UserInfo } from '../base/call.ts'
import { ok, type Result } from '../base/result.ts'
import type { Client } from '../client/client.ts'
import { createInProcessClient } from '../client/in-process.ts'
import { createInformers, type Informers } from '../client/informer.ts'
import { ensureIdentity, type Identity, type IdentityWish } from '../cluster/identity.ts'
import type { Gate } from '../gate/create-gate.ts'
import type { Certificates } from '../host/certificates.ts'
import type { Address, Host, Listener } from '../host/host.ts'
import { Event } from '../kinds/core/event.ts'
import { ResourceQuota } from '../kinds/core/resource-quota.ts'
import { allKinds } from '../kinds/index.ts'
import { type AnyDecider, type Loop, runLoop } from '../loop/run-loop.ts'
import type { Store } from '../store/store.ts'
import { ensureProductObjects } from './product-objects.ts'

export type ClientFor = (user: UserInfo, fieldManager: string) => Client

export interface ControlPlaneOptions {
  readonly host: Host
  readonly certificates: Certificates
  readonly store: Store
  readonly dataFolder: string
  readonly listen: { readonly host: string; readonly port: number }
  /** Names and addresses under which clients reach this server. */
  readonly dnsNames: readonly string[]
  readonly addresses: readonly string[]
  /** The node of this host. */
  readonly node: { readonly name: string; readonly addresses: readonly string[] }
  readonly deciders: readonly AnyDecider[]
  readonly croftVersion: string
  readonly architecture: 'amd64' | 'arm64'
  /** Makes the doors beside plain Kubernetes; they reach the state through the API, too. */
  readonly gate?: (clientFor: ClientFor) => Gate
  readonly metrics: () => string
}

export interface ControlPlane {
  readonly api: Api
  readonly identity: Identity
  /** Makes anew what has passed half its life; new connections get the new certificate. */
  renewIdentity(): Promise<Result<Identity>>
  readonly listener: Listener
  readonly gate: Gate | undefined
  readonly client: Client
  readonly informers: Informers
  readonly loop: Loop
  /** A client with another user's rights. */
  readonly clientFor: ClientFor
  stop(): Promise<void>
}

/** First address of Kubernetes' usual service network. */
const SERVICE_IP = '10.96.0.1'
const ISSUER = 'https://kubernetes.default.svc'
const STOP_GRACE_MS = 2_000

export const CONTROLLER_USER: UserInfo = {
  username: 'system:kube-controller-manager',
  groups: ['system:masters', 'system:authenticated'],
}

const SERVICE_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]

function listenAddresses({ addresses, listen }: ControlPlaneOptions): readonly string[] {
  const own = ['0.0.0.0', '::'].includes(listen.host)
    ? []
    : [listen.host].filter((text) => /^[\d.]+$|:/.test(text))
  return [...new Set(['127.0.0.1', '::1', SERVICE_IP, ...own, ...addresses])]
}

export async function startControlPlane(options: ControlPlaneOptions): Promise<Result<ControlPlane>> {
  const { host, certificates, store } = options
  const wish: IdentityWish = {
    host,
    certificates,
    folder: `${options.dataFolder}/pki`,
    names: {
      dnsNames: [...new Set([...SERVICE_NAMES, ...options.dnsNames])],
      ipAddresses: listenAddresses(options),
    },
    node: options.node,
  }
  const identity = await ensureIdentity(wish)
  if (!identity.ok) return identity
  // Whatever is made here asks the API only once it is there.
  let api: Api | undefined
  const port: ApiPort = {
    call: (call) => {
      assert(api, 'the API is there before it is asked')
      return api.call(call)
    },
    watch: (call) => {
      assert(api, 'the API is there before it is asked')
      return api.watch(call)
    },
  }
  const clientFor: ClientFor = (user, fieldManager) =>
    createInProcessClient({ api: port, user, fieldManager })
  const gate = options.gate?.(clientFor)
  api = await createApi({
    store,
    host,
    certificates,
    kinds: allKinds,
    identity: {
      clientCaPem: identity.value.authority.certificatePem,
      servingCaPem: identity.value.authority.certificatePem,
      tokenKeys: [identity.value.tokenKey],
      issuer: ISSUER,
      staticTokens: [],
    },
    advertised: { addresses: options.addresses, port: options.listen.port, serviceIp: SERVICE_IP },
    croftVersion: options.croftVersion,
    ...(gate
      ? { gate, sessionUser: gate.sessions.sessionUser, sessionToken: gate.sessions.sessionToken }
      : {}),
    metrics: options.metrics,
  })
  const listener = await host.net.listenHttp(options.listen as Address, api.handler, identity.value.serving)
  if (!listener.ok) return listener
  const stopping = new AbortController()
  const client = clientFor(CONTROLLER_USER, 'croft-control')
  await ensureProductObjects(client, {
    now: host.clock.now(),
    architecture: options.architecture,
    serverUrl: `https://${options.addresses[0] ?? '127.0.0.1'}:${options.listen.port}`,
  })
  const informers = createInformers(client, host, { signal: stopping.signal })
  const loop = runLoop({
    client,
    host,
    informers,
    deciders: options.deciders,
    signal: stopping.signal,
    eventKind: Event,
    // What a quota refused is tried again when the quota is raised or something is freed.
    retryOn: [{ kind: ResourceQuota, matches: (error) => error.message.includes('exceeded quota') }],
  })
  let present = identity.value
  return ok({
    api,
    gate,
    get identity() {
      return present
    },
    async renewIdentity() {
      const renewed = await ensureIdentity(wish)
      if (!renewed.ok) return renewed
      present = renewed.value
      listener.value.setTls(present.serving)
      return renewed
    },
    listener: listener.value,
    client,
    informers,
    loop,
    clientFor,
    stop: async () => {
      stopping.abort()
      await loop.done
      await listener.value.close(STOP_GRACE_MS)
      api?.close()
      await store.close()
    },
  })
}
