// All rules over the spec of one run. The same function judges a VirtualMachineInstance and the template of a
// VirtualMachine, whatever door they came through.
import type { Cause } from '../../../base/errors.ts'
import type { InstanceSpec } from '../types.ts'
import { cpuCauses } from './cpu.ts'
import { deviceCauses } from './devices.ts'
import { diskCauses } from './disks.ts'
import { firmwareCauses } from './firmware.ts'
import { memoryCauses } from './memory.ts'
import { networkCauses } from './networks.ts'
import { podCauses } from './pod.ts'
import { volumeCauses } from './volumes.ts'

/** What is wrong with `spec`, which has its defaults; `at` is its path, for instance `spec.template.spec`. */
export function instanceSpecCauses(
  spec: InstanceSpec,
  at: string,
  { sized = true }: { readonly sized?: boolean } = {},
): readonly Cause[] {
  return [
    ...(sized ? memoryCauses(spec.domain, `${at}.domain`) : []),
    ...cpuCauses(spec.domain, `${at}.domain`),
    ...diskCauses(spec, at),
    ...volumeCauses(spec, at),
    ...networkCauses(spec, at),
    ...firmwareCauses(spec, at),
    ...deviceCauses(spec, at),
    ...podCauses(spec, at),
  ]
}
