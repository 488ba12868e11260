// What a template is written down from: a machine as it is set up, without what belongs to that one machine alone.
import { CLAIM_TEMPLATES } from '../../../../src/kinds/harvester/claim-templates.ts'
import type { Machine } from '../../data/kinds.ts'
import type { Template, TemplateVersion } from '../kit/places.ts'

const API = 'harvesterhci.io/v1beta1'

export interface TemplateName {
  readonly namespace: string
  readonly name: string
  readonly description: string
}

export function templateFor({ namespace, name, description }: TemplateName): Template {
  return {
    apiVersion: API,
    kind: 'VirtualMachineTemplate',
    metadata: { namespace, name },
    spec: description === '' ? {} : { description },
  } as Template
}

export interface NewVersion {
  readonly namespace: string
  readonly template: string
  readonly description: string
  readonly machine: Machine
}

export function versionFor({ namespace, template, description, machine }: NewVersion): TemplateVersion {
  return {
    apiVersion: API,
    kind: 'VirtualMachineTemplateVersion',
    metadata: { namespace, generateName: `${template}-` },
    spec: {
      templateId: `${namespace}/${template}`,
      ...(description === '' ? {} : { description }),
      vm: blueprintOf(machine),
    },
  } as unknown as TemplateVersion
}

/** Names of the claims that come with the machine: only those can be made anew for another one. */
function claimNames(machine: Machine): readonly string[] {
  try {
    const list: unknown = JSON.parse(machine.metadata.annotations?.[CLAIM_TEMPLATES] ?? '[]')
    return Array.isArray(list)
      ? list.map((one: { readonly metadata?: { readonly name?: string } }) => one.metadata?.name ?? '')
      : []
  } catch {
    return []
  }
}

/** Disks that would be lost: volumes that were given to the machine by hand. */
export function leftOut(machine: Machine): readonly string[] {
  const own = claimNames(machine)
  return (machine.spec.template.spec?.volumes ?? []).flatMap((volume) => {
    const claim = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
    return claim !== undefined && !own.includes(claim) ? [volume.name] : []
  })
}

/** Without addresses, identities and disks that only one machine can have. */
function blueprintOf(machine: Machine): object {
  const lost = new Set(leftOut(machine))
  const { template, dataVolumeTemplates: _made, ...spec } = machine.spec
  const run = template.spec
  const { hostname: _host, nodeSelector: _node, ...rest } = run ?? {}
  const domain = run?.domain
  const { firmware, devices } = domain ?? {}
  const { uuid: _uuid, serial: _serial, ...boot } = firmware ?? {}
  const note = machine.metadata.annotations?.[CLAIM_TEMPLATES]
  return {
    metadata: { ...(note === undefined ? {} : { annotations: { [CLAIM_TEMPLATES]: note } }) },
    spec: {
      ...spec,
      template: {
        ...(template.metadata?.labels ? { metadata: { labels: template.metadata.labels } } : {}),
        spec: {
          ...rest,
          domain: {
            ...domain,
            ...(firmware === undefined ? {} : { firmware: boot }),
            devices: {
              ...devices,
              disks: (devices?.disks ?? []).filter(({ name }) => !lost.has(name)),
              interfaces: (devices?.interfaces ?? []).map(({ macAddress: _mac, ...nic }) => nic),
            },
          },
          volumes: (run?.volumes ?? []).filter(({ name }) => !lost.has(name)),
        },
      },
    },
  }
}
