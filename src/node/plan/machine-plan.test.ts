// Plans as transcripts: the spec of a VirtualMachineInstance in, QEMU's command line out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import type { PlannedVolume } from './backing.ts'
import type { HostFacts } from './facts.ts'
import { type MachineInput, type MachinePlan, machineUuid, planMachine } from './machine-plan.ts'
import type { NicAttachment } from './nic.ts'
import type { PlanProblem, VmiSpec } from './part.ts'

const FACTS: HostFacts = {
  arch: 'amd64',
  qemu: {
    binary: '/usr/bin/qemu-system-x86_64',
    version: { major: 7, minor: 2, micro: 22 },
    machineTypes: ['pc-q35-7.1', 'pc-q35-7.2'],
    defaultMachineType: 'pc-q35-7.2',
    cpuModels: [
      { name: 'Haswell', unavailableFeatures: ['pcid'] },
      { name: 'qemu64', unavailableFeatures: [] },
    ],
  },
  accelerator: { kind: 'tcg', reason: 'no vmx' },
  firmware: {
    uefi: { code: '/fw/CODE.fd', vars: '/fw/VARS.fd' },
    secureBoot: { code: '/fw/CODE.secboot.fd', vars: '/fw/VARS.ms.fd' },
  },
}
const KVM: HostFacts = { ...FACTS, accelerator: { kind: 'kvm', reason: 'a test guest ran' } }
const NEW: HostFacts = { ...FACTS, qemu: { ...FACTS.qemu, version: { major: 10, minor: 0, micro: 2 } } }

const claim = (name: string, children = 1): PlannedVolume => ({
  name,
  backing: {
    kind: 'nbd',
    children: Array.from({ length: children }, (_, index) => ({
      server: { unix: `/r${index}/nbd` },
      exportName: `r${index}-1-abc`,
    })),
  },
})
const nic = (name: string): NicAttachment => ({
  name,
  mac: '02:00:5e:10:00:01',
  ip: '10.52.0.7',
  mtu: 1450,
  link: { kind: 'tap', ifname: `tap-${name}` },
})

interface Setting {
  readonly facts?: HostFacts
  readonly volumes?: readonly PlannedVolume[]
  readonly networks?: readonly NicAttachment[]
  readonly more?: Partial<MachineInput>
}

function input(
  yaml: string,
  { facts = FACTS, volumes = [], networks = [], more = {} }: Setting = {},
): MachineInput {
  const given = parse(yaml) as Partial<VmiSpec> & { readonly domain?: Partial<VmiSpec['domain']> }
  const domain = { memory: { guest: '64Mi' }, devices: {}, ...given.domain }
  return {
    vmi: {
      namespace: 'ns',
      name: 'web',
      uid: '11111111-2222-4333-8444-555555555555',
      annotations: {},
      spec: { ...given, domain } as VmiSpec,
    },
    volumes,
    networks,
    facts,
    folder: '/m',
    socketFolder: '/m/q',
    stateFolder: '/s',
    now: Date.UTC(2026, 0, 1),
    ...more,
  }
}

function plan(yaml: string, setting?: Setting): MachinePlan {
  const answer = planMachine(input(yaml, setting))
  assert.ok(answer.ok, JSON.stringify(answer))
  return answer.plan
}

function problems(yaml: string, setting?: Setting): readonly PlanProblem[] {
  const answer = planMachine(input(yaml, setting))
  return answer.ok ? [] : answer.problems
}

/** Values of one option, parsed where they are JSON. */
function option(made: MachinePlan, name: string): readonly unknown[] {
  return made.argv.flatMap((word, index) => {
    const value = made.argv[index + 1] ?? ''
    return word === name ? [value.startsWith('{') ? JSON.parse(value) : value] : []
  })
}

