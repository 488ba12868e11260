// Finds out whether KVM really runs guest code here. Opening /dev/kvm proves nothing: on some hosts a guest is
// created and then dies or crawls. So a boot sector counts down and leaves through a debug port within a time limit.
import { ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import type { Accelerator, RunAs } from '../plan/facts.ts'
import { launchArgv } from '../plan/launch.ts'

/** A real KVM needs 0.1 s, emulation half a second; what is slower than this serves nobody. */
const PROBE_TIMEOUT_MS = 3_000
/** isa-debug-exit ends QEMU with (value << 1) | 1, and the guest writes 0x10. */
const EXIT_CODE = 33

/** cli; mov ecx, 100000000; l: dec ecx; jnz l; mov al, 0x10; out 0xf4, al; hlt */
const CODE = [0xfa, 0x66, 0xb9, 0x00, 0xe1, 0xf5, 0x05, 0x66, 0x49, 0x75, 0xfc, 0xb0, 0x10, 0xe6, 0xf4, 0xf4]

/** The boot sector of the test guest. */
export function bootSector(): Uint8Array {
  const sector = new Uint8Array(512)
  sector.set(CODE)
  sector.set([0x55, 0xaa], 510)
  return sector
}

export interface ProbeInput {
  readonly qemu: string
  /** A folder that the machines' user can reach. */
  readonly folder: string
  readonly runAs?: RunAs
}

export async function probeAccelerator(host: Host, input: ProbeInput): Promise<Accelerator> {
  const cpu = await host.files.readText('/proc/cpuinfo')
  const flags = cpu.ok ? (/^flags\s*:(.*)$/m.exec(cpu.value)?.[1] ?? '').split(' ') : []
  if (!flags.includes('vmx') && !flags.includes('svm'))
    return tcg(
      'the processor shows neither vmx nor svm: switch virtualisation on in the firmware, or nested virtualisation on the host below',
    )
  const pvm = await host.files.stat('/sys/module/kvm_pvm')
  if (pvm.ok)
    return tcg('this kernel has only the paravirtual kvm_pvm, under which ordinary guests do not run')
  const device = await host.files.stat('/dev/kvm')
  if (!device.ok) return tcg('/dev/kvm is missing: load the module kvm_intel or kvm_amd')
  const ran = await runGuest(host, input, 'kvm')
  if (ran.ok) return { kind: 'kvm', reason: 'a test guest ran under KVM' }
  return tcg(`a test guest did not run under KVM: ${ran.failure.message}`)
}

function tcg(why: string): Accelerator {
  return { kind: 'tcg', reason: `guests run in emulation (slow): ${why}` }
}

/** Runs the test guest once; ok when it came to its end in time. */
export async function runGuest(
  host: Host,
  { qemu, folder, runAs }: ProbeInput,
  accel: 'kvm' | 'tcg',
): Promise<Result<void>> {
  const path = `${folder}/probe.img`
  const written = await host.files.writeDurable(path, bootSector(), 0o644)
  if (!written.ok) return written
  const options = [
    '-M',
    'pc',
    '-accel',
    accel,
    '-cpu',
    'qemu64',
    '-m',
    '16',
    '-nodefaults',
    '-display',
    'none',
    '-boot',
    'a',
  ]
  const disk = [
    '-drive',
    `file=${path},format=raw,if=floppy,readonly=on`,
    '-device',
    'isa-debug-exit,iobase=0xf4,iosize=4',
  ]
  const launch = launchArgv([qemu, ...options, ...disk], { cgroupFiles: [], ...(runAs ? { runAs } : {}) })
  // The shell tells the code apart from failures to start, which end with other codes.
  const code = ['/bin/sh', '-c', `"$@"; code=$?; [ $code = ${EXIT_CODE} ]`, 'sh', ...launch]
  const ran = await host.exec.run(code, { timeoutMs: PROBE_TIMEOUT_MS })
  await host.files.remove(path)
  return ran.ok ? ok(undefined) : ran
}
