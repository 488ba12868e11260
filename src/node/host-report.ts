// Reads what the Node object tells of this host.
import type { Host } from '../host/host.ts'
import type { AgentOptions } from './agent-options.ts'
import type { HostReport } from './plan/node-object.ts'
import { processorsOf } from './start-gate.ts'

const VENDORS: Readonly<Record<string, string>> = { GenuineIntel: 'Intel', AuthenticAMD: 'AMD' }

export async function readHost(options: AgentOptions): Promise<HostReport> {
  const { host, nodeName, nodeIp, dataFolder, version } = options
  const cpu = await text(host, '/proc/cpuinfo')
  const memory = /^MemTotal:\s+(\d+) kB/m.exec(await text(host, '/proc/meminfo'))
  const release = await text(host, '/etc/os-release')
  const space = await host.files.space(dataFolder)
  return {
    nodeName,
    address: nodeIp,
    cpus: processorsOf(cpu),
    memoryBytes: Number(memory?.[1] ?? 0) * 1024,
    diskBytes: space.ok ? space.value.totalBytes : 0,
    diskFreeBytes: space.ok ? space.value.freeBytes : 0,
    machineId: (await text(host, '/etc/machine-id')).trim(),
    systemUuid: (await text(host, '/sys/class/dmi/id/product_uuid')).trim().toLowerCase(),
    bootId: (await text(host, '/proc/sys/kernel/random/boot_id')).trim(),
    kernel: (await text(host, '/proc/sys/kernel/osrelease')).trim(),
    osImage: /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(release)?.[1] ?? 'Linux',
    version,
    vendor: VENDORS[/^vendor_id\s*:\s*(\S+)/m.exec(cpu)?.[1] ?? ''] ?? '',
    devices: {
      tun: (await host.files.stat('/dev/net/tun')).ok,
      vhostNet: (await host.files.stat('/dev/vhost-net')).ok,
    },
  }
}

async function text(host: Host, path: string): Promise<string> {
  const read = await host.files.readText(path)
  return read.ok ? read.value : ''
}