type Device = Readonly<Record<string, unknown>>
function device(made: MachinePlan, id: string): Device {
  const found = (option(made, '-device') as Device[]).find((one) => one['id'] === id)
  assert.ok(found, `no device ${id} in ${made.argv.join(' ')}`)
  return found
}
function drivers(made: MachinePlan): readonly unknown[] {
  return (option(made, '-device') as Device[]).map((one) => one['driver'])
}
const text = (made: MachinePlan, name: string): string => String(option(made, name)[0])

test('the smallest machine', () => {
  const made = plan('{}')
  assert.deepEqual(made.argv.slice(0, 7), [
    '/usr/bin/qemu-system-x86_64',
    '-name',
    'guest=ns_web,process=vm:web,debug-threads=on',
    '-no-user-config',
    '-nodefaults',
    '-S',
    '-action',
  ])
  assert.equal(text(made, '-action'), 'shutdown=pause,panic=pause,reboot=reset')
  assert.equal(
    text(made, '-sandbox'),
    'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny',
  )
  assert.equal(text(made, '-machine'), 'pc-q35-7.2,vmport=off,dump-guest-core=off,memory-backend=ram0')
  assert.equal(text(made, '-accel'), 'tcg,thread=multi,tb-size=64')
  assert.equal(text(made, '-cpu'), 'max')
  assert.equal(text(made, '-m'), 'size=64M')
  assert.equal(text(made, '-vnc'), 'unix:/m/q/vnc.sock')
  assert.equal(option(made, '-mon').length, 2)
  assert.deepEqual(made.spareBuses.length, 3)
  assert.equal(made.machineType, 'pc-q35-7.2')
})

test('guest memory is exactly what was asked for, in whole MiB, never less', () => {
  for (const [asked, size] of [
    ['64Mi', 64],
    ['64M', 62],
    ['4096M', 3907],
    ['1G', 954],
    ['1.5Gi', 1536],
    ['2147483648', 2048],
    ['2e9', 1908],
  ] as const)
    assert.equal(text(plan(`domain: {memory: {guest: "${asked}"}}`), '-m'), `size=${size}M`, asked)
})

test('guest memory comes from guest, then requests, then limits', () => {
  const of = (yaml: string): number => plan(`domain: ${yaml}`).memoryBytes / 2 ** 20
  assert.equal(of('{memory: {guest: 256Mi}, resources: {requests: {memory: 512Mi}}}'), 256)
  assert.equal(of('{memory: {}, resources: {requests: {memory: 256Mi}, limits: {memory: 512Mi}}}'), 256)
  assert.equal(of('{memory: {}, resources: {limits: {memory: 512Mi}}}'), 512)
  assert.deepEqual(
    problems('domain: {memory: {}}').map((one) => one.reason),
    ['MemoryMissing'],
  )
})

test('processors: topology, room for hot-plug, whole numbers from resources', () => {
  const smp = (yaml: string): string => text(plan(`domain: ${yaml}`), '-smp')
  assert.equal(smp('{}'), '1,sockets=1,cores=1,threads=1,maxcpus=1')
  assert.equal(
    smp('{cpu: {sockets: 2, cores: 2, threads: 2, maxSockets: 8}}'),
    '8,sockets=8,cores=2,threads=2,maxcpus=32',
  )
  assert.equal(smp('{resources: {requests: {cpu: 1500m}}}'), '2,sockets=2,cores=1,threads=1,maxcpus=2')
  assert.equal(smp('{cpu: {cores: 100, maxSockets: 4}}'), '100,sockets=2,cores=100,threads=1,maxcpus=200')
  assert.deepEqual(
    problems('domain: {cpu: {cores: 300}}').map((one) => one.reason),
    ['TooManyCpus'],
  )
})

