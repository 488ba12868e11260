// A machine from a version of a template: the template's own, under its new name and with disks of its own. Pure.
import { CLAIM_TEMPLATES } from '../../../../src/kinds/harvester/claim-templates.ts'
import type { Machine } from '../../data/kinds.ts'
import type { TemplateVersion } from '../kit/places.ts'

export interface TemplateWish {
  readonly namespace: string
  readonly name: string
  readonly version: TemplateVersion
  readonly start: boolean
}

interface ClaimTemplate {
  readonly metadata: { readonly name: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

export function machineFromTemplate({ namespace, name, version, start }: TemplateWish): Machine {
  const { metadata, spec } = version.spec?.vm ?? {}
  const templates = JSON.parse(metadata?.annotations?.[CLAIM_TEMPLATES] ?? '[]') as readonly ClaimTemplate[]
  const renamed = new Map(templates.map((one, index) => [one.metadata.name, `${name}-disk-${index}`]))
  const claims = templates.map((one) => ({
    ...one,
    metadata: { ...one.metadata, name: renamed.get(one.metadata.name) },
  }))
  const { template } = (spec ?? {}) as Machine['spec']
  const volumes = (template?.spec?.volumes ?? []).map((volume) => {
    const claimName = renamed.get(volume.persistentVolumeClaim?.claimName ?? '')
    return claimName === undefined
      ? volume
      : { ...volume, persistentVolumeClaim: { ...volume.persistentVolumeClaim, claimName } }
  })
  const { running: _, ...rest } = (spec ?? {}) as Machine['spec']
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      namespace,
      name,
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: { ...metadata?.annotations, [CLAIM_TEMPLATES]: JSON.stringify(claims) },
    },
    spec: {
      ...rest,
      runStrategy: start ? (rest.runStrategy ?? 'Always') : 'Halted',
      template: { ...template, spec: { ...template?.spec, hostname: name, volumes } },
    },
  } as unknown as Machine
}
