// Spec and status of a KeyPair.
import { s } from '../../build.ts'

export const keyPairSpec = s.object(
  {
    publicKey: s.string(),
  },
  undefined,
  { required: ['publicKey'] },
)

export const keyPairStatus = s.object({
  conditions: s.list(
    s.object(
      {
        lastTransitionTime: s.string(),
        lastUpdateTime: s.string(),
        message: s.string(),
        reason: s.string(),
        status: s.string(),
        type: s.string(),
      },
      undefined,
      { required: ['status', 'type'] },
    ),
  ),
  fingerPrint: s.string(),
})