test('processor models: the host one needs KVM and says so, unknown ones are refused', () => {
  const tcg = plan('domain: {cpu: {model: host-passthrough}}')
  assert.equal(text(tcg, '-cpu'), 'max')
  assert.match(tcg.notes.join(), /host-passthrough becomes "max".*no vmx/)
  assert.equal(
    text(plan('domain: {cpu: {model: host-passthrough}}', { facts: KVM }), '-cpu'),
    'host,migratable=on',
  )
  assert.equal(text(plan('{}', { facts: KVM }), '-cpu'), 'host')
  assert.deepEqual(
    problems('domain: {cpu: {model: Nonesuch}}').map((one) => one.reason),
    ['CpuModelUnknown'],
  )
  assert.deepEqual(
    problems('domain: {cpu: {model: Haswell}}', { facts: KVM }).map((one) => one.reason),
    ['CpuFeatureUnavailable'],
  )
  assert.match(plan('domain: {cpu: {model: Haswell}}').notes.join(), /without pcid/)
  const flags = plan('domain: {cpu: {model: qemu64, features: [{name: aes}, {name: avx, policy: forbid}]}}')
  assert.equal(text(flags, '-cpu'), 'qemu64,aes=on,avx=off')
})

test('Hyper-V enlightenments bring what they need, and need KVM', () => {
  const yaml =
    'domain: {features: {hyperv: {relaxed: {}, synictimer: {direct: {enabled: true}}, spinlocks: {}}}}'
  assert.equal(
    text(plan(yaml, { facts: KVM }), '-cpu'),
    'host,hv-relaxed=on,hv-spinlocks=4096,hv-vpindex=on,hv-synic=on,hv-stimer=on,hv-stimer-direct=on',
  )
  const tcg = plan(yaml)
  assert.equal(text(tcg, '-cpu'), 'max')
  assert.match(tcg.notes.join(), /need KVM/)
})

test('a disk on each bus, with serial, cache, errors and boot order', () => {
  const made = plan(
    `
domain:
  devices:
    disks:
    - {name: root, bootOrder: 1, serial: abc, disk: {bus: virtio}}
    - {name: data, disk: {bus: scsi}, cache: writethrough, errorPolicy: enospace}
    - {name: old, disk: {bus: sata}}
    - {name: stick, disk: {bus: usb}}
    - {name: cd, bootOrder: 2, cdrom: {bus: sata}}
volumes:
- {name: root, persistentVolumeClaim: {claimName: a}}
- {name: data, persistentVolumeClaim: {claimName: b}}
- {name: old, persistentVolumeClaim: {claimName: c}}
- {name: stick, persistentVolumeClaim: {claimName: d}}`,
    { volumes: ['root', 'data', 'old', 'stick'].map((name) => claim(name)) },
  )
  const root = device(made, 'ua-root')
  assert.equal(root['driver'], 'virtio-blk-pci')
  assert.deepEqual(
    [root['drive'], root['bootindex'], root['serial'], root['werror'], root['rerror']],
    ['n-root', 1, 'abc', 'stop', 'stop'],
  )
  const data = device(made, 'ua-data')
  assert.deepEqual(
    [data['driver'], data['write-cache'], data['werror'], data['rerror'], data['bus']],
    ['scsi-hd', 'off', 'enospc', 'stop', 'scsi0.0'],
  )
  assert.deepEqual([device(made, 'ua-old')['driver'], device(made, 'ua-old')['bus']], ['ide-hd', 'ide.0'])
  assert.deepEqual(
    [device(made, 'ua-stick')['driver'], device(made, 'ua-stick')['bus']],
    ['scsi-hd', 'usb-0.0'],
  )
  const cd = device(made, 'ua-cd')
  assert.deepEqual([cd['driver'], cd['drive'], cd['bootindex'], cd['bus']], ['ide-cd', undefined, 2, 'ide.1'])
  assert.deepEqual(
    made.disks.map((one) => one.target),
    ['vda', 'sda', 'sdb', 'sdc', 'sdd'],
  )
  assert.equal(text(made, '-boot'), 'menu=off,strict=on')
  assert.deepEqual((option(made, '-blockdev') as Device[])[0], {
    driver: 'nbd',
    'node-name': 'n-root',
    server: { type: 'unix', path: '/r0/nbd' },
    export: 'r0-1-abc',
    'reconnect-delay': 0,
    'read-only': false,
    discard: 'unmap',
  })
})

