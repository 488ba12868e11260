// A KeyPair holds one public key; its fingerprint is computed here, by nobody else.
import type { KubeObject } from '../../../base/object.ts'
import type { AnyKind, Mutator, Rule } from '../../kind.ts'
import { readPublicKey } from '../ssh-key.ts'

const keyPairRef = {
  group: 'harvesterhci.io',
  version: 'v1beta1',
  plural: 'keypairs',
  kind: 'KeyPair',
} as AnyKind

function keyOf(object: KubeObject | undefined): string | undefined {
  const spec = object?.['spec'] as { readonly publicKey?: unknown } | undefined
  return typeof spec?.publicKey === 'string' ? spec.publicKey : undefined
}

/** Fingerprint and condition follow from the key at once; what somebody sends as status does not count. */
export const keyPairMutator: Mutator = (next) => {
  const text = keyOf(next)
  const reading = text === undefined ? undefined : readPublicKey(text)
  if (!reading?.ok) return next
  return {
    ...next,
    status: {
      fingerPrint: reading.key.fingerprint,
      conditions: [{ type: 'validated', status: 'True' }],
    },
  }
}

export const keyPairRule: Rule = (next, previous, look) => {
  const text = keyOf(next)
  if (!next || text === undefined) return {}
  const reading = readPublicKey(text)
  if (!reading.ok)
    return {
      causes: [
        {
          reason: 'FieldValueInvalid',
          field: 'spec.publicKey',
          message: `Invalid value: the key ${reading.why}`,
        },
      ],
    }
  if (text === keyOf(previous)) return {}
  const { fingerprint } = reading.key
  const twin = look.list(keyPairRef, next.metadata.namespace).find((other) => {
    const status = other['status'] as { readonly fingerPrint?: string } | undefined
    return other.metadata.name !== next.metadata.name && status?.fingerPrint === fingerprint
  })
  return twin ? { warnings: [`KeyPair ${twin.metadata.name} holds the same key (${fingerprint})`] } : {}
}
