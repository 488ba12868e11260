// KeyPair: a public SSH key that can be put into machines; Harvester's harvesterhci.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { keyPairMutator, keyPairRule } from './rules/key-pair.ts'
import { keyPairSpec, keyPairStatus } from './schema/key-pair.ts'

export const KeyPair = defineKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'KeyPair',
  plural: 'keypairs',
  shortNames: ['kp', 'kps'],
  scope: 'Namespaced',
  doc: 'A public SSH key that can be put into machines.',
  body: () => s.object({ spec: keyPairSpec, status: keyPairStatus }, undefined, { required: ['spec'] }),
  columns: [
    {
      name: 'FINGER_PRINT',
      type: 'string',
      description: 'Fingerprint of the key.',
      value: '.status.fingerPrint',
    },
    { name: 'AGE', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
  mutators: [keyPairMutator],
  rules: [keyPairRule],
})
export type KeyPair = KindOf<typeof KeyPair>
