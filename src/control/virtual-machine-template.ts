// Decides one VirtualMachineTemplate: its versions get their numbers in the order of their making, and the first one
// is the default until somebody chooses another. Numbers are given once: the highest ever given is kept.
import type { JsonObject } from '../base/json.ts'
import type { Action, Decider, Decision, Look } from '../kinds/decide.ts'
import { VirtualMachineTemplate } from '../kinds/harvester/virtual-machine-template.ts'
import { VirtualMachineTemplateVersion } from '../kinds/harvester/virtual-machine-template-version.ts'
import { withConditions } from './conditions.ts'
import { controllerRef, isControlledBy } from './owner.ts'

type Template = VirtualMachineTemplate
type Version = VirtualMachineTemplateVersion

const VERSIONS_BY_TEMPLATE = 'template-versions'

export interface SeenTemplate {
  readonly template: Template
  readonly versions: readonly Version[]
}

export function decideTemplate({ template, versions }: SeenTemplate, now: number): Decision {
  if (template.metadata.deletionTimestamp) return { actions: [] }
  const highest = Math.max(
    template.status?.latestVersion ?? 0,
    ...versions.map(({ status }) => status?.version ?? 0),
  )
  const fresh = versions.filter(({ status }) => !status?.version).toSorted(byAge)
  const numbered = fresh.map((version, index) => numbering(version, highest + index + 1, now))
  const owned = versions
    .filter((version) => !isControlledBy(version, template.metadata.uid))
    .map((version) => owning(template, version))
  const first = template.spec?.defaultVersionId ? undefined : versions.toSorted(byNumber)[0]
  const chosen = template.spec?.defaultVersionId ?? (first && idOf(first))
  const counts = versions.find((version) => idOf(version) === chosen)
  const defaultVersion = counts?.status?.version
  return {
    actions: [...owned, ...numbered, ...(first ? [choosing(template, first)] : [])],
    status: {
      ...template.status,
      ...(defaultVersion === undefined ? {} : { defaultVersion }),
      ...(highest + fresh.length === 0 ? {} : { latestVersion: highest + fresh.length }),
    },
  }
}

function idOf({ metadata }: Version): string {
  return `${metadata.namespace}/${metadata.name}`
}

function byAge(a: Version, b: Version): number {
  return (
    (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
    (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')
  )
}

/** Those without a number come last, in the order in which they get one. */
function byNumber(a: Version, b: Version): number {
  const number = ({ status }: Version) => status?.version ?? Number.MAX_SAFE_INTEGER
  return number(a) - number(b) || byAge(a, b)
}

function targetOf({ metadata }: Version) {
  const { namespace = '', name = '', uid = '' } = metadata
  return { kind: VirtualMachineTemplateVersion, namespace, name, uid }
}

/** As a compare-and-swap: a number that was given meanwhile is not given over. */
function numbering(version: Version, number: number, now: number): Action {
  const conditions = withConditions(
    version.status?.conditions,
    [{ type: 'Assigned', status: 'True', reason: '', message: '' }],
    now,
  )
  return {
    do: 'patch',
    target: targetOf(version),
    subresource: 'status',
    ...(version.metadata.resourceVersion ? { resourceVersion: version.metadata.resourceVersion } : {}),
    patch: { status: { version: number, conditions } as unknown as JsonObject },
  }
}

/** Versions go with their template. */
function owning(template: Template, version: Version): Action {
  const references = [
    ...(version.metadata.ownerReferences ?? []),
    controllerRef(VirtualMachineTemplate, template),
  ]
  return {
    do: 'patch',
    target: targetOf(version),
    patch: { metadata: { ownerReferences: references as unknown as readonly JsonObject[] } },
  }
}

function choosing({ metadata }: Template, version: Version): Action {
  const { namespace = '', name = '', uid = '' } = metadata
  return {
    do: 'patch',
    target: { kind: VirtualMachineTemplate, namespace, name, uid },
    patch: { spec: { defaultVersionId: idOf(version) } },
  }
}

export const virtualMachineTemplateDecider: Decider<typeof VirtualMachineTemplate, SeenTemplate> = {
  name: 'virtual-machine-template',
  kind: VirtualMachineTemplate,
  watches: [
    {
      kind: VirtualMachineTemplateVersion,
      keys: (version) => [(version as Version).spec.templateId],
    },
  ],
  indexes: [
    {
      kind: VirtualMachineTemplateVersion,
      name: VERSIONS_BY_TEMPLATE,
      values: (version) => [(version as Version).spec.templateId],
    },
  ],
  gather: (template, look: Look) => ({
    template,
    versions: look
      .byIndex(
        VirtualMachineTemplateVersion,
        VERSIONS_BY_TEMPLATE,
        `${template.metadata.namespace}/${template.metadata.name}`,
      )
      .filter(({ metadata }) => !metadata.deletionTimestamp),
  }),
  decide: decideTemplate,
}
