// A full Debian guest: cloud-init of the real kind, ssh through the API's port-forward, its guest agent. Emulated it
// boots for minutes, so that it runs only where CROFT_DEBIAN_IMAGE names the image (made by guest/build-debian).
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { Pod } from '../../src/kinds/core/pod.ts'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { ALLOW_LOOPBACK, type ImageServer, imported, machine, serialLog, startImageServer } from './guest.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from './server.ts'

const run = promisify(execFile)
const IMAGE = process.env['CROFT_DEBIAN_IMAGE']
const skip =
  IMAGE === undefined || !existsSync(IMAGE)
    ? 'slow: name the Debian image in CROFT_DEBIAN_IMAGE'
    : await whyNoE2e()
const BOOT_MS = 600_000
let server: E2eServer
let images: ImageServer

/** A local port that leads to the guest's port. */
async function forwarded(pod: string, port: number): Promise<{ readonly port: number; end(): void }> {
  const argv = ['port-forward', `pod/${pod}`, `:${port}`]
  const child = spawn(server.kubectlPath, argv, { env: server.env, stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString()
  })
  const local = await until('the port is forwarded', () => /127\.0\.0\.1:(\d+)/.exec(said)?.[1])
  return { port: Number(local), end: () => void child.kill('SIGKILL') }
}

/** kubectl ends a forward whose first connection was refused, so that each attempt has its own. */
async function overSsh(pod: string, key: string, command: string): Promise<string | undefined> {
  const forward = await forwarded(pod, 22)
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'BatchMode=yes']
  const argv = [
    ...['-i', key, '-p', String(forward.port)],
    ...options.flatMap((one) => ['-o', one]),
    ...['jo@127.0.0.1', command],
  ]
  try {
    return (await run('ssh', argv, { timeout: 60_000 })).stdout
  } catch {
    return undefined
  } finally {
    forward.end()
  }
}

describe('a full Debian guest', { skip }, () => {
  before(async () => {
    server = await startE2eServer()
    images = await startImageServer()
    images.serve('/debian.qcow2', { file: IMAGE ?? '' })
    await server.apply(ALLOW_LOOPBACK)
  })
  after(async () => {
    await images?.close()
    await server?.end()
  })

  test('cloud-init, ssh and the guest agent', { timeout: 900_000 }, async () => {
    const key = join(server.root, 'key')
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const userData = `#cloud-config
hostname: deb
users:
- name: jo
  shell: /bin/bash
  ssh_authorized_keys:
  - ${(await readFile(`${key}.pub`, 'utf8')).trim()}
`
    await server.apply(
      machine({
        name: 'deb',
        memory: '1Gi',
        network: true,
        dataVolumeTemplates: [imported('deb-root', images.url('/debian.qcow2'), '4Gi')],
        disks: ['root', 'seed'].map((name) => ({ name, disk: { bus: 'virtio' } })),
        volumes: [
          { name: 'root', dataVolume: { name: 'deb-root' } },
          { name: 'seed', cloudInitNoCloud: { userData } },
        ],
      }),
    )
    const vmi = await until(
      'the guest agent speaks',
      async () => {
        const now = await server.find(VirtualMachineInstance, 'deb')
        return now?.status?.guestOSInfo?.id === 'debian' && now
      },
      BOOT_MS,
      async () =>
        serialLog(server.data, (await server.find(VirtualMachineInstance, 'deb'))?.metadata.uid ?? ''),
    )
    assert.match(vmi.status?.interfaces?.[0]?.ipAddress ?? '', /^\d+\.\d+\.\d+\.\d+$/)
    const pods = await server.client.list(Pod, { namespace: 'default' })
    const pod = pods.items[0]?.metadata.name ?? ''
    const said = await until('ssh answers', () => overSsh(pod, key, 'hostname; id -un'), 240_000)
    assert.equal(said, 'deb\njo\n')
    await server.kubectl(['delete', 'vm', 'deb', '--timeout=120s'])
  })
})
