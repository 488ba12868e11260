// Switches of the virtual hardware, among them what makes Windows guests quick.
import { s } from '../../build.ts'

export const featureState = s.object(
  {
    enabled: s.boolean('On or off; on when the switch is named at all.'),
  },
  'A switch.',
)

export const featureAPIC = s.object(
  {
    enabled: s.boolean('On or off.'),
    endOfInterrupt: s.boolean('Ends interrupts without leaving the guest.'),
  },
  'The interrupt controller.',
)

export const featureSpinlocks = s.object(
  {
    enabled: s.boolean('On or off.'),
    spinlocks: s.integer('Tries before it yields; 4096 when empty.', { format: 'int64' }),
  },
  'Lets a waiting processor yield.',
)

export const syNICTimer = s.object(
  {
    direct: s.doc(featureState, 'Delivers timers as interrupts.'),
    enabled: s.boolean('On or off.'),
  },
  'Synthetic timers of Hyper-V.',
)

export const tlbFlush = s.object(
  {
    direct: s.doc(featureState, 'Allows flushes from nested guests.'),
    enabled: s.boolean('On or off.'),
    extended: s.doc(featureState, 'Allows flushes of ranges.'),
  },
  'Flushes of address translations by the host.',
)

export const featureVendorID = s.object(
  {
    enabled: s.boolean('On or off.'),
    vendorid: s.string('The name, up to twelve characters.'),
  },
  'Name of the hypervisor that the guest reads.',
)

export const featureHyperv = s.object(
  {
    evmcs: s.doc(featureState, 'Quicker nested virtualization on Intel.'),
    frequencies: s.doc(featureState, 'Tells the guest its clock frequencies.'),
    ipi: s.doc(featureState, 'Quicker interrupts between processors.'),
    reenlightenment: s.doc(featureState, 'Tells the guest when its clock frequency changes.'),
    relaxed: s.doc(featureState, 'Keeps the guest from alarm when it is scheduled late.'),
    reset: s.doc(featureState, 'Restart by a register.'),
    runtime: s.doc(featureState, 'Tells how long a processor ran.'),
    spinlocks: s.doc(featureSpinlocks, 'Lets waiting processors yield.'),
    synic: s.doc(featureState, 'Synthetic interrupt controller.'),
    synictimer: s.doc(syNICTimer, 'Synthetic timers.'),
    tlbflush: s.doc(tlbFlush, 'Flushes of address translations by the host.'),
    vapic: s.doc(featureState, 'Quicker access to the interrupt controller.'),
    vendorid: s.doc(featureVendorID, 'Name of the hypervisor.'),
    vpindex: s.doc(featureState, 'Number of a processor by a register.'),
  },
  'What makes Windows guests quick.',
)

export const hyperVPassthrough = s.object(
  {
    enabled: s.boolean('On or off.'),
  },
  'Turns on every Hyper-V feature that the host has; such a guest cannot be moved while running.',
)

export const featureKVM = s.object(
  {
    hidden: s.boolean('Hides KVM from the guest.'),
  },
  'How KVM shows itself.',
)

export const features = s.object(
  {
    acpi: s.doc(featureState, 'ACPI; on unless it is turned off.'),
    apic: s.doc(featureAPIC, 'Interrupt controller.'),
    hyperv: s.doc(featureHyperv, 'Features for Windows guests.'),
    hypervPassthrough: s.doc(hyperVPassthrough, 'All Hyper-V features of the host.'),
    kvm: s.doc(featureKVM, 'How KVM shows itself.'),
    pvspinlock: s.doc(featureState, 'Paravirtual locks.'),
    smm: s.doc(featureState, 'System management mode; secure boot needs it.'),
  },
  'Switches of the virtual hardware.',
)
