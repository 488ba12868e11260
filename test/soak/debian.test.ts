// A full Debian guest through the whole way: its own cloud-init sets hostname, user and key, ssh logs in, the guest
// agent tells system and address. Minutes under emulation, so it belongs to the soak.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { ALLOW_LOOPBACK, type ImageServer, imported, machine, startImageServer } from '../e2e/guest.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from '../e2e/server.ts'

const run = promisify(execFile)
const skip = await whyNoE2e()
const BUILD_MS = 900_000
const BOOT_MS = 600_000
const ROOT = join(import.meta.dirname, '../..')

async function debianImage(): Promise<string> {
  const path = process.env['CROFT_DEBIAN_IMAGE'] ?? join(ROOT, 'build/debian.qcow2')
  if (existsSync(path)) return path
  await mkdir(join(ROOT, 'build'), { recursive: true })
  await run(join(ROOT, 'guest/build-debian'), ['--install', '--cache', join(ROOT, 'build/packages'), path], {
    timeout: BUILD_MS,
    maxBuffer: 1 << 26,
  })
  return path
}

describe('a Debian guest', { skip }, () => {
  let server: E2eServer
  let images: ImageServer
  before(async () => {
    images = await startImageServer()
    server = await startE2eServer()
    await server.apply(ALLOW_LOOPBACK)
  })
  after(async () => {
    await server.end()
    await images.close()
  })

  test('cloud-init sets hostname, user and key; ssh logs in; the agent tells system and address', async () => {
    images.serve('/debian.qcow2', { file: await debianImage() })
    const key = join(server.root, 'key')
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const userData = `#cloud-config
hostname: first-light
users:
- name: jo
  sudo: ALL=(ALL) NOPASSWD:ALL
  shell: /bin/bash
  ssh_authorized_keys:
  - ${readFileSync(`${key}.pub`, 'utf8').trim()}
`
    const root = { name: 'root', dataVolume: { name: 'deb-root' } }
    await server.apply(
      machine({
        name: 'deb',
        memory: '1Gi',
        cores: 2,
        network: true,
        dataVolumeTemplates: [imported('deb-root', images.url('/debian.qcow2'), '6Gi')],
        disks: ['root', 'seed'].map((name) => ({ name, disk: { bus: 'virtio' } })),
        volumes: [root, { name: 'seed', cloudInitNoCloud: { userData } }],
      }),
    )
    const address = await until(
      'the guest agent tells the address',
      async () => {
        const vmi = await server.find(VirtualMachineInstance, 'deb')
        const agent = vmi?.status?.conditions?.some(
          (one) => one.type === 'AgentConnected' && one.status === 'True',
        )
        return agent && vmi?.status?.guestOSInfo?.id === 'debian' && vmi.status.interfaces?.[0]?.ipAddress
      },
      BOOT_MS,
    )
    const ssh = async (command: string): Promise<string> => {
      const options = [
        '-o',
        'StrictHostKeyChecking=no',
        '-o',
        'UserKnownHostsFile=/dev/null',
        '-o',
        'BatchMode=yes',
      ]
      const { stdout } = await run('ssh', ['-i', key, ...options, `jo@${address}`, command], {
        timeout: BOOT_MS,
      })
      return stdout.trim()
    }
    const hostname = await until('ssh logs in', () => ssh('hostname').catch(() => undefined), BOOT_MS)
    assert.equal(hostname, 'first-light')
    assert.equal(await ssh('sudo cloud-init status --wait | tail -n 1'), 'status: done')
    const disk = Number(await ssh('lsblk -bdno SIZE /dev/vda'))
    assert.equal(disk, 6 * 1024 ** 3)
  })
})
