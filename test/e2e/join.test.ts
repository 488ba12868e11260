// A second host joins a cluster and runs a machine whose console and disk are reached over the link; what keeps a host
// out is told; a cut cable and a killed server are survived. Two namespace hosts with real leases, so it takes a while.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ApiError } from '../../src/base/errors.ts'
import type { Client } from '../../src/client/client.ts'
import { createHttpsClient } from '../../src/client/https.ts'
import { parseKubeconfig } from '../../src/client/kubeconfig.ts'
import { joinCluster } from '../../src/cluster/membership.ts'
import { realCertificates } from '../../src/host/real/certificates.ts'
import { realHost } from '../../src/host/real/index.ts'
import { Node } from '../../src/kinds/core/node.ts'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { gateAddress, readNote, type SandboxNote } from '../../src/serve/sandbox/note.ts'
import { kubectlTools } from '../kubectl-binary.ts'
import { bootSectorDisk, bootsTold } from './boot-sector.ts'
import { imported, machine } from './guest.ts'
import { isQemu, isSame, killExactly, processesOf } from './processes.ts'
import { type Ran, until, whyNoE2e } from './server.ts'

const skip = await whyNoE2e()
const host = realHost({ log: { level: 'error' } })
const MAIN = join(import.meta.dirname, '../../src/main.ts')
/** Two hosts start on two cores that other tests load, too. */
const COMMAND_TIMEOUT_MS = 240_000
const LEASE_MS = 120_000

let root = ''
let data = ''
let note: SandboxNote
let client: Client
let kubeconfig = ''
let images: Server

function run(program: string, argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, [...argv], { timeout: COMMAND_TIMEOUT_MS, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout, stderr })
    })
  })
}

const tryCroft = (...words: readonly string[]): Promise<Ran> => run(process.execPath, [MAIN, ...words])

async function croft(...words: readonly string[]): Promise<string> {
  const ran = await tryCroft(...words)
  assert.equal(ran.code, 0, `croft ${words.join(' ')}: ${ran.stderr}`)
  return ran.stdout
}

const sandbox = (...words: readonly string[]): Promise<string> => croft('sandbox', ...words, '--data', data)

async function kubectl(argv: readonly string[], input?: object): Promise<string> {
  const tools = await kubectlTools()
  assert.ok(tools)
  const more = input === undefined ? argv : [...argv, '-f', join(root, 'object.json')]
  if (input !== undefined) await host.files.writeDurable(join(root, 'object.json'), JSON.stringify(input))
  const ran = await run(tools.kubectl, more, { ...process.env, KUBECONFIG: kubeconfig, HOME: root })
  assert.equal(ran.code, 0, `kubectl ${argv.join(' ')}: ${ran.stderr}`)
  return ran.stdout
}

async function readyOf(name: string): Promise<string | undefined> {
  try {
    const { status } = await client.get(Node, name)
    return status?.conditions?.find(({ type }) => type === 'Ready')?.status
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 503)) return undefined
    throw error
  }
}

const becomes = (name: string, wanted: string): Promise<unknown> =>
  until(`${name} is Ready=${wanted}`, async () => (await readyOf(name)) === wanted, LEASE_MS)

function connect(): void {
  const parsed = parseKubeconfig(readFileSync(kubeconfig, 'utf8'))
  assert.ok(parsed.ok)
  const { server, caPem = '', certificatePem = '', keyPem = '' } = parsed.value
  client = createHttpsClient({ net: host.net, server, fieldManager: 'e2e', caPem, certificatePem, keyPem })
}

