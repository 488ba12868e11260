// Gathers what plans must know of this host: QEMU's version and types, processors, firmware, the accelerator.
// What costs time is cached for one boot and one QEMU; a changed binary or a reboot asks anew.
import { isObject, type JsonObject, parseJson } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import {
  type Accelerator,
  type CpuModel,
  type FirmwarePair,
  type HostFacts,
  MACHINE_USER,
  type QemuVersion,
  type RunAs,
} from '../plan/facts.ts'
import { probeAccelerator } from './probe.ts'

const QEMU_TIMEOUT_MS = 20_000
/** Firmware of Debian and Ubuntu (ovmf), then Fedora's places. */
const UEFI: readonly FirmwarePair[] = [
  { code: '/usr/share/OVMF/OVMF_CODE_4M.fd', vars: '/usr/share/OVMF/OVMF_VARS_4M.fd' },
  { code: '/usr/share/OVMF/OVMF_CODE.fd', vars: '/usr/share/OVMF/OVMF_VARS.fd' },
  { code: '/usr/share/edk2/ovmf/OVMF_CODE.fd', vars: '/usr/share/edk2/ovmf/OVMF_VARS.fd' },
]
const SECURE_BOOT: readonly FirmwarePair[] = [
  { code: '/usr/share/OVMF/OVMF_CODE_4M.secboot.fd', vars: '/usr/share/OVMF/OVMF_VARS_4M.ms.fd' },
  { code: '/usr/share/OVMF/OVMF_CODE.secboot.fd', vars: '/usr/share/OVMF/OVMF_VARS.ms.fd' },
  { code: '/usr/share/edk2/ovmf/OVMF_CODE.secboot.fd', vars: '/usr/share/edk2/ovmf/OVMF_VARS.secboot.fd' },
]

export interface FactsInput {
  /** Where the cache is kept. */
  readonly cacheFolder: string
  /** A folder that the machines' user can reach, for the test guest. */
  readonly probeFolder: string
}

/** Failure `QemuMissing` when there is no QEMU, `QemuUnusable` when it does not answer. */
export async function gatherHostFacts(host: Host, input: FactsInput): Promise<Result<HostFacts>> {
  const binary = await host.exec.find('qemu-system-x86_64')
  if (!binary)
    return failed({
      reason: 'QemuMissing',
      message: 'qemu-system-x86_64 is not installed: apt-get install qemu-system-x86',
      retry: 'later',
    })
  const runAs = await machineUser(host)
  const slow = await cached(host, input, binary, runAs)
  if (!slow.ok) return slow
  const uefi = await firstPresent(host, UEFI)
  const secureBoot = await firstPresent(host, SECURE_BOOT)
  const swtpm = await host.exec.find('swtpm')
  return ok({
    arch: 'amd64',
    qemu: { binary, ...slow.value.qemu },
    accelerator: slow.value.accelerator,
    firmware: { ...(uefi ? { uefi } : {}), ...(secureBoot ? { secureBoot } : {}) },
    ...(swtpm ? { swtpm } : {}),
    ...(runAs ? { runAs } : {}),
  })
}

/** The same, with a host that cannot run machines told as facts too: it may be mended while we run. */
export async function hostFactsOrWhyNot(host: Host, input: FactsInput): Promise<Result<HostFacts>> {
  const facts = await gatherHostFacts(host, input)
  if (facts.ok) return facts
  const { reason, message } = facts.failure
  const known = reason === 'QemuMissing' || reason === 'QemuUnusable' ? reason : 'QemuUnusable'
  return ok({
    missing: { reason: known, message },
    arch: 'amd64',
    qemu: {
      binary: 'qemu-system-x86_64',
      version: { major: 0, minor: 0, micro: 0 },
      machineTypes: [],
      defaultMachineType: '',
      cpuModels: [],
    },
    accelerator: { kind: 'tcg', reason: message },
    firmware: {},
  })
}

/** Undefined where we are not root and cannot become another user. */
export async function machineUser(host: Host): Promise<RunAs | undefined> {
  const who = await host.exec.run(['id', '-u'], { timeoutMs: 5_000 })
  if (!who.ok || who.value.stdout.trim() !== '0') return undefined
  const owner = await host.exec.run(['stat', '-c', '%g', '/dev/kvm'], { timeoutMs: 5_000 })
  const group = owner.ok ? Number(owner.value.stdout.trim()) : 0
  return { ...MACHINE_USER, groups: group > 0 ? [group] : [] }
}

