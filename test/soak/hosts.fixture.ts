// Hosts of a sandbox for the long rounds: with a machine that writes numbered records to a volume of three copies, and
// an eye on what the API says of it all the while.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../src/base/errors.ts'
import type { Client } from '../../src/client/client.ts'
import { createHttpsClient } from '../../src/client/https.ts'
import { parseKubeconfig } from '../../src/client/kubeconfig.ts'
import { realHost } from '../../src/host/real/index.ts'
import type { Kind, KindOf } from '../../src/kinds/kind.ts'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { Engine } from '../../src/kinds/longhorn/engine.ts'
import { Replica } from '../../src/kinds/longhorn/replica.ts'
import { Volume } from '../../src/kinds/longhorn/volume.ts'
import { lastRecord, WRITER_CODE } from '../../src/node/volume/rig.fixture.ts'
import { applyCuts } from '../../src/serve/sandbox/network.ts'
import { gateAddress, readNote, writeNote } from '../../src/serve/sandbox/note.ts'
import { machine } from '../e2e/guest.ts'
import { isStorageDaemon, killExactly, processesOf } from '../e2e/processes.ts'
import { type Ran, until } from '../e2e/server.ts'
import { kubectlTools } from '../kubectl-binary.ts'

const host = realHost({ log: { level: 'error' } })
const MAIN = join(import.meta.dirname, '../../src/main.ts')
const COMMAND_TIMEOUT_MS = 240_000
const LIMIT_MS = 240_000
const LOOK_MS = 500
/** A copy that hangs is noticed after 8 s of silence, and the API hears of it a moment later. */
const TRUTH_LATE_MS = 30_000
export const LONGHORN = 'longhorn-system'

const THREE = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'three' },
  provisioner: 'driver.longhorn.io',
  allowVolumeExpansion: true,
  parameters: { numberOfReplicas: '3', staleReplicaTimeout: '30', migratable: 'true' },
}

export interface Writer {
  readonly claim: string
  readonly serialLog: string
  volumeName(): Promise<string>
  volume(): Promise<Volume | undefined>
  engine(): Promise<Engine | undefined>
  replicas(): Promise<readonly Replica[]>
  isRobust(word: string, limitMs?: number): Promise<unknown>
  acked(): Promise<number>
  /** Waits for this many more records. */
  progress(count: number): Promise<void>
  /** What the API says, for the reader of a failure. */
  told(): Promise<unknown>
  /** Ends the watch over what the API says, and tells its verdict. */
  endTruth(): void
}

export interface Hosts {
  readonly root: string
  readonly kubeconfig: string
  readonly client: Client
  folder(node: string): string
  sandbox(...words: readonly string[]): Promise<string>
  tryCroft(...words: readonly string[]): Promise<Ran>
  kubectl(argv: readonly string[], input?: object): Promise<string>
  find<K extends Kind>(kind: K, name: string, namespace: string): Promise<KindOf<K> | undefined>
  /** Heals all cables at once, where the command line would be too slow on a loaded machine. */
  heal(): Promise<void>
  /** kill -9 to the first host's process; its machines and daemons run on. */
  killServer(): Promise<void>
  writer(name: string, node: string): Promise<Writer>
  end(): Promise<void>
}

function run(program: string, argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, [...argv], { timeout: COMMAND_TIMEOUT_MS, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout, stderr })
    })
  })
}

/** The writer of the storage tests as a disk of its own: it boots from what it writes to. */
function writerDisk(): Uint8Array {
  const disk = Buffer.alloc(16 * 1024 * 1024)
  disk.write(WRITER_CODE, 'hex')
  disk.writeUInt16LE(0xaa55, 510)
  return disk
}

function clientFor(kubeconfig: string): Client {
  const parsed = parseKubeconfig(readFileSync(kubeconfig, 'utf8'))
  assert.ok(parsed.ok)
  const { server, caPem = '', certificatePem = '', keyPem = '' } = parsed.value
  return createHttpsClient({ net: host.net, server, fieldManager: 'e2e', caPem, certificatePem, keyPem })
}