test('without any boot order the disks boot in their own order', () => {
  const made = plan(
    '{domain: {devices: {disks: [{name: b, disk: {bus: virtio}}, {name: a, disk: {bus: virtio}}]}}, volumes: [{name: a, emptyDisk: {capacity: 1Gi}}, {name: b, emptyDisk: {capacity: 1Gi}}]}',
  )
  assert.equal(device(made, 'ua-b')['bootindex'], 1)
  assert.equal(device(made, 'ua-a')['bootindex'], 2)
  assert.deepEqual(
    made.files.map((file) => (file.do === 'qcow2' ? [file.path, file.sizeBytes] : file)),
    [
      ['/m/empty-0.qcow2', 2 ** 30],
      ['/m/empty-1.qcow2', 2 ** 30],
    ],
  )
})

test('several replicas become a quorum that acknowledges only what all have, and takes no discards', () => {
  const made = plan(
    '{domain: {devices: {disks: [{name: root, disk: {bus: virtio}}]}}, volumes: [{name: root, persistentVolumeClaim: {claimName: a}}]}',
    {
      volumes: [claim('root', 3)],
    },
  )
  const quorum = (option(made, '-blockdev') as Device[]).at(-1)
  assert.deepEqual(
    [quorum?.['driver'], quorum?.['node-name'], quorum?.['vote-threshold'], quorum?.['read-pattern']],
    ['quorum', 'n-root', 3, 'fifo'],
  )
  assert.deepEqual(quorum?.['children'], ['q0-root', 'q1-root', 'q2-root'])
  assert.equal(device(made, 'ua-root')['discard'], false)
})

test('block node names stay within the 31 letters of QEMU and apart', () => {
  const names = ['a', 'b'].map((last) => 'long-name-of-a-disk-that-goes-on-and-on-'.padEnd(60, 'x') + last)
  const made = plan(
    JSON.stringify({
      domain: { devices: { disks: names.map((name) => ({ name, disk: { bus: 'virtio' } })) } },
      volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    }),
    { volumes: names.map((name) => claim(name)) },
  )
  const nodes = (option(made, '-blockdev') as Device[]).map((one) => String(one['node-name']))
  assert.equal(new Set(nodes).size, 2)
  assert.ok(nodes.every((node) => node.length <= 31))
})

test('volumes: one without a disk gets one, one that is not ready is waited for, some kinds are refused', () => {
  const lonely = plan('{volumes: [{name: seed, emptyDisk: {capacity: 1Mi}}]}')
  assert.equal(device(lonely, 'ua-seed')['driver'], 'ide-hd')
  assert.deepEqual(
    problems('{volumes: [{name: root, persistentVolumeClaim: {claimName: a}}]}').map((one) => [
      one.reason,
      one.field,
    ]),
    [['VolumeNotPrepared', 'spec.volumes[0]']],
  )
  const container = problems('{volumes: [{name: c, containerDisk: {image: x}}]}')
  assert.deepEqual(
    container.map((one) => one.reason),
    ['VolumeSourceUnsupported'],
  )
  assert.match(container[0]?.message ?? '', /import the image/)
  assert.deepEqual(
    problems('domain: {devices: {disks: [{name: x, disk: {}}]}}').map((one) => one.reason),
    ['DiskWithoutVolume'],
  )
})

test('more than six SATA disks get a second controller', () => {
  const names = [...Array(7).keys()].map((index) => `d${index}`)
  const made = plan(
    JSON.stringify({
      domain: { devices: { disks: names.map((name) => ({ name, disk: { bus: 'sata' } })) } },
      volumes: names.map((name) => ({ name, emptyDisk: { capacity: '1Mi' } })),
    }),
  )
  assert.equal(device(made, 'ua-d6')['bus'], 'ahci1.0')
  assert.ok(drivers(made).includes('ich9-ahci'))
})