interface SlowFacts {
  readonly qemu: Omit<HostFacts['qemu'], 'binary'>
  readonly accelerator: Accelerator
}

async function cached(
  host: Host,
  input: FactsInput,
  binary: string,
  runAs: RunAs | undefined,
): Promise<Result<SlowFacts>> {
  const boot = await host.files.readText('/proc/sys/kernel/random/boot_id')
  const stat = await host.files.stat(binary)
  const key = [
    boot.ok ? boot.value.trim() : '',
    binary,
    stat.ok ? `${stat.value.sizeBytes}/${stat.value.modifiedMs}` : '',
    JSON.stringify(runAs ?? null),
  ].join(' ')
  const path = `${input.cacheFolder}/host-facts.json`
  const kept = await host.files.readText(path)
  const known = kept.ok ? readCache(kept.value, key) : undefined
  if (known) return ok(known)
  const qemu = await askQemu(host, binary)
  if (!qemu.ok) return qemu
  const accelerator = await probeAccelerator(host, {
    qemu: binary,
    folder: input.probeFolder,
    ...(runAs ? { runAs } : {}),
  })
  const facts = { qemu: qemu.value, accelerator }
  const written = await host.files.writeDurable(path, JSON.stringify({ key, facts }))
  // Without the cache the next start is slower, nothing else.
  if (!written.ok) host.log.warn('host facts were not cached', { why: written.failure.message })
  return ok(facts)
}

function readCache(text: string, key: string): SlowFacts | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) && value['key'] === key ? (value['facts'] as unknown as SlowFacts) : undefined
  } catch {
    return undefined
  }
}

async function askQemu(host: Host, binary: string): Promise<Result<Omit<HostFacts['qemu'], 'binary'>>> {
  const commands = ['qmp_capabilities', 'query-machines', 'query-cpu-definitions', 'quit']
  const ran = await host.exec.run(
    [
      binary,
      '-machine',
      'none,accel=tcg',
      '-no-user-config',
      '-nodefaults',
      '-display',
      'none',
      '-qmp',
      'stdio',
    ],
    { timeoutMs: QEMU_TIMEOUT_MS, stdin: commands.map((execute) => JSON.stringify({ execute })).join('\n') },
  )
  if (!ran.ok) return ran
  const messages = ran.value.stdout
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [] : [parseJson(line)]))
  const greeting = messages.find((message) => isObject(message) && message['QMP'] !== undefined)
  const answers = messages.flatMap((message) =>
    isObject(message) && message['return'] !== undefined ? [message['return']] : [],
  )
  const machines = listOf(answers[1])
  const q35 = machines.filter((machine) => String(machine['name']).startsWith('pc-q35-'))
  const standard = q35.find((machine) => machine['alias'] === 'q35')
  const version = versionOf(greeting)
  if (!version || !standard)
    return failed({
      reason: 'QemuUnusable',
      message: `${binary} did not tell its version and machine types: reinstall qemu-system-x86`,
      retry: 'later',
    })
  const models = listOf(answers[2]).map(
    (model): CpuModel => ({
      name: String(model['name']),
      unavailableFeatures: Array.isArray(model['unavailable-features'])
        ? model['unavailable-features'].map(String)
        : [],
    }),
  )
  return ok({
    version,
    machineTypes: q35.map((machine) => String(machine['name'])).sort(),
    defaultMachineType: String(standard['name']),
    cpuModels: models,
  })
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function versionOf(greeting: unknown): QemuVersion | undefined {
  const qmp = isObject(greeting) ? greeting['QMP'] : undefined
  const version = isObject(qmp) ? qmp['version'] : undefined
  const qemu = isObject(version) ? version['qemu'] : undefined
  if (!isObject(qemu)) return undefined
  return { major: Number(qemu['major']), minor: Number(qemu['minor']), micro: Number(qemu['micro']) }
}

async function firstPresent(host: Host, pairs: readonly FirmwarePair[]): Promise<FirmwarePair | undefined> {
  for (const pair of pairs) {
    const code = await host.files.stat(pair.code)
    const vars = await host.files.stat(pair.vars)
    if (code.ok && vars.ok) return pair
  }
  return undefined
}
