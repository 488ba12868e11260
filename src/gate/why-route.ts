// placeholder
import { refuse } from '../base/errors.ts'
import type { HttpResponse } from '../host/host.ts'
import type { Ask, GateDeps } from './ask.ts'

export async function answerWhy(_deps: GateDeps, _ask: Ask): Promise<HttpResponse> {
  throw refuse.noSuchResource()
}