test('I/O threads: dedicated, shared, and a pool that needs a newer QEMU', () => {
  const spec = (policy: string): string =>
    `{domain: {${policy} devices: {disks: [{name: a, dedicatedIOThread: true, disk: {bus: virtio}}, {name: b, disk: {bus: virtio}}]}}, volumes: [{name: a, emptyDisk: {capacity: 1Gi}}, {name: b, emptyDisk: {capacity: 1Gi}}]}`
  const plain = plan(spec(''))
  assert.equal(device(plain, 'ua-a')['iothread'], 'io0')
  assert.equal(device(plain, 'ua-b')['iothread'], undefined)
  const shared = plan(spec('ioThreadsPolicy: shared,'))
  assert.notEqual(device(shared, 'ua-a')['iothread'], device(shared, 'ua-b')['iothread'])
  const pool = spec('ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: 2},')
  assert.deepEqual(
    problems(pool).map((one) => one.reason),
    ['FeatureNeedsNewerQemu'],
  )
  assert.deepEqual(device(plan(pool, { facts: NEW }), 'ua-b')['iothread-vq-mapping'], [
    { iothread: 'io0' },
    { iothread: 'io1' },
  ])
})

test('interfaces: models, MAC, boot order, link state', () => {
  const made = plan(
    `
domain:
  devices:
    interfaces:
    - {name: a, masquerade: {}}
    - {name: b, bridge: {}, model: e1000, bootOrder: 1}
    - {name: c, bridge: {}, model: e1000e, state: down}
    - {name: d, bridge: {}, state: absent}`,
    { networks: ['a', 'b', 'c'].map(nic) },
  )
  const a = device(made, 'nic-a')
  assert.deepEqual(
    [a['driver'], a['mac'], a['romfile'], a['host_mtu'], a['bus']],
    ['virtio-net-pci', '02:00:5e:10:00:01', '', 1450, 'rp0'],
  )
  assert.deepEqual((option(made, '-netdev') as Device[])[0], {
    type: 'tap',
    id: 'nd-a',
    ifname: 'tap-a',
    script: 'no',
    downscript: 'no',
  })
  const b = device(made, 'nic-b')
  assert.deepEqual([b['driver'], b['bootindex'], b['bus']], ['e1000', 1, 'pci.0'])
  assert.ok(made.qmpSteps.some((step) => step.execute === 'set_link' && step.arguments?.['name'] === 'nic-c'))
  assert.deepEqual(
    made.nics.map((one) => one.name),
    ['a', 'b', 'c'],
  )
  const igb = 'domain: {devices: {interfaces: [{name: a, bridge: {}, model: igb}]}}'
  assert.deepEqual(
    problems(igb, { networks: [nic('a')] }).map((one) => one.reason),
    ['FeatureNeedsNewerQemu'],
  )
  assert.deepEqual(problems(igb, { networks: [nic('a')], facts: NEW }), [])
})

test('user networking has the addresses of masquerade', () => {
  const made = plan('domain: {devices: {interfaces: [{name: a, masquerade: {}}]}}', {
    networks: [
      {
        name: 'a',
        mac: '02:00:00:00:00:01',
        link: {
          kind: 'user',
          cidr: '10.0.2.0/24',
          hostAddress: '10.0.2.1',
          guestAddress: '10.0.2.2',
          forwards: [{ protocol: 'tcp', hostAddress: '127.0.0.1', hostPort: 2222, guestPort: 22 }],
        },
      },
    ],
  })
  assert.deepEqual(option(made, '-netdev')[0], {
    type: 'user',
    id: 'nd-a',
    net: '10.0.2.0/24',
    host: '10.0.2.1',
    dhcpstart: '10.0.2.2',
    hostfwd: [{ str: 'tcp:127.0.0.1:2222-10.0.2.2:22' }],
  })
})

