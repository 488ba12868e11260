// GET /v1-croft/projects: the namespaces that the caller may look into. Kubernetes has no such question: listing
// namespaces is a right to see them all or none, and a user of one project has it not.
import { refuse } from '../base/errors.ts'
import type { HttpResponse } from '../host/host.ts'
import { Namespace } from '../kinds/core/namespace.ts'
import { answerJson } from './answers.ts'
import { type Ask, type GateDeps, gateClient, requireKnown } from './ask.ts'
import { mayDo } from './rights.ts'

/** Each is a question to the authorizer; a cluster with more gives those rights to all of them. */
const ASKED_MAX = 2_000

export async function answerProjects(deps: GateDeps, { request, user }: Ask): Promise<HttpResponse> {
  if (request.method !== 'GET') throw refuse.methodNotAllowed()
  requireKnown(user)
  const everywhere = { verb: 'list', group: '', resource: 'namespaces', namespace: '', name: '' }
  const { items } = await gateClient(deps).list(Namespace)
  const names = items.map(({ metadata }) => metadata.name ?? '')
  if (await mayDo(deps, user, everywhere)) return answerJson(200, { all: true, names })
  const seen: string[] = []
  for (const name of names.slice(0, ASKED_MAX)) {
    const right = { verb: 'get', group: '', resource: 'namespaces', namespace: name, name }
    if (await mayDo(deps, user, right)) seen.push(name)
  }
  return answerJson(200, { all: false, names: seen })
}
