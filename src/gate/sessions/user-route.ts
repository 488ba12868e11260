// PUT /v1-croft/users/NAME: makes a user or gives one a new password and groups. For whoever may write the Secrets that
// users are; users are listed and removed as such.
import { refuse } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { HttpResponse } from '../../host/host.ts'
import { answerJson } from '../answers.ts'
import { type Ask, type GateDeps, gateClient } from '../ask.ts'
import { readJsonBody, text } from '../body.ts'
import { requireMay } from '../rights.ts'
import { NAMESPACE } from './secret-record.ts'
import { provideUser } from './users.ts'

export async function answerUser(
  deps: GateDeps,
  { request, user, info }: Ask,
  name: string,
): Promise<HttpResponse> {
  if (request.method !== 'PUT') throw refuse.methodNotAllowed()
  const secrets = { group: '', resource: 'secrets', namespace: NAMESPACE, name: '' }
  await requireMay(deps, user, { verb: 'create', ...secrets })
  await requireMay(deps, user, { verb: 'update', ...secrets })
  const body = await readJsonBody(request)
  if (info.query.size > 0)
    throw refuse.badRequest('a password does not belong into an address: send it in the body')
  const wish = { name, password: text(body, 'password'), groups: groupsOf(body), mustChangePassword: true }
  const parts = { client: gateClient(deps), passwords: deps.passwords, random: deps.host.random }
  const isNew = await provideUser(parts, wish)
  return answerJson(isNew ? 201 : 200, { username: name, groups: wish.groups, mustChangePassword: true })
}

function groupsOf(body: JsonObject): readonly string[] {
  const groups = body['groups'] ?? []
  if (!Array.isArray(groups) || groups.some((group) => typeof group !== 'string'))
    throw refuse.badRequest('groups must be a list of texts')
  return groups as readonly string[]
}
