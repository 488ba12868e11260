// A machine with some of its fields changed; the others are the very same. Pure.
import type { Machine } from '../../data/kinds.ts'

export interface Edit {
  readonly description: string
  readonly cpus: string
  readonly memoryGib: string
  readonly runStrategy: string
}

/** Where Harvester keeps it. */
export const DESCRIPTION = 'field.cattle.io/description'
export const STRATEGIES = ['Always', 'RerunOnFailure', 'Manual', 'Halted'] as const

/** Whole where it is whole: fractions of a quantity are legal, and odd to read. */
export function memoryText(gib: number): string {
  return Number.isInteger(gib) ? `${gib}Gi` : `${Math.round(gib * 1024)}Mi`
}

export function edited(machine: Machine, before: Edit, after: Edit): Machine {
  let next = machine
  if (after.description !== before.description) {
    const { [DESCRIPTION]: _, ...others } = next.metadata.annotations ?? {}
    const annotations = after.description === '' ? others : { ...others, [DESCRIPTION]: after.description }
    next = { ...next, metadata: { ...next.metadata, annotations } }
  }
  if (after.runStrategy !== before.runStrategy) {
    const { running: _, ...spec } = next.spec
    next = { ...next, spec: { ...spec, runStrategy: after.runStrategy } as Machine['spec'] }
  }
  if (after.cpus !== before.cpus)
    next = withDomain(next, (domain) => ({
      ...domain,
      cpu: { ...domain.cpu, sockets: 1, threads: 1, cores: Number(after.cpus) },
      resources: limited(domain.resources, 'cpu', after.cpus),
    }))
  if (after.memoryGib !== before.memoryGib) {
    const guest = memoryText(Number(after.memoryGib))
    next = withDomain(next, (domain) => ({
      ...domain,
      memory: { ...domain.memory, guest },
      resources: limited(domain.resources, 'memory', guest),
    }))
  }
  return next
}

type Domain = NonNullable<NonNullable<Machine['spec']['template']['spec']>['domain']>

function withDomain(machine: Machine, change: (domain: Domain) => object): Machine {
  const { spec } = machine.spec.template
  const domain = change(spec?.domain ?? ({ devices: {} } as Domain)) as Domain
  const template = { ...machine.spec.template, spec: { ...spec, domain } }
  return { ...machine, spec: { ...machine.spec, template } as Machine['spec'] }
}

/** A limit that is there follows the size; requests below it stay. */
function limited(resources: Domain['resources'], name: string, value: string): Domain['resources'] {
  if (resources?.limits?.[name] === undefined) return resources
  return { ...resources, limits: { ...resources.limits, [name]: value } }
}
