// The smaller devices: consoles, display, input, agent channel, balloon, watchdog, sound, random numbers, panic.
import { usesEfi } from './firmware.ts'
import { device, escaped, object, type Part, type PlanProblem, problem, type VmiSpec } from './part.ts'
import type { PciLayout } from './pci.ts'

export interface MachineSockets {
  readonly qmp: string
  readonly rescue: string
  readonly agent: string
  readonly serial?: string
  readonly vnc?: string
}

export interface DevicesInput {
  readonly spec: VmiSpec
  readonly annotations: Readonly<Record<string, string>>
  readonly sockets: MachineSockets
  readonly folder: string
  readonly pci: PciLayout
  readonly usesUsb: boolean
}

/** How often the guest reports its memory use; KubeVirt's period. Seconds. */
const BALLOON_STATS_SECONDS = 10

export function planDevices(input: DevicesInput): readonly Part[] {
  return [
    monitors(input),
    serial(input),
    display(input),
    agentChannel(input),
    usb(input),
    balloon(input),
    rng(input),
    panic(input),
    watchdog(input),
    sound(input),
    { argv: [], problems: unsupported(input.spec) },
  ]
}

function socketChardev(id: string, path: string, more = ''): readonly string[] {
  return ['-chardev', `socket,id=${id},path=${escaped(path)},server=on,wait=off${more}`]
}

/** A QMP socket serves one client: the second one is for rescue, where `stop` on the first hangs. */
function monitors({ sockets }: DevicesInput): Part {
  return {
    argv: [
      ...socketChardev('qmp', sockets.qmp),
      '-mon',
      'chardev=qmp,mode=control',
      ...socketChardev('rescue', sockets.rescue),
      '-mon',
      'chardev=rescue,mode=control',
    ],
  }
}

function serial({ sockets, folder }: DevicesInput): Part {
  if (sockets.serial === undefined) return { argv: [] }
  // QEMU keeps the log itself, so that nothing is lost while the agent is away.
  const log = `,logfile=${escaped(`${folder}/serial.log`)},logappend=on`
  return {
    argv: [
      ...socketChardev('serial0', sockets.serial, log),
      ...device('isa-serial', { id: 'ua-serial0', chardev: 'serial0', index: 0 }),
    ],
  }
}

const VIDEO: Readonly<
  Record<string, { readonly driver: string; readonly memory?: Readonly<Record<string, number>> }>
> = {
  vga: { driver: 'VGA', memory: { vgamem_mb: 16 } },
  cirrus: { driver: 'cirrus-vga' },
  virtio: { driver: 'virtio-vga' },
  ramfb: { driver: 'ramfb' },
  bochs: { driver: 'bochs-display' },
}

function display({ spec, sockets }: DevicesInput): Part {
  if (sockets.vnc === undefined) return { argv: ['-display', 'none', '-vga', 'none'] }
  const { domain } = spec
  const asked = domain.devices.video?.type || (usesEfi(domain) ? 'bochs' : 'vga')
  const video = VIDEO[asked]
  if (!video)
    return {
      argv: [],
      problems: [
        problem(
          'DeviceUnsupported',
          `video type ${asked} is not known: use vga, cirrus, virtio, ramfb or bochs`,
          'spec.domain.devices.video.type',
        ),
      ],
    }
  const place = asked === 'ramfb' ? {} : { bus: 'pcie.0', addr: '0x1' }
  return {
    argv: [
      '-vnc',
      `unix:${escaped(sockets.vnc)}`,
      ...device(video.driver, { id: 'ua-video', ...place, ...video.memory }),
    ],
  }
}

function agentChannel({ sockets, pci }: DevicesInput): Part {
  return {
    argv: [
      ...device('virtio-serial-pci', { id: 'channels', ...pci.express() }),
      ...socketChardev('agent', sockets.agent),
      ...device('virtserialport', {
        id: 'ua-agent',
        bus: 'channels.0',
        nr: 1,
        chardev: 'agent',
        name: 'org.qemu.guest_agent.0',
      }),
    ],
  }
}

function usb({ spec, pci, usesUsb }: DevicesInput): Part {
  const { inputs = [], autoattachInputDevice } = spec.domain.devices
  const asked =
    autoattachInputDevice && inputs.length === 0 ? [{ name: 'default', type: 'tablet', bus: 'usb' }] : inputs
  const unknown = asked.filter((one) => one.type !== 'tablet')
  const tablets = asked.filter((one) => one.type === 'tablet')
  const overUsb = tablets.filter((one) => one.bus !== 'virtio')
  return {
    argv: [
      ...(overUsb.length > 0 || usesUsb ? device('qemu-xhci', { id: 'xhci', ...pci.express() }) : []),
      ...overUsb.flatMap((one) => device('usb-tablet', { id: `in-${one.name}`, bus: 'xhci.0' })),
      ...tablets
        .filter((one) => one.bus === 'virtio')
        .flatMap((one) => device('virtio-tablet-pci', { id: `in-${one.name}`, ...pci.express() })),
    ],
    problems: unknown.map((one) =>
      problem(
        'DeviceUnsupported',
        `input ${one.name}: type ${one.type} is not known: use tablet`,
        'spec.domain.devices.inputs',
      ),
    ),
  }
}

