// The door of the cluster itself: which CA it has, a host's first certificate, a node's next one.
import type { UserInfo } from '../base/call.ts'
import { refuse } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { HttpResponse } from '../host/host.ts'
import { answerJson } from './answers.ts'
import type { Ask } from './ask.ts'
import { readJsonBody } from './body.ts'

/** What stands behind the door; made by cluster/. */
export interface ClusterDoor {
  greet(): JsonObject
  join(body: JsonObject): Promise<JsonObject>
  renew(user: UserInfo, body: JsonObject): Promise<JsonObject>
}

const ROOT = '/v1-croft/cluster'

/** Undefined for other paths. Joining is for those who are nobody yet: the token in the body says more. */
export function answerCluster(
  door: ClusterDoor | undefined,
  { request, user, info }: Ask,
): Promise<HttpResponse> | undefined {
  if (door === undefined || (info.path !== ROOT && !info.path.startsWith(`${ROOT}/`))) return undefined
  return answer(door, { request, user, info })
}

async function answer(door: ClusterDoor, { request, user, info }: Ask): Promise<HttpResponse> {
  if (info.path === ROOT) {
    if (request.method !== 'GET') throw refuse.methodNotAllowed()
    return answerJson(200, door.greet())
  }
  if (request.method !== 'POST') throw refuse.methodNotAllowed()
  if (info.path === `${ROOT}/join`) return answerJson(200, await door.join(await readJsonBody(request)))
  if (info.path === `${ROOT}/node-certificate`)
    return answerJson(200, await door.renew(user, await readJsonBody(request)))
  throw refuse.noSuchResource()
}
