// Backing images: how the content comes here is fixed, and the content is not given up while volumes stand on it.
import { deepEqual } from '../../../base/equality.ts'
import type { Cause } from '../../../base/errors.ts'
import type { Infer } from '../../build.ts'
import type { AnyKind, Rule } from '../../kind.ts'
import { invalid, required } from '../../kubevirt/rules/causes.ts'
import type { backingImageSpec } from '../schema/backing-image.ts'

type BackingImageSpec = Infer<typeof backingImageSpec>

const volumeRef = { group: 'longhorn.io', version: 'v1beta2', plural: 'volumes', kind: 'Volume' } as AnyKind
const IMMUTABLE = ['sourceType', 'sourceParameters', 'checksum', 'dataEngine'] as const
const CHECKSUM = /^[0-9a-fA-F]{128}$/

export const backingImageRule: Rule = (next, previous, look) => {
  if (!next) {
    const name = previous?.metadata.name
    const users = look
      .list(volumeRef, previous?.metadata.namespace)
      .filter(
        (volume) => (volume['spec'] as { readonly backingImage?: string } | undefined)?.backingImage === name,
      )
      .map(({ metadata }) => metadata.name)
    return users.length === 0
      ? {}
      : {
          refuse: {
            code: 409,
            reason: 'Conflict',
            message: `backing image ${name} is in use by volume ${users.slice(0, 5).join(', ')}`,
          },
        }
  }
  const spec = next['spec'] as BackingImageSpec | undefined
  const old = previous?.['spec'] as BackingImageSpec | undefined
  if (!spec) return { causes: [required('spec', 'Required value: a backing image needs a spec')] }
  return { causes: old ? changeCauses(spec, old) : newCauses(spec) }
}

function changeCauses(spec: BackingImageSpec, old: BackingImageSpec): readonly Cause[] {
  return IMMUTABLE.filter((name) => !deepEqual(spec[name], old[name])).map((name) =>
    invalid(`spec.${name}`, `spec.${name} cannot be changed after the image is made`),
  )
}

function newCauses({ sourceType, sourceParameters, checksum }: BackingImageSpec): readonly Cause[] {
  const causes: Cause[] = []
  if (!sourceType) causes.push(required('spec.sourceType', 'Required value: say how the content comes here'))
  if (sourceType === 'download' && !sourceParameters?.['url'])
    causes.push(required('spec.sourceParameters.url', 'Required value: a download needs a url'))
  if (checksum && !CHECKSUM.test(checksum))
    causes.push(invalid('spec.checksum', 'spec.checksum must be a SHA-512 digest of 128 hexadecimal digits'))
  return causes
}
