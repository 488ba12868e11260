// A host that joined: the agent alone, over HTTPS with the node's own certificate. Servers may come and go: it waits
// for the first answer, keeps what runs while there is none, and takes up its certificate's successor at half life.
import { ApiError } from '../base/errors.ts'
import { failed, ok, type Result } from '../base/result.ts'
import { formatTime } from '../base/time.ts'
import type { Client } from '../client/client.ts'
import { createHttpsClient } from '../client/https.ts'
import { type Membership, renewMembership } from '../cluster/membership.ts'
import { type Reach, reachOver } from '../cluster/reach.ts'
import { realCertificates } from '../host/real/certificates.ts'
import type { RealHost } from '../host/real/index.ts'
import { Node } from '../kinds/core/node.ts'
import { Lease } from '../kinds/kubernetes/lease.ts'
import { type RunningAgent, startNodeAgent } from './node-agent.ts'
import { remoteSamples } from './remote-samples.ts'

/** How often a server that does not answer is asked again. Milliseconds. */
const ASK_AGAIN_MS = 1_000
const LOOK_EVERY_MS = 60_000
/** Renewals of the lease come every three seconds; two missed mean that the connection is worth nothing. */
const PULSE_MS = 2_000
const SILENCE_MS = 8_000
const LEASE_NAMESPACE = 'kube-node-lease'

export interface Member {
  readonly agent: RunningAgent
  readonly client: Client
  /** The node stands in the API and says that it is ready. */
  isReady(): Promise<boolean>
  stop(): Promise<void>
}

export interface MemberOptions {
  readonly host: RealHost
  readonly dataFolder: string
  readonly member: Membership
  readonly signal: AbortSignal
}

/** Failures are those of this host; a server that does not answer is waited for. */
export async function startMember(options: MemberOptions): Promise<Result<Member>> {
  const { host, dataFolder, signal } = options
  const expired = whyExpired(options)
  if (expired) return expired
  let member = options.member
  const reach = reachOver(host.net)
  const client = clientOf(() => member, reach)
  await firstAnswer(options, client)
  if (signal.aborted)
    return failed({ reason: 'Aborted', message: 'stopped before the server answered', retry: 'later' })
  const agent = await startNodeAgent({
    host,
    certificates: realCertificates,
    client,
    dataFolder,
    nodeName: member.nodeName,
    nodeIp: member.nodeIp,
    linkHost: member.nodeIp,
    tls: () => member,
    clusterNetworks: [],
    samples: remoteSamples(host, reach.net, () => member),
  })
  if (!agent.ok) return agent
  const chores = new AbortController()
  void feelPulse(options, client, reach, chores.signal)
  void renewAtHalfLife(options, {
    present: () => member,
    take: async (next) => {
      member = next
      await agent.value.renewed()
    },
    signal: chores.signal,
  })
  return ok({
    agent: agent.value,
    client,
    isReady: () => isReady(client, member.nodeName),
    stop: async () => {
      chores.abort()
      await agent.value.stop()
    },
  })
}

function whyExpired({ host, member, dataFolder }: MemberOptions): Result<never> | undefined {
  const facts = realCertificates.read(member.certificatePem)
  const now = host.clock.now()
  if (!facts || now <= facts.notAfter) return undefined
  return failed({
    reason: 'CertificateExpired',
    message: `the certificate of this node ended ${formatTime(facts.notAfter)}: join again with a new token (data folder ${dataFolder})`,
    retry: 'never',
  })
}

function clientOf(member: () => Membership, reach: Reach): Client {
  return createHttpsClient({
    net: reach.net,
    fieldManager: 'croft-agent',
    get server() {
      return member().server
    },
    get caPem() {
      return member().caPem
    },
    get certificatePem() {
      return member().certificatePem
    },
    get keyPem() {
      return member().keyPem
    },
  })
}

/** Rooms of the agent decide at their start by what the API says, so they start when it says something. */
async function firstAnswer({ host, member, signal }: MemberOptions, client: Client): Promise<void> {
  let told = false
  while (!signal.aborted) {
    try {
      await client.list(Node, { limit: 1, signal })
      return
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (!told)
        host.log.warn('the server does not answer yet; machines run on meanwhile', {
          server: member.server,
          why: message,
        })
      told = true
      await host.clock.sleep(ASK_AGAIN_MS, signal).catch(() => undefined)
    }
  }
}

async function isReady(client: Client, nodeName: string): Promise<boolean> {
  try {
    const node = await client.get(Node, nodeName)
    return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
  } catch {
    return false
  }
}

/** Notices that the server is back before the connections of before do. */
async function feelPulse(
  { host, member }: MemberOptions,
  client: Client,
  reach: Reach,
  signal: AbortSignal,
): Promise<void> {
  let silent = false
  while (!signal.aborted) {
    await host.clock.sleep(PULSE_MS, signal).catch(() => undefined)
    if (signal.aborted) return
    const late = new AbortController()
    const cancel = host.clock.after(SILENCE_MS, () => late.abort())
    try {
      await client.get(Lease, member.nodeName, { namespace: LEASE_NAMESPACE, signal: late.signal })
      if (silent) host.log.info('the server answers again', { server: member.server })
      silent = false
    } catch (error) {
      // A refusal is an answer, too.
      if (error instanceof ApiError && error.code !== 503) continue
      if (!silent) host.log.warn('the server does not answer; machines run on', { server: member.server })
      silent = true
      reach.giveUp()
    } finally {
      cancel()
    }
  }
}

interface Renewing {
  readonly present: () => Membership
  readonly take: (next: Membership) => Promise<void>
  readonly signal: AbortSignal
}

/** The present one holds for as long again, so a failure is no hurry. */
async function renewAtHalfLife(
  { host, dataFolder }: MemberOptions,
  { present, take, signal }: Renewing,
): Promise<void> {
  while (!signal.aborted) {
    if (host.clock.now() >= present().renewAt) {
      const next = await renewMembership({ host, certificates: realCertificates, dataFolder }, present())
      if (next.ok) {
        await take(next.value)
        host.log.info('certificate renewed', { nextAt: formatTime(next.value.renewAt) })
      } else host.log.warn('the certificate could not be renewed', { why: next.failure.message })
    }
    await host.clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
  }
}
