// The disks of a machine as data, and the machine with one more or one less. Pure.
import { CLAIM_TEMPLATES } from '../../../../src/kinds/harvester/claim-templates.ts'
import type { Machine } from '../../data/kinds.ts'

export interface MachineDisk {
  readonly name: string
  readonly kind: 'disk' | 'cdrom' | 'cloudInit' | 'other'
  readonly bus: string
  readonly bootOrder: number | undefined
  readonly claimName: string | undefined
}

type Template = NonNullable<Machine['spec']['template']['spec']>

/** In the order of booting; those without a place in it come last. */
export function disksOf(machine: Machine): readonly MachineDisk[] {
  const { domain, volumes = [] } = machine.spec.template.spec ?? {}
  return (domain?.devices?.disks ?? [])
    .map((disk): MachineDisk => {
      const volume = volumes.find(({ name }) => name === disk.name)
      const claimName = volume?.persistentVolumeClaim?.claimName ?? volume?.dataVolume?.name
      const isCloudInit = volume?.cloudInitNoCloud !== undefined || volume?.cloudInitConfigDrive !== undefined
      return {
        name: disk.name,
        kind: isCloudInit ? 'cloudInit' : disk.cdrom ? 'cdrom' : claimName === undefined ? 'other' : 'disk',
        bus: disk.disk?.bus ?? disk.cdrom?.bus ?? disk.lun?.bus ?? 'virtio',
        bootOrder: disk.bootOrder,
        claimName,
      }
    })
    .sort((a, b) => (a.bootOrder ?? 1_000) - (b.bootOrder ?? 1_000))
}

export interface NewDisk {
  readonly name: string
  readonly bus: 'virtio' | 'sata' | 'scsi'
  /** A volume that is there, or a new one of so many GiB. */
  readonly from:
    | { readonly claim: string }
    | { readonly sizeGib: number; readonly className: string | undefined }
}

export function withDisk(machine: Machine, { name, bus, from }: NewDisk): Machine {
  const claimName = 'claim' in from ? from.claim : `${machine.metadata.name}-${name}`
  const next = withTemplate(machine, (spec) => ({
    ...spec,
    domain: {
      ...spec.domain,
      devices: {
        ...spec.domain?.devices,
        disks: [...(spec.domain?.devices?.disks ?? []), { name, disk: { bus } }],
      },
    },
    volumes: [...(spec.volumes ?? []), { name, persistentVolumeClaim: { claimName } }],
  }))
  if ('claim' in from) return next
  const { annotations = {} } = next.metadata
  const templates = [
    ...(JSON.parse(annotations[CLAIM_TEMPLATES] ?? '[]') as object[]),
    {
      metadata: { name: claimName },
      spec: {
        accessModes: ['ReadWriteMany'],
        volumeMode: 'Block',
        resources: { requests: { storage: `${from.sizeGib}Gi` } },
        ...(from.className === undefined ? {} : { storageClassName: from.className }),
      },
    },
  ]
  return {
    ...next,
    metadata: {
      ...next.metadata,
      annotations: { ...annotations, [CLAIM_TEMPLATES]: JSON.stringify(templates) },
    },
  }
}

/** Its volume stays. */
export function withoutDisk(machine: Machine, name: string): Machine {
  return withTemplate(machine, (spec) => ({
    ...spec,
    domain: {
      ...spec.domain,
      devices: {
        ...spec.domain?.devices,
        disks: (spec.domain?.devices?.disks ?? []).filter((disk) => disk.name !== name),
      },
    },
    volumes: (spec.volumes ?? []).filter((volume) => volume.name !== name),
  }))
}

function withTemplate(machine: Machine, change: (spec: Template) => object): Machine {
  const { template } = machine.spec
  const spec = change(template.spec ?? ({} as Template)) as Template
  return { ...machine, spec: { ...machine.spec, template: { ...template, spec } } as Machine['spec'] }
}