export async function startHosts(count: number): Promise<Hosts> {
  const root = await mkdtemp(join(tmpdir(), 'croft-hosts-'))
  await chmod(root, 0o711)
  const data = join(root, 's')
  const kubeconfig = join(data, 'kubeconfig')
  const tools = await kubectlTools()
  assert.ok(tools)
  const images = createServer((_request, response) => response.end(writerDisk()))
  const tryCroft = (...words: readonly string[]): Promise<Ran> => run(process.execPath, [MAIN, ...words])
  const sandbox = async (...words: readonly string[]): Promise<string> => {
    const ran = await tryCroft('sandbox', ...words, '--data', data)
    assert.equal(ran.code, 0, `croft sandbox ${words.join(' ')}: ${ran.stderr}`)
    return ran.stdout
  }
  const folder = (node: string): string => join(data, node)
  const end = async (): Promise<void> => {
    images.close()
    images.closeAllConnections()
    // For whoever reads the logs of what went wrong.
    const keeps = process.env['CROFT_KEEP'] !== undefined
    const down = await tryCroft('sandbox', 'down', ...(keeps ? [] : ['--delete']), '--data', data)
    for (const one of processesOf(data)) killExactly(one)
    if (!keeps) await rm(root, { recursive: true, force: true, maxRetries: 5 })
    assert.equal(down.code, 0, down.stderr)
  }
  try {
    await sandbox('up', '--nodes', String(count))
  } catch (error) {
    await end()
    throw error
  }
  const note = await readNote(host.files, data)
  assert.ok(note.ok && note.value)
  const gate = gateAddress(note.value)
  await new Promise<void>((resolve) => images.listen(0, gate, resolve))
  const address = images.address()
  assert.ok(address !== null && typeof address === 'object')
  const url = `http://${gate}:${address.port}/disk.img`
  const client = clientFor(kubeconfig)
  const kubectl = async (argv: readonly string[], input?: object): Promise<string> => {
    const file = join(root, 'object.json')
    if (input !== undefined) await writeFile(file, JSON.stringify(input))
    const words = input === undefined ? argv : [...argv, '-f', file]
    const ran = await run(tools.kubectl, words, { ...process.env, KUBECONFIG: kubeconfig, HOME: root })
    assert.equal(ran.code, 0, `kubectl ${argv.join(' ')}: ${ran.stderr}`)
    return ran.stdout
  }
  await kubectl(['apply'], THREE)
  const hosts: Hosts = {
    root,
    kubeconfig,
    client,
    folder,
    sandbox,
    tryCroft,
    kubectl,
    find: async (kind, name, namespace) => {
      try {
        return await client.get(kind, name, { namespace })
      } catch (error) {
        if (error instanceof ApiError && (error.code === 404 || error.code === 503)) return undefined
        throw error
      }
    },
    heal: async () => {
      const now = await readNote(host.files, data)
      assert.ok(now.ok && now.value)
      const healed = { ...now.value, faults: [] }
      assert.ok((await writeNote(host.files, data, healed)).ok)
      assert.ok((await applyCuts(host, healed)).ok)
    },
    killServer: async () => {
      const servers = processesOf(data).filter(
        ({ argv }) => argv.includes('up') && argv.includes(folder('node1')),
      )
      assert.equal(servers.map(killExactly).filter(Boolean).length, 1)
      await sleep(LOOK_MS)
    },
    writer: (name, node) => startWriter(hosts, { name, node, url }),
    end,
  }
  return hosts
}

interface Wish {
  readonly name: string
  readonly node: string
  readonly url: string
}

