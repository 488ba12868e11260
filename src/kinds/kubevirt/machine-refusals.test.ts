import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import { accepted, DISKS, fields, machine, messages, RUN, requests } from './machine.fixture.ts'

function seeded(source: JsonObject): JsonObject {
  return machine({
    domain: { devices: { disks: [{ name: 'seed', disk: { bus: 'virtio' } }] }, resources: requests },
    volumes: [{ name: 'seed', cloudInitNoCloud: source }],
  })
}

test('CI-01: 2048 bytes of cloud-init inline, counted decoded; more goes through a Secret', () => {
  const text = (bytes: number): string => `#cloud-config\n#${'x'.repeat(bytes - 15)}`
  const wide = `${text(2046)}é`
  for (const half of ['userData', 'networkData']) {
    accepted(seeded({ [half]: text(2048) }))
    accepted(seeded({ [half]: wide }))
    accepted(seeded({ [`${half}Base64`]: Buffer.from(text(2048)).toString('base64') }))
    for (const source of [
      { [half]: text(2049) },
      { [half]: `${text(2047)}é` },
      { [`${half}Base64`]: Buffer.from(text(2049)).toString('base64') },
    ]) {
      assert.deepEqual(fields(seeded(source)), [`${RUN}.volumes[0].cloudInitNoCloud`])
      assert.match(messages(seeded(source)), /exceeds 2048 byte limit.*Secret/)
    }
  }
  accepted(seeded({ secretRef: { name: 'big' } }))
  accepted(seeded({ networkDataSecretRef: { name: 'big' } }))
  assert.match(messages(seeded({ userDataBase64: '%%%' })), /is not a valid base64 value/)
})

test('CI-02 and CI-03: either half alone is enough, none is not, one Secret may serve both', () => {
  accepted(seeded({ networkData: 'version: 2\nethernets: {}\n' }))
  accepted(seeded({ secretRef: { name: 'one' }, networkDataSecretRef: { name: 'one' } }))
  assert.deepEqual(fields(seeded({})), [`${RUN}.volumes[0].cloudInitNoCloud`])
  assert.match(messages(seeded({})), /at least one userdatasource or one networkdatasource/)
  assert.match(messages(seeded({ userData: 'a', secretRef: { name: 'b' } })), /only one userdatasource/)
})

test('CI-08: sysprep comes from a ConfigMap or a Secret, not from both', () => {
  const sysprep = (source: JsonObject): JsonObject =>
    machine({
      domain: { devices: { disks: [{ name: 'sys', cdrom: { bus: 'sata' } }] }, resources: requests },
      volumes: [{ name: 'sys', sysprep: source }],
    })
  accepted(sysprep({ configMap: { name: 'a' } }))
  assert.deepEqual(fields(sysprep({ configMap: { name: 'a' }, secret: { name: 'b' } })), [
    `${RUN}.volumes[0].sysprep`,
  ])
})

test('disks made with a machine are used by it and whole', () => {
  const run = {
    domain: { devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] }, resources: requests },
    volumes: [{ name: 'root', dataVolume: { name: 'root-dv' } }],
  }
  const template = (more: JsonObject, name = 'root-dv'): JsonObject =>
    machine(run, { spec: { dataVolumeTemplates: [{ metadata: { name }, spec: more }] } })
  const storage = { resources: { requests: { storage: '1Gi' } } }
  accepted(template({ source: { blank: {} }, storage }))
  accepted(template({ source: { http: { url: 'https://images.example/disk.qcow2' } }, storage }))
  const at = 'spec.dataVolumeTemplates[0]'
  assert.deepEqual(fields(template({ source: { blank: {} }, storage }, 'other')), [at])
  assert.deepEqual(fields(template({ source: { blank: {} } })), [`${at}.spec.PVC`])
  assert.deepEqual(fields(template({ storage })), [`${at}.spec.source`])
  assert.match(
    messages(template({ source: { blank: {}, upload: {} }, storage })),
    /Multiple Data volume sources/,
  )
  assert.match(
    messages(template({ source: { http: { url: 's3://a/b' } }, storage })),
    /Invalid source URL scheme: s3/,
  )
})

