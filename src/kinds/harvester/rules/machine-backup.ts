// Backups and restores of machines: the source is there, the type is served, and a restore neither meets a machine
// that runs nor another restore.
import { deepEqual } from '../../../base/equality.ts'
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import { machineBackupRef, machineRef, machineRestoreRef } from '../../foreign.ts'
import type { Mutator, Rule, RuleAnswer, RuleLook } from '../../kind.ts'
import { invalid, notFound, required } from '../../kubevirt/rules/causes.ts'

export const BACKUP_FINALIZER = 'harvesterhci.io/vm-backup'
/** A duration of Go's, or 0. */
const DURATION = /^(0|(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+)$/
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const NAME_MAX = 63

interface Source {
  readonly apiGroup?: string
  readonly kind?: string
  readonly name?: string
}
interface BackupSpec {
  readonly source?: Source
  readonly type?: string
  readonly fsFreezeDeadline?: string
}
interface RestoreSpec {
  readonly target?: Source
  readonly virtualMachineBackupName?: string
  readonly virtualMachineBackupNamespace?: string
  readonly newVM?: boolean
  readonly deletionPolicy?: string
  readonly keepMacAddress?: boolean
}

export const machineBackupMutator: Mutator = (next, previous) => {
  if (previous) return next
  const finalizers = next.metadata.finalizers ?? []
  return finalizers.includes(BACKUP_FINALIZER)
    ? next
    : { ...next, metadata: { ...next.metadata, finalizers: [...finalizers, BACKUP_FINALIZER] } }
}

function sourceCauses(source: Source | undefined, field: string): readonly Cause[] {
  if (!source?.name) return [required(`${field}.name`, 'Required value: name the machine')]
  if (source.kind !== 'VirtualMachine')
    return [invalid(`${field}.kind`, `${field}.kind must be VirtualMachine`)]
  return source.apiGroup && source.apiGroup !== 'kubevirt.io'
    ? [invalid(`${field}.apiGroup`, `${field}.apiGroup must be kubevirt.io`)]
    : []
}

export const machineBackupRule: Rule = (next, previous, look) => {
  if (!next) return previous ? deletion(previous, look) : {}
  const spec = (next['spec'] ?? {}) as BackupSpec
  if (previous)
    return deepEqual(previous['spec'], next['spec'])
      ? {}
      : { causes: [invalid('spec', 'a backup is of one machine at one time: spec cannot be changed')] }
  const causes = [...sourceCauses(spec.source, 'spec.source')]
  if (spec.type !== 'snapshot')
    causes.push(
      invalid('spec.type', 'there is no backup target yet; a backup of type snapshot keeps the machine here'),
    )
  if (spec.fsFreezeDeadline !== undefined && !DURATION.test(spec.fsFreezeDeadline))
    causes.push(
      invalid(
        'spec.fsFreezeDeadline',
        `spec.fsFreezeDeadline must be a duration such as 30s, not ${JSON.stringify(spec.fsFreezeDeadline)}`,
      ),
    )
  if (causes.length > 0) return { causes }
  const name = spec.source!.name!
  const machine = look.get(machineRef, next.metadata.namespace, name)
  if (!machine) return { causes: [notFound('spec.source.name', `virtual machine ${name} not found`)] }
  return machine.metadata.deletionTimestamp
    ? { causes: [invalid('spec.source.name', `virtual machine ${name} is being deleted`)] }
    : {}
}

/** A backup stays while a machine is made from it. */
function deletion(backup: KubeObject, look: RuleLook): RuleAnswer {
  const { name, namespace } = backup.metadata
  const user = look.list(machineRestoreRef, undefined, name).find((one) => {
    const spec = one['spec'] as RestoreSpec
    const done = (one['status'] as { readonly complete?: boolean } | undefined)?.complete
    return (
      spec.virtualMachineBackupName === name &&
      spec.virtualMachineBackupNamespace === namespace &&
      done !== true &&
      !one.metadata.deletionTimestamp
    )
  })
  return user
    ? {
        refuse: {
          code: 409,
          reason: 'Conflict',
          message: `backup ${namespace}/${name} is being restored by ${user.metadata.namespace}/${user.metadata.name}; delete it when that is done`,
        },
      }
    : {}
}

export const machineRestoreRule: Rule = (next, previous, look) => {
  if (!next) return {}
  const spec = (next['spec'] ?? {}) as RestoreSpec
  if (previous)
    return deepEqual(previous['spec'], next['spec'])
      ? {}
      : { causes: [invalid('spec', 'spec cannot be changed: make another restore')] }
  const causes = [...sourceCauses(spec.target, 'spec.target')]
  const name = spec.target?.name ?? ''
  if (name !== '' && (!NAME.test(name) || name.length > NAME_MAX))
    causes.push(invalid('spec.target.name', `${name} is no name of a machine`))
  if (spec.deletionPolicy && !['delete', 'retain'].includes(spec.deletionPolicy))
    causes.push(invalid('spec.deletionPolicy', 'spec.deletionPolicy must be delete or retain'))
  if (causes.length === 0) causes.push(...backupCauses(spec, look))
  if (causes.length === 0) causes.push(...targetCauses(next, spec, look))
  return { causes }
}

function backupCauses(spec: RestoreSpec, look: RuleLook): readonly Cause[] {
  const { virtualMachineBackupName: name = '', virtualMachineBackupNamespace: namespace = '' } = spec
  const field = 'spec.virtualMachineBackupName'
  if (!look.mayDo('get', machineBackupRef, namespace, name))
    return [invalid(field, `user ${look.user.username} may not read backup ${namespace}/${name}`)]
  const backup = look.get(machineBackupRef, namespace, name)
  if (!backup) return [notFound(field, `backup ${namespace}/${name} not found`)]
  const status = backup['status'] as
    | { readonly readyToUse?: boolean; readonly error?: { readonly message?: string } }
    | undefined
  return status?.readyToUse === true
    ? []
    : [
        invalid(
          field,
          `backup ${namespace}/${name} is not ready${status?.error?.message ? `: ${status.error.message}` : ' yet'}`,
        ),
      ]
}

function targetCauses(next: KubeObject, spec: RestoreSpec, look: RuleLook): readonly Cause[] {
  const { namespace } = next.metadata
  const name = spec.target?.name ?? ''
  const field = 'spec.target.name'
  const type = (
    look.get(machineBackupRef, spec.virtualMachineBackupNamespace, spec.virtualMachineBackupName ?? '')?.[
      'spec'
    ] as BackupSpec | undefined
  )?.type
  if (type === 'snapshot' && namespace !== spec.virtualMachineBackupNamespace)
    return [
      invalid(
        'metadata.namespace',
        `a snapshot is restored in its own namespace ${spec.virtualMachineBackupNamespace}, not in ${namespace}`,
      ),
    ]
  const other = look.list(machineRestoreRef, namespace, name).find((one) => {
    const done = (one['status'] as { readonly complete?: boolean } | undefined)?.complete
    return (
      (one['spec'] as RestoreSpec).target?.name === name && done !== true && !one.metadata.deletionTimestamp
    )
  })
  if (other) return [invalid(field, `restore ${other.metadata.name} of machine ${name} is under way`)]
  const machine = look.get(machineRef, namespace, name)
  if (spec.newVM)
    return machine ? [invalid(field, `machine ${name} exists: choose another name for the new one`)] : []
  if (!machine) return [notFound(field, `machine ${name} not found: restore it as a new one (newVM)`)]
  const status = machine['status'] as
    | { readonly printableStatus?: string; readonly created?: boolean }
    | undefined
  return status?.created || (status?.printableStatus && status.printableStatus !== 'Stopped')
    ? [
        invalid(
          field,
          `machine ${name} is ${status.printableStatus ?? 'running'}: stop it before it is replaced`,
        ),
      ]
    : []
}
