// Chance from the kernel's generator: names, tokens, keys and jitter.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Random } from '../host.ts'

export const realRandom: Random = {
  bytes: (count) => randomBytes(count),
  float: () => Math.random(),
  uuid: () => randomUUID(),
}
