// The DHCP and name server of the default network: one dnsmasq, detached like a machine, found again after our own
// restart. It gives each machine the address that was reserved for it and no other machine any.
import { deepEqual } from '../../base/equality.ts'
import { isObject, parseJson } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host, ProcessIdentity } from '../../host/host.ts'
import { run } from './host-network.ts'

/** A server that ends within this time did not start. */
const START_MS = 300
const END_TIMEOUT_MS = 5_000
const POLL_MS = 20

export interface Reservation {
  readonly mac: string
  readonly ip: string
}

export interface DnsmasqWish {
  /** Holds its files; other users can read what is in it. */
  readonly folder: string
  readonly bridge: string
  readonly gateway: string
  /** First address of the range and its mask. */
  readonly network: string
  readonly netmask: string
  readonly mtu: number
  readonly reservations: readonly Reservation[]
}

interface Running {
  readonly version: 1
  readonly process: ProcessIdentity
  readonly argv: readonly string[]
  /** Every pair this process has ever been told: it holds an address for the MAC that leased it. */
  readonly told: Readonly<Record<string, string>>
}

const statePath = (folder: string): string => `${folder}/dnsmasq.json`
const hostsPath = (folder: string): string => `${folder}/dhcp-hosts`

export function dnsmasqArgv(wish: DnsmasqWish): readonly string[] {
  const { folder, bridge, gateway, network, netmask, mtu } = wish
  return [
    'dnsmasq',
    '--keep-in-foreground',
    '--conf-file=/dev/null',
    '--user=nobody',
    '--group=nogroup',
    '--pid-file',
    `--interface=${bridge}`,
    '--except-interface=lo',
    // Beside any other server of the host: only our own address is listened on.
    '--bind-dynamic',
    `--dhcp-range=${network},static,${netmask},24h`,
    `--dhcp-hostsfile=${hostsPath(folder)}`,
    `--dhcp-option=option:router,${gateway}`,
    `--dhcp-option=option:dns-server,${gateway}`,
    `--dhcp-option=option:mtu,${mtu}`,
    '--dhcp-authoritative',
    '--dhcp-ignore-names',
    '--dhcp-no-override',
    // The reservations are the leases: nothing else is to be remembered.
    '--leasefile-ro',
    '--no-hosts',
    '--domain-needed',
    '--log-facility=-',
  ]
}

/** Brings the server to what is wished. True when something had to be done about the process itself. */
export async function ensureDnsmasq(host: Host, wish: DnsmasqWish): Promise<Result<'kept' | 'started'>> {
  const before = await readRunning(host, wish.folder)
  const argv = dnsmasqArgv(wish)
  const alive = before !== undefined && (await host.exec.isAlive(before.process))
  const told = Object.fromEntries(wish.reservations.map(({ ip, mac }) => [ip, mac]))
  const moved = Object.entries(told).some(([ip, mac]) => (before?.told[ip] ?? mac) !== mac)
  const hosts = hostsText(wish.reservations)
  const present = await host.files.readText(hostsPath(wish.folder))
  const differs = !present.ok || present.value !== hosts
  if (differs) {
    const written = await host.files.writeDurable(hostsPath(wish.folder), hosts, 0o644)
    if (!written.ok) return written
  }
  if (before !== undefined && alive && !moved && deepEqual(before.argv, argv)) {
    if (!differs) return ok('kept')
    const known = await writeRunning(host, wish.folder, { ...before, told: { ...before.told, ...told } })
    if (!known.ok) return known
    const reread = await run(host, ['kill', '-HUP', String(before.process.pid)])
    return reread.ok ? ok('kept') : reread
  }
  await stopDnsmasq(host, wish.folder)
  return start(host, wish, { argv, told })
}

function hostsText(reservations: readonly Reservation[]): string {
  return reservations
    .map(({ mac, ip }) => `${mac},${ip}\n`)
    .sort()
    .join('')
}

async function start(
  host: Host,
  { folder }: DnsmasqWish,
  { argv, told }: Pick<Running, 'argv' | 'told'>,
): Promise<Result<'started'>> {
  const log = `${folder}/dnsmasq.log`
  await host.files.remove(log)
  const started = await host.exec.startDetached(argv, { cwd: '/', stdoutPath: log, stderrPath: log })
  if (!started.ok) return started
  const known = await writeRunning(host, folder, { version: 1, process: started.value, argv, told })
  if (!known.ok) {
    await host.exec.kill(started.value, 'SIGKILL')
    return known
  }
  const deadline = host.clock.monotonic() + START_MS
  while (host.clock.monotonic() < deadline) {
    if (!(await host.exec.isAlive(started.value))) {
      const said = await host.files.readText(log)
      const stderr = said.ok ? said.value.trim() : ''
      const last = stderr.split('\n').at(-1) ?? ''
      return failed({
        reason: 'DnsmasqFailed',
        message: `dnsmasq, which gives machines their addresses, did not start${last === '' ? '' : `: ${last}`}`,
        retry: 'later',
        command: argv.join(' '),
        stderr,
      })
    }
    await host.clock.sleep(POLL_MS)
  }
  return ok('started')
}

/** Ends exactly our own server; also one that a crash left without a record. */
export async function stopDnsmasq(host: Host, folder: string): Promise<void> {
  const known = await readRunning(host, folder)
  const all = [...(known ? [known.process] : []), ...(await strays(host, hostsPath(folder)))]
  for (const process of all) {
    if (!(await host.exec.kill(process, 'SIGTERM'))) continue
    const deadline = host.clock.monotonic() + END_TIMEOUT_MS
    while ((await host.exec.isAlive(process)) && host.clock.monotonic() < deadline)
      await host.clock.sleep(POLL_MS)
    await host.exec.kill(process, 'SIGKILL')
  }
  await host.files.remove(statePath(folder))
}

/** Processes that serve our hosts file, by their command line. */
async function strays({ files }: Host, hosts: string): Promise<readonly ProcessIdentity[]> {
  const boot = await files.readText('/proc/sys/kernel/random/boot_id')
  const names = await files.list('/proc')
  const found: ProcessIdentity[] = []
  for (const name of names.ok ? names.value : []) {
    if (!/^\d+$/.test(name)) continue
    const line = await files.readText(`/proc/${name}/cmdline`)
    if (!line.ok || !line.value.split('\0').includes(`--dhcp-hostsfile=${hosts}`)) continue
    const stat = await files.readText(`/proc/${name}/stat`)
    if (!stat.ok) continue
    // The program's name in brackets may hold spaces and brackets itself.
    const fields = stat.value.slice(stat.value.lastIndexOf(')') + 2).split(' ')
    found.push({
      pid: Number(name),
      startTicks: Number(fields[19]),
      bootId: boot.ok ? boot.value.trim() : '',
    })
  }
  return found
}

async function readRunning({ files }: Host, folder: string): Promise<Running | undefined> {
  const text = await files.readText(statePath(folder))
  try {
    const value = text.ok ? parseJson(text.value) : undefined
    return isObject(value) && value['version'] === 1 ? (value as unknown as Running) : undefined
  } catch {
    return undefined
  }
}

function writeRunning({ files }: Host, folder: string, running: Running): Promise<Result<void>> {
  return files.writeDurable(statePath(folder), JSON.stringify(running), 0o600)
}
