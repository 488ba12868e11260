// Everything that is plugged into the machine beside processors and memory.

import { s } from '../../build.ts'
import { disk } from './disks.ts'
import { featureState } from './features.ts'
import { networkInterface } from './interfaces.ts'

export const clientPassthroughDevices = s.object({}, 'Lets clients plug in their own USB devices.')

export const downwardMetrics = s.object({}, 'Tells the guest about its host by a channel.')

export const filesystemVirtiofs = s.object({}, 'Shares by virtiofs.')

export const filesystem = s.object(
  {
    name: s.string('Name of the volume; also the tag to mount by.'),
    virtiofs: s.doc(filesystemVirtiofs, 'Shares by virtiofs.'),
  },
  'A folder of a volume that is shared with the guest.',
  { required: ['name', 'virtiofs'] },
)

export const vgpuDisplayOptions = s.object(
  {
    enabled: s.boolean('Shows a screen.'),
    ramFB: s.doc(featureState, 'Shows a screen before the driver is loaded.'),
  },
  'Whether a virtual graphics card shows a screen.',
)

export const vgpuOptions = s.object(
  {
    display: s.doc(vgpuDisplayOptions, 'Its screen.'),
  },
  'Options of a virtual graphics card.',
)

export const gpu = s.object(
  {
    claimName: s.string('Claim that gives the device.'),
    deviceName: s.string('Resource that gives the device.'),
    name: s.string('Name within the machine.'),
    requestName: s.string('Part of the claim.'),
    tag: s.string('Word by which the guest finds the device in its metadata.'),
    virtualGPUOptions: s.doc(vgpuOptions, 'Options of a virtual graphics card.'),
  },
  'A graphics card handed to the guest.',
  { required: ['name'] },
)

export const hostDevice = s.object(
  {
    claimName: s.string('Claim that gives the device.'),
    deviceName: s.string('Resource that gives the device.'),
    name: s.string('Name within the machine.'),
    requestName: s.string('Part of the claim.'),
    tag: s.string('Word by which the guest finds the device in its metadata.'),
  },
  'A device of the host handed to the guest.',
  { required: ['name'] },
)

export const input = s.object(
  {
    bus: s.string('usb or virtio; usb when empty.'),
    name: s.string('Name within the machine.'),
    type: s.string('tablet.'),
  },
  'An input device.',
  { required: ['type', 'name'] },
)

export const panicDevice = s.object(
  {
    model: s.string('hyperv, isa or pvpanic.'),
  },
  'A device by which the guest tells that it crashed.',
)

export const rng = s.object({}, 'Gives the guest random numbers of the host.')

export const soundDevice = s.object(
  {
    model: s.string('ich9 or ac97; ich9 when empty.'),
    name: s.string('Name within the machine.'),
  },
  'A sound card.',
  { required: ['name'] },
)

export const tpmDevice = s.object(
  {
    enabled: s.boolean('Whether it is there.'),
    persistent: s.boolean('Keeps its contents over restarts.'),
  },
  'A trusted platform module.',
)

export const videoDevice = s.object(
  {
    type: s.string('vga, cirrus, virtio, ramfb or bochs.'),
  },
  'The graphics card of the console.',
)

export const diag288Watchdog = s.object(
  {
    action: s.string('reset, poweroff or shutdown.'),
  },
  'Watchdog of IBM Z.',
)

export const i6300esbWatchdog = s.object(
  {
    action: s.string('reset, poweroff or shutdown; reset when empty.'),
  },
  'Watchdog on the PCI bus.',
)

export const watchdog = s.object(
  {
    diag288: s.doc(diag288Watchdog, 'Watchdog of IBM Z.'),
    i6300esb: s.doc(i6300esbWatchdog, 'Watchdog on the PCI bus.'),
    name: s.string('Name within the machine.'),
  },
  'Acts when the guest no longer answers.',
  { required: ['name'] },
)

export const devices = s.object(
  {
    autoattachGraphicsDevice: s.boolean('Whether there is a screen; true when empty.'),
    autoattachInputDevice: s.boolean('Adds a tablet, so that the pointer follows.'),
    autoattachMemBalloon: s.boolean('Whether memory can be given back; true when empty.'),
    autoattachPodInterface: s.boolean(
      'Whether a machine without networks gets the default one; true when empty.',
    ),
    autoattachSerialConsole: s.boolean('Whether there is a serial console; true when empty.'),
    autoattachVSOCK: s.boolean('Gives the guest a vsock address.'),
    blockMultiQueue: s.boolean('One queue for each processor on virtio disks.'),
    clientPassthrough: s.doc(clientPassthroughDevices, 'Lets clients plug in USB devices.'),
    disableHotplug: s.boolean('Keeps no room for plugging in later.'),
    disks: s.list(disk, 'Disks, in the order the guest finds them.'),
    downwardMetrics: s.doc(downwardMetrics, 'Tells the guest about its host.'),
    filesystems: s.list(filesystem, 'Shared folders.'),
    gpus: s.list(gpu, 'Graphics cards of the host.'),
    hostDevices: s.list(hostDevice, 'Devices of the host.'),
    inputs: s.list(input, 'Input devices.'),
    interfaces: s.list(networkInterface, 'Network cards, each with the name of its network.'),
    logSerialConsole: s.boolean('Keeps what the serial console shows; true when empty.'),
    networkInterfaceMultiqueue: s.boolean('One queue for each processor on virtio network cards.'),
    panicDevices: s.list(panicDevice, 'Tell that the guest crashed.'),
    rng: s.doc(rng, 'Random numbers of the host.'),
    sound: s.doc(soundDevice, 'A sound card.'),
    tpm: s.doc(tpmDevice, 'A trusted platform module.'),
    useVirtioTransitional: s.boolean('Devices that old guests know.'),
    video: s.doc(videoDevice, 'The graphics card of the console.'),
    watchdog: s.doc(watchdog, 'Acts when the guest no longer answers.'),
  },
  'Everything plugged into the machine.',
)
