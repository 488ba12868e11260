// Spec and status of a KeyPair.
import { s } from '../../build.ts'
import { harvesterCondition } from './condition.ts'

export const keyPairSpec = s.object(
  {
    publicKey: s.string('Public key as one line of an authorized_keys file.'),
  },
  'The key.',
  { required: ['publicKey'] },
)

export const keyPairStatus = s.object(
  {
    conditions: s.list(harvesterCondition, 'Validated says whether the key can be read.'),
    fingerPrint: s.string('MD5 fingerprint of the key.'),
  },
  'What is known of the key.',
)
