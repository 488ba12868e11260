// Defaults of the virtual hardware's switches: what is named is on, and what needs another switch brings it along.
import type { JsonObject } from '../../../base/json.ts'
import { isObject } from '../../../base/json.ts'

/** Retries before a waiting processor yields, as Hyper-V itself has it. */
const SPINLOCK_RETRIES = 4096
/** Switches that work only with others: on the left the switch, on the right what it needs. */
const NEEDS: readonly (readonly [string, readonly string[]])[] = [
  ['synictimer', ['synic', 'vpindex']],
  ['synic', ['vpindex']],
  ['ipi', ['vpindex']],
  ['tlbflush', ['vpindex']],
  ['evmcs', ['vapic']],
]

function switchedOn(value: unknown): unknown {
  return isObject(value) && value['enabled'] === undefined ? { ...value, enabled: true } : value
}

/** `features` with ACPI on unless it is turned off, and `enabled` written out. */
export function featuresWithDefaults(features: JsonObject | undefined): JsonObject {
  const given = features ?? {}
  const out: Record<string, unknown> = { ...given, acpi: switchedOn(given['acpi'] ?? {}) }
  for (const name of ['apic', 'smm', 'pvspinlock', 'hypervPassthrough'])
    if (given[name] !== undefined) out[name] = switchedOn(given[name])
  if (isObject(given['hyperv'])) out['hyperv'] = hypervWithDefaults(given['hyperv'])
  return out as JsonObject
}

function hypervWithDefaults(hyperv: JsonObject): JsonObject {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(hyperv)) out[name] = switchedOn(value)
  const locks = out['spinlocks']
  if (isObject(locks) && locks['enabled'] === true && locks['spinlocks'] === undefined)
    out['spinlocks'] = { ...locks, spinlocks: SPINLOCK_RETRIES }
  for (const [name, needs] of NEEDS)
    if (isOn(out[name])) for (const need of needs) if (out[need] === undefined) out[need] = { enabled: true }
  return out as JsonObject
}

function isOn(value: unknown): boolean {
  return isObject(value) && value['enabled'] === true
}
