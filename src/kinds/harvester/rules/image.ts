// Images: what is needed to make one, what never changes afterwards, and who must be gone before it goes.

import { shortHash } from '../../../base/derived-name.ts'
import { deepEqual } from '../../../base/equality.ts'
import type { Cause } from '../../../base/errors.ts'
import { LABEL_VALUE_MAX } from '../../../base/limits.ts'
import { checkLabelValue, utf8Length } from '../../../base/names.ts'
import type { KubeObject } from '../../../base/object.ts'
import type { Infer } from '../../build.ts'
import { claimRef, imageRef } from '../../foreign.ts'
import type { Mutator, Rule, RuleAnswer, RuleLook } from '../../kind.ts'
import { duplicate, invalid, notFound, required } from '../../kubevirt/rules/causes.ts'
import { IMAGE_ID } from '../claim-templates.ts'
import { type ImageLike, imageState } from '../image-state.ts'
import type { virtualMachineImageSpec } from '../schema/virtual-machine-image.ts'

type ImageSpec = Infer<typeof virtualMachineImageSpec>

export const DISPLAY_NAME_LABEL = 'harvesterhci.io/imageDisplayName'
/** Bytes of a name for people; what names of objects may have too. */
const DISPLAY_NAME_MAX_BYTES = 253
const CHECKSUM = /^[0-9a-fA-F]{128}$/
const IMMUTABLE = [
  'displayName',
  'url',
  'sourceType',
  'pvcName',
  'pvcNamespace',
  'storageClassParameters',
  'securityParameters',
  'targetStorageClassName',
  'backend',
  'checksum',
] as const
const WITH_URL: readonly string[] = ['download', 'restore']

/**
 * The display name as a label: itself where it can be one, else its letters and a hash, so that any name can be
 * given and two names never share a label.
 */
export function displayNameLabel(name: string): string {
  if (checkLabelValue(name).length === 0) return name
  const hash = shortHash(name, 8)
  const letters = name
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .slice(0, LABEL_VALUE_MAX - hash.length - 1)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
  return letters === '' ? hash : `${letters}-${hash}`
}

export const imageMutator: Mutator = (next) => {
  const spec = next['spec'] as { readonly displayName?: unknown } | undefined
  if (typeof spec?.displayName !== 'string' || spec.displayName === '') return next
  const label = displayNameLabel(spec.displayName)
  if (next.metadata.labels?.[DISPLAY_NAME_LABEL] === label) return next
  return {
    ...next,
    metadata: { ...next.metadata, labels: { ...next.metadata.labels, [DISPLAY_NAME_LABEL]: label } },
  }
}

export const imageRule: Rule = (next, previous, look) => {
  if (!next) return previous ? deletion(previous, look) : {}
  const spec = next['spec'] as ImageSpec
  if (previous) return { causes: changeCauses(spec, previous['spec'] as ImageSpec) }
  return { causes: [...nameCauses(next, spec, look), ...sourceCauses(spec, next, look)] }
}

function changeCauses(spec: ImageSpec, old: ImageSpec): readonly Cause[] {
  return IMMUTABLE.filter((name) => !deepEqual(spec[name], old[name])).map((name) =>
    invalid(`spec.${name}`, `spec.${name} cannot be changed; make a new image`),
  )
}

function nameCauses(image: KubeObject, { displayName }: ImageSpec, look: RuleLook): readonly Cause[] {
  const field = 'spec.displayName'
  if (displayName.trim() === '') return [required(field, 'Required value: an image needs a name for people')]
  if (utf8Length(displayName) > DISPLAY_NAME_MAX_BYTES)
    return [invalid(field, `spec.displayName must not be longer than ${DISPLAY_NAME_MAX_BYTES} bytes`)]
  const twin = look
    .list(imageRef, image.metadata.namespace)
    .find(
      (other) =>
        other.metadata.name !== image.metadata.name &&
        (other['spec'] as ImageSpec).displayName === displayName,
    )
  return twin
    ? [duplicate(field, `image ${twin.metadata.namespace}/${twin.metadata.name} has the same display name`)]
    : []
}

function sourceCauses(spec: ImageSpec, image: KubeObject, look: RuleLook): readonly Cause[] {
  const causes: Cause[] = []
  const { url, checksum, sourceType, backend, targetStorageClassName } = spec
  if (WITH_URL.includes(sourceType)) {
    if (!url) causes.push(required('spec.url', `an image of source type ${sourceType} needs a url`))
    else if (sourceType === 'download' && !/^https?:\/\/[^\s/?#]+([/?#]\S*)?$/i.test(url))
      causes.push(invalid('spec.url', 'spec.url must be an http or https URL'))
  } else if (url) causes.push(invalid('spec.url', `an image of source type ${sourceType} has no url`))
  if (checksum && !CHECKSUM.test(checksum))
    causes.push(invalid('spec.checksum', 'spec.checksum must be a SHA-512 digest of 128 hexadecimal digits'))
  if (backend === 'cdi' && !targetStorageClassName)
    causes.push(required('spec.targetStorageClassName', 'backend cdi needs a storage class'))
  if (sourceType === 'export-from-volume') causes.push(...exportCauses(spec, look))
  if (sourceType === 'clone') causes.push(...cloneCauses(spec, image, look))
  return causes
}

function exportCauses({ pvcName, pvcNamespace }: ImageSpec, look: RuleLook): readonly Cause[] {
  if (!pvcName || !pvcNamespace)
    return [
      required(
        pvcName ? 'spec.pvcNamespace' : 'spec.pvcName',
        'an exported image needs pvcName and pvcNamespace',
      ),
    ]
  // The same answer for "not there" and "not yours".
  if (!look.mayDo('get', claimRef, pvcNamespace, pvcName) || !look.get(claimRef, pvcNamespace, pvcName))
    return [notFound('spec.pvcName', `claim ${pvcNamespace}/${pvcName} not found`)]
  return []
}

function cloneCauses({ securityParameters }: ImageSpec, image: KubeObject, look: RuleLook): readonly Cause[] {
  if (!securityParameters)
    return [required('spec.securityParameters', 'a cloned image needs securityParameters')]
  const { sourceImageName: name, sourceImageNamespace: namespace } = securityParameters
  const source = look.mayDo('get', imageRef, namespace, name)
    ? look.get(imageRef, namespace, name)
    : undefined
  if (!source || source.metadata.uid === image.metadata.uid)
    return [notFound('spec.securityParameters.sourceImageName', `image ${namespace}/${name} not found`)]
  const state = imageState(source as ImageLike)
  return state.state === 'ready'
    ? []
    : [
        invalid(
          'spec.securityParameters.sourceImageName',
          `image ${namespace}/${name} is not ready: ${state.message}`,
        ),
      ]
}

function deletion(image: KubeObject, look: RuleLook): RuleAnswer {
  const id = `${image.metadata.namespace}/${image.metadata.name}`
  const className = (image as ImageLike).status?.storageClassName
  const users = look
    .list(claimRef)
    .filter((claim) => {
      const spec = claim['spec'] as { readonly storageClassName?: string } | undefined
      const own = claim.metadata.annotations?.[IMAGE_ID] === id
      return own || (className !== undefined && className !== '' && spec?.storageClassName === className)
    })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  if (users.length === 0) return {}
  const shown = users.slice(0, 5).join(', ') + (users.length > 5 ? ` and ${users.length - 5} more` : '')
  return {
    refuse: {
      code: 409,
      reason: 'Conflict',
      message: `image ${id} is in use by PersistentVolumeClaim ${shown}; delete the claims first`,
    },
  }
}
