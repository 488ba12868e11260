// VirtualMachineInstanceMigration: the wish to move a running machine to another node; KubeVirt's kubevirt.io/v1.

import { deepEqual } from '../../base/equality.ts'
import type { KubeObject } from '../../base/object.ts'
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { AnyKind, KindOf, Mutator, Rule } from '../kind.ts'
import {
  virtualMachineInstanceMigrationSpec,
  virtualMachineInstanceMigrationStatus,
} from './migration-body.ts'
import { invalid, required } from './rules/causes.ts'

/** Label by which the migrations of an instance are found. */
export const VMI_NAME_LABEL = 'kubevirt.io/vmi-name'
const FINAL_PHASES: readonly string[] = ['Succeeded', 'Failed']
const migrationRef = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
} as AnyKind
const instanceRef = {
  ...migrationRef,
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
} as AnyKind

interface Migration extends KubeObject {
  readonly spec?: { readonly vmiName?: string }
  readonly status?: { readonly phase?: string }
}

const label: Mutator = (next) => {
  const { vmiName } = (next as Migration).spec ?? {}
  if (typeof vmiName !== 'string' || vmiName === '' || next.metadata.labels?.[VMI_NAME_LABEL] === vmiName)
    return next
  return {
    ...next,
    metadata: { ...next.metadata, labels: { ...next.metadata.labels, [VMI_NAME_LABEL]: vmiName } },
  }
}

const migrationRule: Rule = (next, previous, look) => {
  if (!next) return {}
  if (previous)
    return deepEqual(next['spec'], previous['spec'])
      ? {}
      : { causes: [invalid('spec', "update of Migration object's spec is restricted")] }
  const { namespace, name } = next.metadata
  const { vmiName } = (next as Migration).spec ?? {}
  if (!vmiName) return { causes: [required('spec.vmiName', 'vmiName is missing')] }
  const instance = look.get(instanceRef, namespace, vmiName)
  if (!instance)
    return {
      causes: [
        {
          reason: 'FieldValueNotFound',
          field: 'spec.vmiName',
          message: `the VMI "${namespace}/${vmiName}" does not exist`,
        },
      ],
    }
  const running = look.list<Migration>(migrationRef, namespace).find((other) => {
    const final = FINAL_PHASES.includes(other.status?.phase ?? '')
    return other.metadata.name !== name && other.spec?.vmiName === vmiName && !final
  })
  if (running)
    return {
      refuse: {
        code: 409,
        reason: 'Conflict',
        message: `in-flight migration detected. Active migration job (${running.metadata.name}) is currently already in progress for VMI ${vmiName}.`,
      },
    }
  return { causes: immovable(instance) }
}

function immovable(instance: KubeObject): ReturnType<typeof invalid>[] {
  const status = instance['status'] as
    | {
        readonly conditions?: readonly {
          readonly type: string
          readonly status: string
          readonly message?: string
        }[]
      }
    | undefined
  const condition = status?.conditions?.find(({ type }) => type === 'LiveMigratable')
  return condition?.status === 'False'
    ? [invalid('spec.vmiName', `Cannot migrate VMI: ${condition.message ?? 'it is not live-migratable'}`)]
    : []
}

export const VirtualMachineInstanceMigration = defineKind({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
  shortNames: ['vmim', 'vmims'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'The wish to move a running machine to another node.',
  body: () =>
    s.object(
      { spec: virtualMachineInstanceMigrationSpec, status: virtualMachineInstanceMigrationStatus },
      undefined,
      {
        required: ['spec'],
      },
    ),
  status: true,
  columns: [
    { name: 'Phase', type: 'string', description: 'How far the move has come.', value: '.status.phase' },
    { name: 'VMI', type: 'string', description: 'Instance that moves.', value: '.spec.vmiName' },
  ],
  mutators: [label],
  rules: [migrationRule],
})
export type VirtualMachineInstanceMigration = KindOf<typeof VirtualMachineInstanceMigration>
