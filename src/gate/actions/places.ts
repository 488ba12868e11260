// What subresources.kubevirt.io answers without a machine: version and health. Clients of KubeVirt compare the version
// with their own and warn where it differs.
import { refuse } from '../../base/errors.ts'
import { formatTime } from '../../base/time.ts'
import type { HttpResponse } from '../../host/host.ts'
import { answerJson } from '../answers.ts'
import type { Ask, GateDeps } from '../ask.ts'

/** The KubeVirt whose API is served. */
const KUBEVIRT_VERSION = 'v1.7.4'
/** Release of that version, so that the answer is the same on every host. */
const BUILT = Date.UTC(2026, 0, 1)

export async function answerPlace({ croftVersion }: GateDeps, { request, info }: Ask): Promise<HttpResponse> {
  if (request.method !== 'GET') throw refuse.methodNotAllowed()
  switch (info.resource) {
    case 'version':
      return answerJson(200, {
        gitVersion: KUBEVIRT_VERSION,
        gitCommit: `croft-${croftVersion}`,
        gitTreeState: 'clean',
        buildDate: formatTime(BUILT),
        goVersion: '',
        compiler: '',
        platform: 'linux/amd64',
      })
    case 'healthz':
      return answerJson(200, { apiserver: { connectivity: 'ok' } })
    case 'guestfs':
      throw refuse.notImplemented('guestfs needs a container runtime, which croft has not')
    default:
      throw refuse.noSuchResource()
  }
}
