// Switches of the virtual hardware, among them what makes Windows guests quick.
import { s } from '../../build.ts'

export const featureState = s.object({
  enabled: s.boolean(),
})

export const featureAPIC = s.object({
  enabled: s.boolean(),
  endOfInterrupt: s.boolean(),
})

export const featureSpinlocks = s.object({
  enabled: s.boolean(),
  spinlocks: s.integer(undefined, { format: 'int64' }),
})

export const syNICTimer = s.object({
  direct: featureState,
  enabled: s.boolean(),
})

export const tlbFlush = s.object({
  direct: featureState,
  enabled: s.boolean(),
  extended: featureState,
})

export const featureVendorID = s.object({
  enabled: s.boolean(),
  vendorid: s.string(),
})

export const featureHyperv = s.object({
  evmcs: featureState,
  frequencies: featureState,
  ipi: featureState,
  reenlightenment: featureState,
  relaxed: featureState,
  reset: featureState,
  runtime: featureState,
  spinlocks: featureSpinlocks,
  synic: featureState,
  synictimer: syNICTimer,
  tlbflush: tlbFlush,
  vapic: featureState,
  vendorid: featureVendorID,
  vpindex: featureState,
})

export const hyperVPassthrough = s.object({
  enabled: s.boolean(),
})

export const featureKVM = s.object({
  hidden: s.boolean(),
})

export const features = s.object({
  acpi: featureState,
  apic: featureAPIC,
  hyperv: featureHyperv,
  hypervPassthrough: hyperVPassthrough,
  kvm: featureKVM,
  pvspinlock: featureState,
  smm: featureState,
})