async function startWriter(hosts: Hosts, { name, node, url }: Wish): Promise<Writer> {
  const { client } = hosts
  const claim = `${name}-root`
  const wish = machine({
    name,
    dataVolumeTemplates: [
      {
        metadata: { name: claim },
        spec: {
          source: { http: { url } },
          storage: {
            accessModes: ['ReadWriteMany'],
            storageClassName: 'three',
            resources: { requests: { storage: '32Mi' } },
          },
        },
      },
    ],
    disks: [{ name: 'root', disk: { bus: 'virtio' } }],
    volumes: [{ name: 'root', dataVolume: { name: claim } }],
    more: { nodeSelector: { 'kubernetes.io/hostname': node } },
  })
  await hosts.kubectl(['apply'], wish)
  const vmi = await until(
    'the machine runs',
    async () => {
      const found = await hosts.find(VirtualMachineInstance, name, 'default')
      return found?.status?.phase === 'Running' && found
    },
    LIMIT_MS,
    () => hosts.kubectl(['get', 'vmi,pods,dv,volumes.longhorn.io,replicas.longhorn.io', '-A', '-o', 'wide']),
  )
  const serialLog = join(hosts.folder(node), 'machines', vmi.metadata.uid ?? '', 'serial.log')
  const acked = async (): Promise<number> => lastRecord(await readFile(serialLog, 'latin1').catch(() => ''))
  const volumes = async () => (await client.list(Volume, { namespace: LONGHORN })).items
  const volume = async () => (await volumes())[0]
  const engine = async () => (await client.list(Engine, { namespace: LONGHORN })).items[0]
  const replicas = async () => (await client.list(Replica, { namespace: LONGHORN })).items
  const told = async (): Promise<unknown> => ({
    acked: await acked(),
    volume: (await volume())?.status,
    engine: (await engine())?.status,
    replicas: (await replicas()).map(({ metadata, spec, status }) => ({ name: metadata.name, spec, status })),
    logs: ['node1', 'node2', 'node3'].map((one) => {
      const path = `${hosts.folder(one)}/log/croft.log`
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(-8) : []
    }),
  })
  const truth = watchTruth(hosts, { volume, engine, replicas })
  return {
    claim,
    serialLog,
    volumeName: async () => (await volume())?.metadata.name ?? '',
    volume,
    engine,
    replicas,
    acked,
    told,
    isRobust: (word, limitMs = LIMIT_MS) =>
      until(
        `the volume is ${word}`,
        async () => (await volume())?.status?.robustness === word,
        limitMs,
        told,
      ),
    progress: async (count) => {
      const from = await acked()
      await until(`${count} records after ${from}`, async () => (await acked()) >= from + count, 90_000, told)
    },
    endTruth: truth,
  }
}

/**
 * Holds what the API says against the processes that there are: a volume is not called healthy, nor a copy in step,
 * while the copy's process is dead or hangs. Gives the call that ends it and tells the verdict.
 */
function watchTruth(hosts: Hosts, ask: Pick<Writer, 'volume' | 'engine' | 'replicas'>): () => void {
  const lies: string[] = []
  const liedSince = new Map<string, number>()
  let over = false
  const look = async (): Promise<void> => {
    const [volume, engine, replicas] = await Promise.all([ask.volume(), ask.engine(), ask.replicas()])
    const modes = engine?.status?.replicaModeMap ?? {}
    for (const { metadata, spec } of replicas) {
      const { name = '' } = metadata
      const lives = processesOf(hosts.folder(spec?.nodeID ?? '')).some(
        (one) => isStorageDaemon(one) && !isStopped(one.pid),
      )
      const said = modes[name] === 'RW' ? `${name} RW, volume ${volume?.status?.robustness}` : ''
      if (lives || said === '') {
        liedSince.delete(name)
        continue
      }
      const since = liedSince.get(name) ?? Date.now()
      liedSince.set(name, since)
      if (Date.now() - since > TRUTH_LATE_MS) lies.push(said)
    }
  }
  void (async () => {
    while (!over) {
      // The control plane is away at times.
      await look().catch(() => liedSince.clear())
      await sleep(LOOK_MS, undefined, { ref: false })
    }
  })()
  return () => {
    over = true
    assert.deepEqual(lies, [])
  }
}

function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
  } catch {
    return true
  }
}
