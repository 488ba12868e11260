// Snapshots and restores of machines: of a machine that is named rightly, never changed, one restore at a time.
import { deepEqual } from '../../base/equality.ts'
import type { Cause } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { kubevirtRestoreRef, machineRef } from '../foreign.ts'
import type { AnyKind, Mutator, Rule, RuleLook } from '../kind.ts'
import { invalid, required } from '../kubevirt/rules/causes.ts'

export const SNAPSHOT_PROTECTION = 'snapshot.kubevirt.io/vmsnapshot-protection'
const GROUP = 'kubevirt.io'
const KIND = 'VirtualMachine'
/** `5m`, `1h30m`, `0`. */
const DURATION = /^(0|(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+)$/

const snapshotRef = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachinesnapshots',
  kind: 'VirtualMachineSnapshot',
} as AnyKind

interface MachineReference {
  readonly apiGroup?: string | null
  readonly kind?: string
  readonly name?: string
}

function referenceCauses(reference: MachineReference | undefined, field: string): readonly Cause[] {
  if (!reference) return [required(field, 'Required value: name the machine')]
  if (!reference.apiGroup) return [required(`${field}.apiGroup`, 'missing apiGroup')]
  if (reference.apiGroup !== GROUP) return [invalid(`${field}.apiGroup`, 'invalid apiGroup')]
  if (reference.kind !== KIND) return [invalid(`${field}.kind`, 'invalid kind')]
  return []
}

interface SnapshotSpec {
  readonly source?: MachineReference
  readonly failureDeadline?: string
}

/** Set by whoever makes it, so that no second write is needed for it. */
export const machineSnapshotMutator: Mutator = (next, previous) => {
  if (previous) return next
  const finalizers = next.metadata.finalizers ?? []
  return finalizers.includes(SNAPSHOT_PROTECTION)
    ? next
    : { ...next, metadata: { ...next.metadata, finalizers: [...finalizers, SNAPSHOT_PROTECTION] } }
}

/** Held until the target is free again. */
export const RESTORE_PROTECTION = 'snapshot.kubevirt.io/vmrestore-protection'

export const machineRestoreMutator: Mutator = (next, previous) => {
  if (previous) return next
  const finalizers = next.metadata.finalizers ?? []
  return finalizers.includes(RESTORE_PROTECTION)
    ? next
    : { ...next, metadata: { ...next.metadata, finalizers: [...finalizers, RESTORE_PROTECTION] } }
}

export const machineSnapshotRule: Rule = (next, previous) => {
  if (!next) return {}
  const spec = (next['spec'] ?? {}) as SnapshotSpec
  if (previous)
    return deepEqual(previous['spec'], next['spec'])
      ? {}
      : { causes: [invalid('spec', 'spec in immutable after creation')] }
  const causes = [...referenceCauses(spec.source, 'spec.source')]
  if (spec.failureDeadline !== undefined && !DURATION.test(spec.failureDeadline))
    causes.push(
      invalid(
        'spec.failureDeadline',
        `spec.failureDeadline must be a duration such as 5m, not ${JSON.stringify(spec.failureDeadline)}`,
      ),
    )
  return { causes }
}

interface RestoreSpec {
  readonly target?: MachineReference
  readonly virtualMachineSnapshotName?: string
  readonly patches?: readonly string[]
  readonly volumeRestoreOverrides?: readonly {
    readonly volumeName?: string
    readonly restoreName?: string
    readonly labels?: object
    readonly annotations?: object
  }[]
}

const PATCHABLE = [
  '/spec/',
  '/metadata/labels',
  '/metadata/annotations',
  '/metadata/labels/',
  '/metadata/annotations/',
]

export const machineRestoreRule: Rule = (next, previous, look) => {
  if (!next) return {}
  const spec = (next['spec'] ?? {}) as RestoreSpec
  if (previous)
    return deepEqual(previous['spec'], next['spec'])
      ? {}
      : { causes: [invalid('spec', 'spec in immutable after creation')] }
  const causes = [...referenceCauses(spec.target, 'spec.target'), ...patchCauses(spec.patches)]
  for (const [index, override] of (spec.volumeRestoreOverrides ?? []).entries()) {
    const at = `spec.volumeRestoreOverrides[${index}]`
    if (!override.volumeName) causes.push(required(`${at}.volumeName`, 'must provide a volume name'))
    if (!override.restoreName && !override.labels && !override.annotations)
      causes.push(required(at, 'must provide at least one overriding field'))
  }
  if (causes.length === 0) causes.push(...targetCauses(next, spec, look))
  return { causes }
}

function patchCauses(patches: readonly string[] | undefined): readonly Cause[] {
  return (patches ?? []).flatMap((text, index): readonly Cause[] => {
    const field = `spec.patches[${index}]`
    try {
      const value = JSON.parse(text) as { readonly path?: unknown; readonly op?: unknown }
      if (typeof value.path !== 'string' || typeof value.op !== 'string')
        return [invalid(field, `${text} is no JSON patch: op and path are needed`)]
      const allowed = PATCHABLE.some((path) => (value.path as string).startsWith(path))
      return allowed
        ? []
        : [invalid(field, 'patches can only be applied to /spec, /metadata/labels and /metadata/annotations')]
    } catch {
      return [invalid(field, `${text} is no JSON`)]
    }
  })
}

function targetCauses(next: KubeObject, spec: RestoreSpec, look: RuleLook): readonly Cause[] {
  const { namespace } = next.metadata
  const target = spec.target?.name ?? ''
  const other = look.list(kubevirtRestoreRef, namespace, target).find((one) => {
    const done = (one['status'] as { readonly complete?: boolean } | undefined)?.complete
    return (
      (one['spec'] as RestoreSpec).target?.name === target && done !== true && !one.metadata.deletionTimestamp
    )
  })
  if (other) return [invalid('spec.target', `VirtualMachineRestore "${other.metadata.name}" in progress`)]
  const snapshot = look.get(snapshotRef, namespace, spec.virtualMachineSnapshotName ?? '')
  // A snapshot that is not there yet is waited for.
  if (!snapshot) return []
  const source = (snapshot['spec'] as SnapshotSpec | undefined)?.source?.name
  const machine = look.get(machineRef, namespace, target)
  return machine && source !== target
    ? [
        invalid(
          'spec.target',
          `restore source and restore target are different but restore target already exists: ${target}`,
        ),
      ]
    : []
}