function balloon({ spec, annotations, pci }: DevicesInput): Part {
  const { domain } = spec
  if (domain.devices.autoattachMemBalloon === false) return { argv: [] }
  const reporting =
    !domain.memory?.hugepages && annotations['kubevirt.io/free-page-reporting-disabled'] !== 'true'
  return {
    argv: device('virtio-balloon-pci', {
      id: 'balloon0',
      ...pci.express(),
      'free-page-reporting': reporting,
    }),
    qmp: [
      {
        execute: 'qom-set',
        arguments: {
          path: '/machine/peripheral/balloon0',
          property: 'guest-stats-polling-interval',
          value: BALLOON_STATS_SECONDS,
        },
      },
    ],
  }
}

function rng({ spec, pci }: DevicesInput): Part {
  if (!spec.domain.devices.rng) return { argv: [] }
  return {
    argv: [
      ...object('rng-random', 'rng0', { filename: '/dev/urandom' }),
      ...device('virtio-rng-pci', { id: 'ua-rng', rng: 'rng0', ...pci.express() }),
    ],
  }
}

/** A guest can always tell that it panicked and leave its core notes; further devices on request. */
function panic({ spec, pci }: DevicesInput): Part {
  const models = (spec.domain.devices.panicDevices ?? []).map((one) => one.model ?? 'isa')
  const unknown = models.filter((model) => !['isa', 'pvpanic', 'hyperv'].includes(model))
  return {
    argv: [
      ...device('pvpanic', {}),
      ...device('vmcoreinfo', {}),
      ...(models.includes('pvpanic') ? device('pvpanic-pci', { id: 'ua-panic', ...pci.conventional() }) : []),
    ],
    problems: unknown.map((model) =>
      problem(
        'DeviceUnsupported',
        `panic device model ${model} is not known: use isa, pvpanic or hyperv`,
        'spec.domain.devices.panicDevices',
      ),
    ),
  }
}

function watchdog({ spec, pci }: DevicesInput): Part {
  const asked = spec.domain.devices.watchdog
  if (!asked) return { argv: [] }
  if (asked.diag288)
    return {
      argv: [],
      problems: [
        problem(
          'DeviceUnsupported',
          'watchdog diag288 exists on s390x only: use i6300esb',
          'spec.domain.devices.watchdog',
        ),
      ],
    }
  const action = asked.i6300esb?.action || 'reset'
  return {
    argv: [
      ...device('i6300esb', { id: 'ua-watchdog', ...pci.conventional() }),
      '-action',
      `watchdog=${action}`,
    ],
  }
}

function sound({ spec, pci }: DevicesInput): Part {
  const asked = spec.domain.devices.sound
  if (!asked) return { argv: [] }
  const model = asked.model || 'ich9'
  const backend = ['-audiodev', 'none,id=audio0']
  if (model === 'ac97')
    return {
      argv: [...backend, ...device('AC97', { id: 'ua-sound', audiodev: 'audio0', ...pci.conventional() })],
    }
  if (model === 'ich9')
    return {
      argv: [
        ...backend,
        ...device('ich9-intel-hda', { id: 'ua-sound', ...pci.conventional() }),
        ...device('hda-duplex', { bus: 'ua-sound.0', audiodev: 'audio0' }),
      ],
    }
  return {
    argv: [],
    problems: [
      problem(
        'DeviceUnsupported',
        `sound model ${model} is not known: use ich9 or ac97`,
        'spec.domain.devices.sound.model',
      ),
    ],
  }
}

function unsupported(spec: VmiSpec): readonly PlanProblem[] {
  const { devices } = spec.domain
  const found: PlanProblem[] = []
  const refuse = (asked: boolean, what: string, field: string): void => {
    if (asked)
      found.push(
        problem(
          'DeviceUnsupported',
          `${what} not supported yet: remove ${field}`,
          `spec.domain.devices.${field}`,
        ),
      )
  }
  refuse((devices.gpus ?? []).length > 0, 'graphics processors are', 'gpus')
  refuse((devices.hostDevices ?? []).length > 0, 'devices of the host are', 'hostDevices')
  refuse((devices.filesystems ?? []).length > 0, 'shared file systems are', 'filesystems')
  refuse(devices.autoattachVSOCK === true, 'vsock is', 'autoattachVSOCK')
  refuse(devices.clientPassthrough !== undefined, 'USB devices of a client are', 'clientPassthrough')
  refuse(devices.downwardMetrics !== undefined, 'downward metrics are', 'downwardMetrics')
  return found
}
