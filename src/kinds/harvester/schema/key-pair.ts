// Spec and status of a KeyPair.
import { s } from '../../build.ts'
import { harvesterCondition } from './condition.ts'

export const keyPairSpec = s.object(
  {
    publicKey: s.string(),
  },
  undefined,
  { required: ['publicKey'] },
)

export const keyPairStatus = s.object({
  conditions: s.list(harvesterCondition, 'What holds for this object now.'),
  fingerPrint: s.string(),
})