test('PCI addresses can be chosen where they can be kept', () => {
  const yaml = (address: string): string =>
    `{domain: {devices: {disks: [{name: a, disk: {bus: virtio, pciAddress: "${address}"}}]}}, volumes: [{name: a, emptyDisk: {capacity: 1Mi}}]}`
  assert.equal(device(plan(yaml('0000:0a:00.0')), 'ua-a')['bus'], 'rp9')
  assert.deepEqual(
    problems(yaml('0000:00:02.0')).map((one) => one.reason),
    ['PciAddressUnsupported'],
  )
})

test('firmware: BIOS, UEFI, Secure Boot, and where its variables live', () => {
  assert.match(
    text(plan('domain: {firmware: {bootloader: {bios: {useSerial: true}}}}'), '-machine'),
    /graphics=off/,
  )
  const uefi = plan('domain: {firmware: {bootloader: {efi: {secureBoot: false}}}}')
  assert.match(text(uefi, '-machine'), /pflash0=pflash-code,pflash1=pflash-vars/)
  assert.deepEqual(uefi.files, [{ do: 'copy', from: '/fw/VARS.fd', to: '/m/nvram.fd', keepExisting: true }])
  assert.equal(device(uefi, 'ua-video')['driver'], 'bochs-display')
  const secure = plan(
    'domain: {firmware: {bootloader: {efi: {persistent: true}}}, features: {smm: {enabled: true}}}',
  )
  assert.match(text(secure, '-machine'), /smm=on/)
  assert.equal(text(secure, '-global'), 'driver=cfi.pflash01,property=secure,value=on')
  assert.deepEqual(secure.files.at(-1), {
    do: 'copy',
    from: '/fw/VARS.ms.fd',
    to: '/s/nvram.fd',
    keepExisting: true,
  })
  const bare = { facts: { ...FACTS, firmware: {} } }
  const [missing] = problems('domain: {firmware: {bootloader: {efi: {}}}}', bare)
  assert.equal(missing?.reason, 'FirmwareMissing')
  assert.match(missing?.message ?? '', /apt-get install ovmf/)
})