test('KubeVirt refusals keep their fields and words', () => {
  const rows: readonly [string, JsonObject, string, RegExp][] = [
    ['hostname', { hostname: 'Bad_Host' }, 'hostname', /DNS_LABEL/],
    ['subdomain', { subdomain: 'Bad_Domain' }, 'subdomain', /DNS_SUBDOMAIN/],
    ['architecture', { architecture: 'mips' }, 'architecture', /unsupported architecture/],
    ['eviction', { evictionStrategy: 'Foo' }, 'evictionStrategy', /unrecognized option/],
    ['dns', { dnsPolicy: 'None' }, 'dnsConfig', /must provide `dnsConfig`/],
    ['probe', { readinessProbe: {} }, 'readinessProbe', /exactly one probe type/],
    [
      'paused',
      { startStrategy: 'Paused', livenessProbe: { guestAgentPing: {} } },
      'startStrategy',
      /LivenessProbe/,
    ],
    ['grace', { terminationGracePeriodSeconds: -1 }, 'terminationGracePeriodSeconds', /between 0/],
  ]
  for (const [name, more, field, words] of rows) {
    const body = machine({ domain: { devices: {}, resources: requests }, ...more })
    assert.deepEqual(fields(body), [`${RUN}.${field}`], name)
    assert.match(messages(body), words, name)
  }
  const domains: readonly [JsonObject, string, RegExp][] = [
    [{ machine: { type: 'i440fx' } }, 'machine.type', /is not supported: i440fx \(allowed values/],
    [
      { cpu: { features: [{ name: 'x', policy: 'maybe' }] } },
      'cpu.features[0].policy',
      /uses policy maybe that is not supported/,
    ],
    [
      { cpu: { isolateEmulatorThread: true } },
      'cpu.isolateEmulatorThread',
      /only set in combination with DedicatedCPUPlacement/,
    ],
    [
      { firmware: { bootloader: { efi: {} } } },
      'features',
      /SecureBoot requires SMM, which is currently disabled/,
    ],
    [{ firmware: { bootloader: { efi: {}, bios: {} } } }, 'firmware.bootloader.efi', /both EFI and BIOS/],
    [
      { firmware: { kernelBoot: { kernelArgs: 'quiet' } } },
      'firmware.kernelBoot.kernelArgs',
      /without an external kernel/,
    ],
    [{ ioThreadsPolicy: 'many' }, 'ioThreadsPolicy', /Invalid IOThreadsPolicy/],
    [
      { memory: { hugepages: { pageSize: '3Mi' } } },
      'resources.requests.memory',
      /not a multiple of the page size/,
    ],
    [
      { devices: { inputs: [{ name: 'k', type: 'keyboard' }] } },
      'devices.inputs[0].type',
      /only tablet type/,
    ],
    [{ devices: { sound: { name: '' } } }, 'devices.sound', /requires a name/],
  ]
  for (const [more, field, words] of domains) {
    const body = machine({ domain: { devices: {}, resources: requests, ...more } })
    assert.deepEqual(fields(body), [`${RUN}.domain.${field}`])
    assert.match(messages(body), words)
  }
  accepted(
    machine({
      domain: {
        devices: {},
        resources: requests,
        features: { smm: { enabled: true } },
        firmware: { bootloader: { efi: {} } },
      },
    }),
  )
  const disks: readonly [JsonObject, string, RegExp][] = [
    [{ disk: { bus: 'ide' } }, '.disk.bus', /IDE bus is not supported/],
    [{ disk: { bus: 'floppy' } }, '.disk.bus', /unrecognized bus/],
    [{ cdrom: { bus: 'virtio' } }, '.cdrom.bus', /invalid for CD-ROM/],
    [{ disk: { bus: 'sata', readonly: true } }, '.disk.bus', /do not support read-only/],
    [{ disk: { bus: 'virtio', pciAddress: '1' } }, '.disk.pciAddress', /malformed PCI address/],
    [{ disk: {}, cdrom: {} }, '', /single target type/],
    [{ lun: { bus: 'scsi' } }, '.lun', /can only be mapped to a DataVolume or PersistentVolumeClaim/],
    [{ disk: { bus: 'virtio' }, cache: 'foo' }, '.cache', /has invalid value foo/],
    [{ disk: { bus: 'virtio' }, io: 'uring' }, '.io', /Supported modes are: native, threads/],
    [{ disk: { bus: 'virtio' }, serial: 'a b' }, '.serial', /must be made up of/],
    [
      { disk: { bus: 'virtio' }, blockSize: { custom: { logical: 513, physical: 1024 } } },
      '.blockSize.custom.logical',
      /not a power of 2/,
    ],
  ]
  for (const [more, field, words] of disks) {
    const body = machine({
      domain: { devices: { disks: [{ name: 'd', ...more }] }, resources: requests },
      volumes: [{ name: 'd', emptyDisk: { capacity: '1Gi' } }],
    })
    assert.deepEqual(fields(body), [`${DISKS}[0]${field}`])
    assert.match(messages(body), words)
  }
})
