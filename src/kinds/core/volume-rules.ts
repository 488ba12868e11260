// What claims and volumes must be, and what of them may not change.

import { deepEqual } from '../../base/equality.ts'
import { type Cause, cause } from '../../base/errors.ts'
import { checkDns1123Subdomain } from '../../base/names.ts'
import type { KubeObject } from '../../base/object.ts'
import { compareQuantity, parseQuantity } from '../../base/quantity.ts'
import type { Infer } from '../build.ts'
import type { Rule, RuleLook } from '../kind.ts'
import { StorageClass } from '../kubernetes/storage-class.ts'
import {
  checkImmutable,
  checkNodeSelector,
  checkRequiredText,
  checkSelector,
  checkText,
} from '../rule-checks.ts'
import type { persistentVolumeClaimSpec, persistentVolumeClaimStatus } from './claim-body.ts'
import type { persistentVolumeSpec } from './persistent-volume-body.ts'

type ClaimSpec = Infer<typeof persistentVolumeClaimSpec>
type Claim = KubeObject & {
  readonly spec?: ClaimSpec
  readonly status?: Infer<typeof persistentVolumeClaimStatus>
}
type VolumeSpec = Infer<typeof persistentVolumeSpec>
type Volume = KubeObject & { readonly spec?: VolumeSpec }

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

export const checkClaim: Rule = (next, previous, look) => {
  if (!next) return {}
  const claim = next as Claim
  const before = previous as Claim | undefined
  return { causes: before ? checkClaimUpdate(claim, before, look) : checkClaimSpec(claim.spec ?? {}) }
}

function checkModes(modes: readonly string[]): readonly Cause[] {
  const causes = modes
    .filter((mode) => !MODES.includes(mode))
    .map((mode) => cause.notSupported('spec.accessModes', mode, MODES))
  if (modes.includes('ReadWriteOncePod') && modes.length > 1) {
    const why = 'may not use ReadWriteOncePod with other access modes'
    return [...causes, cause.forbidden('spec.accessModes', why)]
  }
  return causes
}

function checkClaimSpec(spec: ClaimSpec): readonly Cause[] {
  const causes: Cause[] = []
  const modes = spec.accessModes ?? []
  if (modes.length === 0)
    causes.push(cause.required('spec.accessModes', 'at least 1 access mode is required'))
  causes.push(...checkModes(modes))
  causes.push(...checkSelector('spec.selector', spec.selector))
  const size = spec.resources?.requests?.['storage']
  if (size === undefined) causes.push(cause.required('spec.resources[storage]'))
  else if ((parseQuantity(size)?.nano ?? 0n) <= 0n) {
    causes.push(cause.invalid('spec.resources[storage]', size, 'must be greater than zero'))
  }
  if (spec.storageClassName) {
    causes.push(...checkText('spec.storageClassName', spec.storageClassName, checkDns1123Subdomain))
  }
  for (const name of ['dataSource', 'dataSourceRef'] as const) {
    const source = spec[name]
    if (!source) continue
    if (!source.name) causes.push(cause.required(`spec.${name}.name`))
    if (!source.kind) causes.push(cause.required(`spec.${name}.kind`))
  }
  return causes
}

const SPEC_TEXT =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'

function checkClaimUpdate(claim: Claim, before: Claim, look: RuleLook): readonly Cause[] {
  const { resources, volumeAttributesClassName: _class, ...spec } = claim.spec ?? {}
  const { resources: oldResources, volumeAttributesClassName: _oldClass, ...oldSpec } = before.spec ?? {}
  // The binder may fill in the volume, and a class may be given to a claim that has none.
  const binds = !oldSpec.volumeName
  const classed = oldSpec.storageClassName === undefined
  const kept = {
    ...spec,
    ...(binds ? { volumeName: oldSpec.volumeName } : {}),
    ...(classed ? { storageClassName: undefined } : {}),
  }
  if (!deepEqual(withoutUndefined(kept), withoutUndefined(oldSpec)))
    return [cause.forbidden('spec', SPEC_TEXT)]
  const limits = deepEqual(resources?.limits ?? {}, oldResources?.limits ?? {})
  if (!limits) return [cause.forbidden('spec', SPEC_TEXT)]
  return checkSize(claim, before, look)
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined))
}