test('identity: UUID and serial reach the guest, commas do not break out', () => {
  const made = plan(
    'domain: {firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223, serial: "a,b"}, chassis: {asset: x}}',
  )
  assert.equal(text(made, '-uuid'), '5d307ca9-b3ef-428c-8861-06e72d69f223')
  assert.match(String(option(made, '-smbios')[0]), /serial=a,,b/)
  assert.equal(option(made, '-smbios')[1], 'type=3,asset=x')
  const vmi = { namespace: 'ns', name: 'a', spec: { domain: { devices: {} } } }
  assert.match(machineUuid(vmi), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(machineUuid(vmi), machineUuid({ ...vmi }))
  assert.notEqual(machineUuid(vmi), machineUuid({ ...vmi, namespace: 'other' }))
})

test('TPM needs swtpm and runs beside QEMU', () => {
  const yaml = 'domain: {devices: {tpm: {persistent: true}}}'
  assert.deepEqual(
    problems(yaml).map((one) => one.reason),
    ['TpmMissing'],
  )
  const made = plan(yaml, { facts: { ...FACTS, swtpm: '/usr/bin/swtpm' } })
  assert.deepEqual(made.companions[0]?.argv.slice(0, 5), [
    '/usr/bin/swtpm',
    'socket',
    '--tpm2',
    '--tpmstate',
    'dir=/s/tpm',
  ])
  assert.equal(device(made, 'ua-tpm')['driver'], 'tpm-crb')
})

test('clock: offset, time zone, timers', () => {
  assert.equal(
    text(plan('domain: {clock: {utc: {offsetSeconds: 3600}}}'), '-rtc'),
    'base=2026-01-01T01:00:00',
  )
  const zone = plan(
    'domain: {clock: {timezone: Europe/Berlin, timer: {rtc: {tickPolicy: catchup}, hpet: {present: false}}}}',
  )
  assert.equal(text(zone, '-rtc'), 'base=localtime,driftfix=slew')
  assert.deepEqual(zone.env, { TZ: 'Europe/Berlin' })
  assert.match(text(zone, '-machine'), /hpet=off/)
})

test('the small devices come when asked for and stay away when not', () => {
  const all = plan(
    'domain: {devices: {rng: {}, sound: {name: s}, watchdog: {name: w, i6300esb: {action: poweroff}}, panicDevices: [{model: pvpanic}], inputs: [{name: t, type: tablet, bus: usb}]}}',
  )
  for (const driver of [
    'virtio-rng-pci',
    'ich9-intel-hda',
    'i6300esb',
    'pvpanic-pci',
    'qemu-xhci',
    'usb-tablet',
    'virtio-balloon-pci',
    'vmcoreinfo',
  ])
    assert.ok(drivers(all).includes(driver), driver)
  assert.ok(option(all, '-action').includes('watchdog=poweroff'))
  const none = plan(
    'domain: {devices: {autoattachSerialConsole: false, autoattachGraphicsDevice: false, autoattachMemBalloon: false}}',
  )
  for (const driver of ['isa-serial', 'VGA', 'virtio-balloon-pci', 'qemu-xhci'])
    assert.ok(!drivers(none).includes(driver), driver)
  assert.equal(none.sockets.vnc, undefined)
  assert.equal(none.sockets.serial, undefined)
  assert.equal(text(none, '-display'), 'none')
})

test('spare ports for hot-plug as KubeVirt leaves them', () => {
  assert.equal(plan('domain: {memory: {guest: 2Gi}}').spareBuses.length, 3)
  const big = plan('domain: {memory: {guest: 4Gi}}')
  assert.ok(big.spareBuses.length >= 6)
  assert.equal(drivers(big).filter((driver) => driver === 'pcie-root-port').length, 16)
  assert.equal(plan('domain: {devices: {disableHotplug: true}}').spareBuses.length, 0)
})

test('machine types: versioned, recorded, refused when unknown', () => {
  assert.equal(plan('domain: {machine: {type: pc-q35-7.1}}').machineType, 'pc-q35-7.1')
  assert.equal(plan('{}', { more: { recordedMachineType: 'pc-q35-7.1' } }).machineType, 'pc-q35-7.1')
  assert.deepEqual(
    problems('domain: {machine: {type: pc-i440fx-7.2}}').map((one) => one.reason),
    ['MachineTypeUnknown'],
  )
})

test('what is not supported is refused by name, not left out', () => {
  for (const devices of [
    'gpus: [{name: g}]',
    'hostDevices: [{name: h}]',
    'filesystems: [{name: f, virtiofs: {}}]',
    'downwardMetrics: {}',
  ])
    assert.deepEqual(
      problems(`domain: {devices: {${devices}}}`).map((one) => one.reason),
      ['DeviceUnsupported'],
      devices,
    )
  assert.deepEqual(
    problems('domain: {launchSecurity: {sev: {}}}').map((one) => one.reason),
    ['DeviceUnsupported'],
  )
  assert.deepEqual(
    problems('domain: {cpu: {dedicatedCpuPlacement: true}}').map((one) => one.reason),
    ['DeviceUnsupported'],
  )
})

test('without QEMU nothing is planned, and the reason is told', () => {
  const missing = { reason: 'QemuMissing', message: 'apt-get install qemu-system-x86' } as const
  assert.deepEqual(problems('{}', { facts: { ...FACTS, missing } }), [missing])
})

test('a machine that shall start paused is not let go', () => {
  const made = plan('startStrategy: Paused')
  assert.equal(made.startPaused, true)
  assert.equal(text(made, '-boot'), 'menu=on,splash-time=10000,strict=off')
})

test('socket paths beyond the limit of the kernel are refused', () => {
  const [found] = problems('{}', { more: { socketFolder: `/${'x'.repeat(100)}` } })
  assert.equal(found?.reason, 'SocketPathTooLong')
})
