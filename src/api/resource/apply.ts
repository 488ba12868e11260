// Server-side apply.
import { refuse } from '../../base/errors.ts'
import type { Outcome, Work } from '../core.ts'

export async function applyOne(_work: Work): Promise<Outcome> {
  throw refuse.unsupportedMediaType('server-side apply is not served')
}
