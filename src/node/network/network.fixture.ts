// For tests of the default network: network namespaces as hosts, so that the machine's own network is never touched,
// and the real API server in memory.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi } from '../../api/create-api.ts'
import type { Client } from '../../client/client.ts'
import { createInProcessClient } from '../../client/in-process.ts'
import { createInformers, type Informers } from '../../client/informer.ts'
import type { Host } from '../../host/host.ts'
import { realCertificates } from '../../host/real/certificates.ts'
import { realHost } from '../../host/real/index.ts'
import { Event } from '../../kinds/core/event.ts'
import { Namespace } from '../../kinds/core/namespace.ts'
import { Pod } from '../../kinds/core/pod.ts'
import { allKinds } from '../../kinds/index.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { createEventRecorder } from '../../loop/events.ts'
import { memoryStore } from '../../store/memory.ts'
import type { NicRequest } from '../ports.ts'
import type { ChooseOptions } from './choose-room.ts'

export const NODE = 'node-1'

/** Runs a shell command in a namespace; a failure is the test's failure unless it is asked for. */
export function shell(netns: string, script: string, expect: 'ok' | 'any' = 'ok'): string {
  const ran = spawnSync('ip', ['netns', 'exec', netns, 'sh', '-c', script], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  if (expect === 'ok') assert.equal(ran.status, 0, `${script}: ${ran.stderr}`)
  return ran.stdout
}

/** The real host with its programs in a network namespace. */
export function hostIn(netns: string): Host {
  const real = realHost({ log: { level: 'error' } })
  const inside = (argv: readonly string[]): readonly string[] => ['ip', 'netns', 'exec', netns, ...argv]
  return {
    ...real,
    exec: {
      ...real.exec,
      isAlive: (process) => real.exec.isAlive(process),
      run: (argv, options) => real.exec.run(inside(argv), options),
      startDetached: (argv, options) => real.exec.startDetached(inside(argv), options),
    },
  }
}

export interface Site {
  /** The host of Croft: 192.0.2.10 on `up0`. */
  readonly netns: string
  /** Another computer, 192.0.2.20, on the same wire. */
  readonly outside: string
  readonly folder: string
  close(): void
}

export function makeSite(): Site {
  const tag = randomBytes(3).toString('hex')
  const [netns, outside] = [`croft-h-${tag}`, `croft-o-${tag}`]
  const folder = mkdtempSync(join(tmpdir(), 'croft-net-'))
  chmodSync(folder, 0o711)
  for (const name of [netns, outside]) {
    spawnSync('ip', ['netns', 'add', name])
    shell(name, 'ip link set lo up')
  }
  shell(netns, `ip link add up0 type veth peer name up0 netns ${outside}`)
  shell(netns, 'ip addr add 192.0.2.10/24 dev up0; ip link set up0 up; ip route add default via 192.0.2.20')
  shell(outside, 'ip addr add 192.0.2.20/24 dev up0; ip link set up0 up')
  return {
    netns,
    outside,
    folder,
    close() {
      for (const name of [netns, outside]) {
        // Whatever a failed test left running in it; the namespace is ours alone.
        const pids = spawnSync('ip', ['netns', 'pids', name], { encoding: 'utf8' }).stdout.split(/\s+/)
        for (const pid of pids.filter((one) => one !== '')) spawnSync('kill', ['-9', pid])
        spawnSync('ip', ['netns', 'del', name])
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface World {
  readonly client: Client
  readonly informers: Informers
  options(host: Host, dataFolder: string): ChooseOptions
  stop(): void
}

export async function makeWorld(): Promise<World> {
  const host = realHost({ log: { level: 'error' } })
  const api = await createApi({
    store: memoryStore(),
    host,
    certificates: realCertificates,
    kinds: allKinds,
    identity: {
      clientCaPem: '',
      servingCaPem: '',
      tokenKeys: [],
      issuer: 'https://kubernetes.default.svc',
      staticTokens: [],
    },
    advertised: { addresses: ['127.0.0.1'], port: 6443, serviceIp: '10.96.0.1' },
    croftVersion: '0',
  })
  const user = {
    username: 'system:kube-controller-manager',
    groups: ['system:masters', 'system:authenticated'],
  }
  const client = createInProcessClient({ api, user, fieldManager: 'test' })
  for (const name of ['kube-system', 'default'])
    await client
      .create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as never)
      .catch(() => undefined)
  const stopping = new AbortController()
  const informers = createInformers(client, host, { signal: stopping.signal })
  const recorder = createEventRecorder({ client, host, kind: Event, component: 'croft-agent', node: NODE })
  return {
    client,
    informers,
    options: (inHost, dataFolder) => ({
      host: inHost,
      client,
      informers,
      recorder,
      nodeName: NODE,
      dataFolder,
    }),
    stop: () => {
      stopping.abort()
      api.close()
    },
  }
}

/** An instance and its Pod, as they are when the agent attaches. */
export async function makeMachine(
  { client }: World,
  name: string,
  annotations: Readonly<Record<string, string>> = {},
): Promise<NicRequest> {
  const vmi = await client.create(VirtualMachineInstance, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace: 'default', labels: { 'kubevirt.io/nodeName': NODE }, annotations },
    spec: {
      domain: { memory: { guest: '64Mi' }, devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
      networks: [{ name: 'default', pod: {} }],
    },
  } as never)
  const podName = `virt-launcher-${name}-${randomBytes(2).toString('hex')}`
  const pod = await client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName, namespace: 'default' },
    spec: { nodeName: NODE, containers: [{ name: 'compute', image: 'croft/virt-launcher' }] },
  } as never)
  return {
    vmiUid: vmi.metadata.uid ?? '',
    podNamespace: 'default',
    podName,
    podUid: pod.metadata.uid ?? '',
    vmiName: name,
    name: 'default',
    index: 0,
    binding: 'masquerade',
    network: 'pod',
    ports: [],
    user: { uid: 64107, gid: 64107 },
  }
}

export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 20_000,
): Promise<T> {
  const deadline = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found as Exclude<T, false>
    assert.ok(Date.now() < deadline, `not in time: ${what}`)
    await sleep(50)
  }
}
