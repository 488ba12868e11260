// Where devices sit: one PCI Express root port each, in the order asked for, spare ones for hot-plug behind them.
// Conventional PCI devices share one bridge. The layout depends on the order of the devices alone.
import { device, type PlanProblem, problem } from './part.ts'

/** Eight root ports share a slot of the root bus as its functions. */
const PORTS_PER_SLOT = 8
/** Slot 0 is the host bridge, slot 1 the display. */
const FIRST_PORT_SLOT = 2
/** Bus numbers of one PCI segment, less those of the root bus and the bridge; more devices cannot be addressed. */
const PORTS_MAX = 200
/** Slots of the bridge for conventional devices; slot 0 is not usable for hot-plug and is left out. */
const BRIDGE_SLOTS = 31

export interface PciPlace {
  readonly bus: string
  readonly addr: string
}

export interface PciLayout {
  /** The next free root port. */
  express(): PciPlace
  /** The place that a guest sees as this address (`0000:BB:SS.F`), or why it cannot be had. */
  at(address: string, field: string): PciPlace | PlanProblem
  /** The next free slot of the bridge for conventional devices. */
  conventional(): PciPlace
  /** The arguments that make the ports, to stand before the devices; the layout is then closed. */
  finish(spare: (used: number) => number): {
    readonly argv: readonly string[]
    readonly problems: readonly PlanProblem[]
    readonly spareBuses: readonly string[]
  }
}

const ADDRESS = /^([0-9a-fA-F]{4}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])$/

export function pciLayout(): PciLayout {
  const taken = new Set<number>()
  let next = 0
  let conventional = 0
  const place = (index: number): PciPlace => {
    taken.add(index)
    return { bus: `rp${index}`, addr: '0x0' }
  }
  return {
    express() {
      while (taken.has(next)) next += 1
      return place(next)
    },
    at(address, field) {
      const match = ADDRESS.exec(address)
      const [bus, slot, fn] = [match?.[2], match?.[3], match?.[4]].map((digits) =>
        Number.parseInt(digits ?? '', 16),
      )
      // Firmware numbers the buses behind root ports in their order, from 1.
      const index = (bus ?? 0) - 1
      const fits = match?.[1] === '0000' && slot === 0 && fn === 0 && index >= 0 && index < PORTS_MAX
      if (!fits || taken.has(index))
        return problem(
          'PciAddressUnsupported',
          `PCI address ${address} ${taken.has(index) ? 'is taken by another device' : 'cannot be given'}: use 0000:BB:00.0 with a free bus BB from 01, or leave it out`,
          field,
        )
      return place(index)
    },
    conventional() {
      conventional += 1
      return { bus: 'pci.0', addr: `0x${conventional.toString(16)}` }
    },
    finish(spare) {
      const used = Math.max(-1, ...taken) + 1
      const ports = used + spare(taken.size)
      const all = ports + (conventional > 0 ? 1 : 0)
      const problems =
        all > PORTS_MAX || conventional > BRIDGE_SLOTS
          ? [
              problem(
                'TooManyDevices',
                `the machine has more devices than PCI places (${PORTS_MAX}): remove some`,
              ),
            ]
          : []
      const argv = [...Array(Math.min(all, PORTS_MAX)).keys()].flatMap(rootPort)
      // The bridge takes a bus number of its own and therefore comes last.
      const bridge =
        conventional > 0 ? device('pcie-pci-bridge', { id: 'pci.0', bus: `rp${ports}`, addr: '0x0' }) : []
      const spareBuses = [...Array(ports).keys()]
        .filter((index) => !taken.has(index))
        .map((index) => `rp${index}`)
      return { argv: [...argv, ...bridge], problems, spareBuses }
    },
  }
}

function rootPort(index: number): readonly string[] {
  const slot = FIRST_PORT_SLOT + Math.floor(index / PORTS_PER_SLOT)
  const fn = index % PORTS_PER_SLOT
  return device('pcie-root-port', {
    id: `rp${index}`,
    bus: 'pcie.0',
    chassis: index + 1,
    port: index + 1,
    addr: `0x${slot.toString(16)}.0x${fn}`,
    ...(fn === 0 ? { multifunction: true } : {}),
  })
}

/**
 * Spare ports as KubeVirt leaves them: small guests at least 3, bigger ones 16 in all and never fewer than 6.
 * `used` counts the ports with a device.
 */
export function sparePorts(guestBytes: number, used: number, hotplug: boolean): number {
  if (!hotplug) return 0
  const small = guestBytes <= 2 * 1024 ** 3
  return small ? 3 : Math.max(6, 16 - used)
}