function checkSize(claim: Claim, before: Claim, look: RuleLook): readonly Cause[] {
  const size = parseQuantity(claim.spec?.resources?.requests?.['storage'] ?? '0')
  const old = parseQuantity(before.spec?.resources?.requests?.['storage'] ?? '0')
  if (!size || !old || compareQuantity(size, old) === 0) return []
  const field = 'spec.resources.requests.storage'
  if (compareQuantity(size, old) < 0) {
    return [cause.forbidden(field, 'field can not be less than previous value')]
  }
  if (before.status?.phase !== 'Bound') return [cause.forbidden('spec', SPEC_TEXT)]
  const name = before.spec?.storageClassName
  const storageClass = name ? look.get(StorageClass, undefined, name) : undefined
  if (storageClass?.['allowVolumeExpansion'] === true) return []
  const why =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
  return [cause.forbidden(field, why)]
}

/** Fields of a volume's spec that are not its source. */
const NOT_SOURCES: ReadonlySet<string> = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
])

function sourceOf(spec: VolumeSpec): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !NOT_SOURCES.has(name)))
}

export const checkVolume: Rule = (next, previous) => {
  if (!next) return {}
  const spec = (next as Volume).spec ?? {}
  const before = (previous as Volume | undefined)?.spec
  const causes = [...checkVolumeSpec(spec)]
  if (before) {
    if (!deepEqual(sourceOf(spec), sourceOf(before))) {
      causes.push(
        cause.forbidden(
          'spec.persistentvolumesource',
          'spec.persistentvolumesource is immutable after creation',
        ),
      )
    }
    causes.push(...checkImmutable('spec.volumeMode', spec.volumeMode, before.volumeMode))
    if (before.nodeAffinity)
      causes.push(...checkImmutable('spec.nodeAffinity', spec.nodeAffinity, before.nodeAffinity))
  }
  return { causes }
}

function checkVolumeSpec(spec: VolumeSpec): readonly Cause[] {
  const causes: Cause[] = []
  const modes = spec.accessModes ?? []
  if (modes.length === 0) causes.push(cause.required('spec.accessModes'))
  causes.push(...checkModes(modes))
  const capacity = Object.keys(spec.capacity ?? {})
  if (capacity.length === 0) causes.push(cause.required('spec.capacity'))
  if (capacity.length !== 1 || capacity[0] !== 'storage') {
    causes.push(cause.notSupported('spec.capacity', spec.capacity ?? null, ['storage']))
  }
  const sources = Object.keys(sourceOf(spec))
  if (sources.length === 0) causes.push(cause.required('spec', 'must specify a volume type'))
  for (const name of sources.slice(1)) {
    causes.push(cause.forbidden(`spec.${name}`, 'may not specify more than 1 volume type'))
  }
  causes.push(...checkSources(spec))
  if (spec.storageClassName) {
    causes.push(...checkText('spec.storageClassName', spec.storageClassName, checkDns1123Subdomain))
  }
  if (spec.nodeAffinity) {
    if (spec.nodeAffinity.required) {
      causes.push(...checkNodeSelector('spec.nodeAffinity.required', spec.nodeAffinity.required))
    } else {
      causes.push(cause.required('spec.nodeAffinity.required', 'must specify required node constraints'))
    }
  }
  return causes
}

function checkSources({
  csi,
  nfs,
  hostPath,
  local,
  gcePersistentDisk,
  ...rest
}: VolumeSpec): readonly Cause[] {
  const causes: Cause[] = []
  if (gcePersistentDisk && !gcePersistentDisk.pdName)
    causes.push(cause.required('spec.persistentDisk.pdName'))
  if (csi) {
    causes.push(
      ...checkRequiredText('spec.csi.driver', csi.driver, (text) =>
        checkDns1123Subdomain(text.toLowerCase()).map((line) => line),
      ),
    )
    if (!csi.volumeHandle) causes.push(cause.required('spec.csi.volumeHandle'))
  }
  if (nfs) {
    if (!nfs.server) causes.push(cause.required('spec.nfs.server'))
    if (!nfs.path) causes.push(cause.required('spec.nfs.path'))
    if (!nfs.path?.startsWith('/'))
      causes.push(cause.invalid('spec.nfs.path', nfs.path ?? '', 'must be an absolute path'))
  }
  if (hostPath) {
    if (!hostPath.path) causes.push(cause.required('spec.hostPath.path'))
    else if (hostPath.path.split('/').includes('..')) {
      causes.push(cause.invalid('spec.hostPath.path', hostPath.path, "must not contain '..'"))
    }
  }
  if (local) {
    if (!local.path) causes.push(cause.required('spec.local.path'))
    if (!rest.nodeAffinity)
      causes.push(cause.required('spec.nodeAffinity', 'Local volume requires node affinity'))
  }
  return causes
}
