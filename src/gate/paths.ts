// Paths that name no resource of Kubernetes: logins, uploads, actions of Harvester's interface, the explainer, and for
// everything else the files of the web interface.
import { refuse } from '../base/errors.ts'
import type { HttpResponse } from '../host/host.ts'
import type { Ask, GateDeps } from './ask.ts'
import { answerCluster } from './cluster-route.ts'
import { answerFile } from './files/static-files.ts'
import { answerHarvesterAction } from './harvester-actions.ts'
import { answerUpload } from './images/upload.ts'
import { answerMetrics } from './metrics/metrics-route.ts'
import { answerProjects } from './project-route.ts'
import { sessionRoute } from './sessions/routes.ts'
import type { Sessions } from './sessions/sessions.ts'
import { answerUser } from './sessions/user-route.ts'
import { answerBundle } from './support/bundle-route.ts'
import { answerWhy } from './why-route.ts'

const OBJECT = /^\/v1\/harvester\/([^/]+)\/([^/]+)\/([^/]+)$/
const USER = /^\/v1-croft\/users\/([^/]+)$/
const DOWNLOAD = /^\/v1\/harvester\/harvesterhci\.io\.virtualmachineimages?\/[^/]+\/[^/]+\/download$/
const IMAGES = new Set(['harvesterhci.io.virtualmachineimages', 'harvesterhci.io.virtualmachineimage'])
const MACHINES = new Set(['kubevirt.io.virtualmachines', 'kubevirt.io.virtualmachine'])
/** Never pages: a program that asks for them must not be given one. */
const NO_PAGES = /^\/(v1|v3|v1-public|v3-public|v1-croft|api|apis|k8s|openapi|\.well-known)(\/|$)/

export async function answerPath(
  { deps, sessions }: { readonly deps: GateDeps; readonly sessions: Sessions },
  ask: Ask,
): Promise<HttpResponse> {
  const { request, info } = ask
  const session = sessionRoute(sessions, ask)
  if (session) return session
  const cluster = answerCluster(deps.cluster, ask)
  if (cluster) return cluster
  if (info.path.startsWith('/v1-croft/metrics/')) return answerMetrics(deps, ask)
  if (info.path === '/v1-croft/projects') return answerProjects(deps, ask)
  if (info.path === '/v1-croft/support-bundle') return answerBundle(deps, ask)
  if (info.path.startsWith('/v1-croft/why/')) return answerWhy(deps, ask)
  const [, type = '', namespace = '', name = ''] = OBJECT.exec(info.path) ?? []
  if (IMAGES.has(type) && info.query.get('action') === 'upload') {
    if (request.method !== 'POST' && request.method !== 'PUT') throw refuse.methodNotAllowed()
    return answerUpload(deps, ask, { namespace, name })
  }
  if (MACHINES.has(type) && info.query.has('action')) {
    if (request.method !== 'POST') throw refuse.methodNotAllowed()
    return answerHarvesterAction(deps, ask, { namespace, name })
  }
  const [, username] = USER.exec(info.path) ?? []
  if (username !== undefined) return answerUser(deps, ask, username)
  if (DOWNLOAD.test(info.path))
    throw refuse.notImplemented('images are not given out by this version of croft')
  if (NO_PAGES.test(info.path)) throw refuse.noSuchResource()
  return answerFile(deps.host.files, deps.uiFolder, request, info)
}