describe('a cluster of two hosts', { skip }, () => {
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'croft-join-'))
    await chmod(root, 0o711)
    data = join(root, 's')
    kubeconfig = join(data, 'kubeconfig')
    await sandbox('up', '--nodes', '2')
    const read = await readNote(host.files, data)
    assert.ok(read.ok && read.value)
    note = read.value
    connect()
    images = createServer((_request, response) => response.end(bootSectorDisk()))
    await new Promise<void>((resolve) => images.listen(0, gateAddress(note), resolve))
  })
  after(async () => {
    images?.close()
    images?.closeAllConnections()
    await tryCroft('sandbox', 'down', '--delete', '--data', data)
    for (const one of processesOf(data)) killExactly(one)
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })

  test('both are nodes of it, with addresses that agents are reached at', async () => {
    const { items } = await client.list(Node)
    assert.deepEqual(items.map(({ metadata }) => metadata.name).sort(), ['node1', 'node2'])
    for (const { status } of items) assert.equal(status?.daemonEndpoints?.kubeletEndpoint?.Port, 10_250)
    await becomes('node1', 'True')
    await becomes('node2', 'True')
  })

  test('who has no good token, or the name of a living node, is told so', async () => {
    const server = `https://${gateAddress(note).replace(/\d+$/, '1')}:6443`
    const token = (await croft('token', 'create', '--ttl', '10m', '--data', data)).trim()
    const tries: readonly (readonly [string, string, string])[] = [
      [token, 'node2', 'NameTaken'],
      [token.replace(/^croft\.\w+/, 'croft.aaaaaa'), 'other', 'TokenRefused'],
      [`${token.slice(0, -4)}0000`, 'other', 'CaMismatch'],
      ['nonsense', 'other', 'TokenInvalid'],
    ]
    const joining = { host, certificates: realCertificates, dataFolder: join(root, 'never'), server }
    for (const [text, nodeName, wanted] of tries) {
      const joined = await joinCluster({ ...joining, token: text, nodeName, nodeIp: '10.99.0.1' })
      assert.equal(joined.ok || joined.failure.reason, wanted)
    }
    await croft('token', 'revoke', token, '--data', data)
    const late = await tryCroft(
      'join',
      server,
      '--token',
      token,
      '--node-name',
      'x',
      '--data',
      join(root, 'no'),
    )
    assert.equal(late.code, 1)
    assert.match(late.stderr, /croft: The token is not known here.*\n {2}next: Take a new one/)
  })

  test('a machine runs on the joined host; its log comes through the server; cut and heal, kill and start', async () => {
    const address = images.address()
    assert.ok(address !== null && typeof address === 'object')
    const url = `http://${gateAddress(note)}:${address.port}/disk.img`
    const wish = machine({
      name: 'far',
      runStrategy: 'Always',
      dataVolumeTemplates: [imported('far-root', url, '16Mi')],
      disks: [{ name: 'root', disk: { bus: 'virtio' } }],
      volumes: [{ name: 'root', dataVolume: { name: 'far-root' } }],
    }) as { spec: { template: { spec: Record<string, unknown> } } }
    wish.spec.template.spec['nodeSelector'] = { 'kubernetes.io/hostname': 'node2' }
    await kubectl(['apply'], wish)
    const running = await until(
      'the machine runs',
      async () => {
        const vmi = await client
          .get(VirtualMachineInstance, 'far', { namespace: 'default' })
          .catch(() => undefined)
        return vmi?.status?.phase === 'Running' && vmi
      },
      180_000,
      () =>
        kubectl(['get', 'vmi,pods,datavolumes,volumes.longhorn.io,replicas.longhorn.io', '-A', '-o', 'wide']),
    )
    assert.equal(running.status?.nodeName, 'node2')
    const pod = (await kubectl(['get', 'pods', '-o', 'name'])).trim()
    await until('its words arrive', async () => bootsTold(await kubectl(['logs', pod])) === 1, 60_000)
    const [qemu] = processesOf(join(data, 'node2')).filter(isQemu)
    assert.ok(qemu)

    await sandbox('cut', 'node1', 'node2')
    await becomes('node2', 'Unknown')
    await sandbox('heal')
    await becomes('node2', 'True')
    assert.ok(isSame(qemu), 'the guest did not notice')

    const servers = processesOf(data).filter(
      ({ argv }) => argv.includes('up') && argv.includes(join(data, 'node1')),
    )
    assert.equal(servers.map(killExactly).filter(Boolean).length, 1)
    await sandbox('start', 'node1')
    await becomes('node2', 'True')
    assert.ok(isSame(qemu), 'a guest runs on without its server')
    await until('its log comes again', async () => bootsTold(await kubectl(['logs', pod])) === 1, 60_000)
  })

  test('nothing is left of it', async () => {
    await sandbox('down', '--delete')
    const { stdout: links } = await run('ip', ['-br', 'link'])
    assert.ok(!links.includes(`csb${note.id}`))
    const { stdout: spaces } = await run('ip', ['netns'])
    assert.ok(!spaces.includes(`csb${note.id}`))
    const { stdout: tables } = await run('nft', ['list', 'tables'])
    assert.ok(!tables.includes(`csb${note.id}`))
    assert.deepEqual(processesOf(data), [])
  })
})
