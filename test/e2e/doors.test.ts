// The doors of the API on a real machine: an uploaded disk, its console, screen and log, and the actions of KubeVirt.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parseKubeconfig } from '../../src/client/kubeconfig.ts'
import type { WebSocketPeer } from '../../src/host/host.ts'
import { realHost } from '../../src/host/real/index.ts'
import { StorageClass } from '../../src/kinds/kubernetes/storage-class.ts'
import { VirtualMachine } from '../../src/kinds/kubevirt/virtual-machine.ts'
import { bootSectorDisk } from './boot-sector.ts'
import { machine } from './guest.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from './server.ts'

const skip = await whyNoE2e()
const { net } = realHost({ log: { level: 'error' } })
const SUBRESOURCES = '/apis/subresources.kubevirt.io/v1/namespaces/default'
const IMAGE = '/v1/harvester/harvesterhci.io.virtualmachineimages/default/boot?action=upload'
let server: E2eServer
let access: {
  readonly server: string
  readonly caPem: string
  readonly certificatePem: string
  readonly keyPem: string
}

async function ask(method: string, path: string, body?: Uint8Array | string) {
  const { server: url, ...keys } = access
  const answer = await net.request({
    method,
    url: `${url}${path}`,
    idleTimeoutMs: 60_000,
    ...keys,
    ...(body === undefined ? {} : { body }),
  })
  assert.ok(answer.ok, JSON.stringify(answer))
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.value.body) chunks.push(chunk)
  return { status: answer.value.status, bytes: Buffer.concat(chunks) }
}

async function socketTo(path: string): Promise<WebSocketPeer> {
  const { server: url, ...keys } = access
  const opened = await net.openWebSocket({
    url: `${url.replace('https', 'wss')}${SUBRESOURCES}${path}`,
    protocols: ['plain.kubevirt.io'],
    idleTimeoutMs: 10_000,
    ...keys,
  })
  assert.ok(opened.ok, JSON.stringify(opened))
  assert.equal(opened.value.protocol, 'plain.kubevirt.io')
  return opened.value
}

/** Everything that the socket says, as it comes. */
function hearing(socket: WebSocketPeer): () => string {
  let heard = ''
  void (async () => {
    for await (const { data } of socket.messages) heard += Buffer.from(data).toString('latin1')
  })()
  return () => heard
}

const statusIs = (word: string) =>
  until(
    `the machine is ${word}`,
    async () => (await server.find(VirtualMachine, 'm'))?.status?.printableStatus === word,
    60_000,
    async () => (await server.find(VirtualMachine, 'm'))?.status,
  )

describe('doors', { skip }, () => {
  before(async () => {
    server = await startE2eServer()
    const config = parseKubeconfig(await readFile(join(server.data, 'kubeconfig'), 'utf8'))
    assert.ok(config.ok)
    access = config.value as never
  })
  after(() => server?.end())

  test('an uploaded disk boots', async () => {
    await server.apply({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      metadata: { name: 'boot', namespace: 'default' },
      spec: { displayName: 'boot', sourceType: 'upload' },
    })
    const disk = bootSectorDisk()
    const short = await ask('PUT', `${IMAGE}&size=${disk.length + 1}`, disk)
    assert.equal(short.status, 400, short.bytes.toString())
    assert.match(short.bytes.toString(), /bytes came; send the file again/)
    await until('the upload can be sent again', async () => (await ask('PUT', IMAGE, disk)).status === 200)
    const storageClass = await until('the class of the image', async () => {
      const { items } = await server.client.list(StorageClass)
      return items.find(({ parameters }) => parameters?.['backingImage'] !== undefined)?.metadata.name
    })
    const claim = {
      metadata: { name: 'm-disk', annotations: { 'harvesterhci.io/imageId': 'default/boot' } },
      spec: {
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage: '16Mi' } },
        volumeMode: 'Block',
        storageClassName: storageClass,
      },
    }
    await server.apply(
      machine({
        name: 'm',
        disks: [{ name: 'root', bootOrder: 1, disk: { bus: 'virtio' } }],
        volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'm-disk' } }],
        annotations: { 'harvesterhci.io/volumeClaimTemplates': JSON.stringify([claim]) },
      }),
    )
    await statusIs('Running')
  })

  test('console, reset, screen and log are the same machine', async () => {
    const socket = await socketTo('/virtualmachineinstances/m/console')
    const heard = hearing(socket)
    await until('the first boot on the console', () => heard().includes('=A'))
    assert.equal((await ask('PUT', `${SUBRESOURCES}/virtualmachineinstances/m/reset`)).status, 202)
    await until('the second boot on the console', () => heard().includes('=B'))
    socket.close()
    const screen = await socketTo('/virtualmachineinstances/m/vnc')
    const said = hearing(screen)
    await until('the greeting of the screen', () => said().startsWith('RFB 003.008\n'))
    screen.close()
    const picture = await ask('GET', `${SUBRESOURCES}/virtualmachineinstances/m/vnc/screenshot`)
    assert.equal(picture.bytes.subarray(1, 4).toString(), 'PNG')
    const [pod = ''] = (await server.kubectl(['get', 'pod', '-o', 'name'])).trim().split('\n')
    assert.match(await server.kubectl(['logs', pod, '-c', 'compute']), /=B/)
    const exec = await server.tryKubectl(['exec', pod, '--', 'ls'])
    assert.notEqual(exec.code, 0)
    assert.match(exec.stderr, /croft vm console m -n default/)
  })

  test('pause and unpause, restart, stop and start', async () => {
    const instance = `${SUBRESOURCES}/virtualmachineinstances/m`
    const vm = `${SUBRESOURCES}/virtualmachines/m`
    assert.equal((await ask('PUT', `${instance}/pause`)).status, 202)
    assert.equal((await ask('PUT', `${instance}/pause`)).status, 409)
    await statusIs('Paused')
    assert.equal((await ask('PUT', `${instance}/unpause`)).status, 202)
    await statusIs('Running')
    assert.equal((await ask('GET', `${instance}/userlist`)).status, 409)
    const uidBefore = (await server.find(VirtualMachine, 'm'))?.metadata.uid
    const run = async () =>
      (await server.kubectl(['get', 'vmi', 'm', '-o', 'jsonpath={.metadata.uid}'])).trim()
    const first = await run()
    assert.equal((await ask('PUT', `${vm}/restart`)).status, 202)
    await until('another run', async () => {
      const ran = await server.tryKubectl([
        'get',
        'vmi',
        'm',
        '-o',
        'jsonpath={.metadata.uid} {.status.phase}',
      ])
      return ran.stdout.endsWith(' Running') && !ran.stdout.startsWith(first)
    })
    assert.equal((await server.find(VirtualMachine, 'm'))?.metadata.uid, uidBefore)
    assert.equal((await ask('PUT', `${vm}/stop`)).status, 202)
    await statusIs('Stopped')
    assert.equal((await ask('PUT', `${vm}/stop`)).status, 409)
    assert.equal((await ask('PUT', `${vm}/start`, '{"paused":true}')).status, 202)
    await statusIs('Paused')
    assert.equal((await ask('PUT', `${instance}/unpause`)).status, 202)
    await statusIs('Running')
  })
})
