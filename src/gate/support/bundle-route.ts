// GET /v1-croft/support-bundle: one tar archive that a stranger can help by: versions, all objects but secrets, what
// happened, and what is measured now. For whoever may read everything; read with their own rights. Nothing is kept.
import { ApiError, refuse } from '../../base/errors.ts'
import { printJson } from '../../base/json.ts'
import { formatTime } from '../../base/time.ts'
import type { Client } from '../../client/client.ts'
import type { HttpResponse } from '../../host/host.ts'
import { allKinds } from '../../kinds/index.ts'
import type { AnyKind, Kind } from '../../kinds/kind.ts'
import { SAFE_HEADERS } from '../answers.ts'
import { type Ask, type GateDeps, userClient } from '../ask.ts'
import { requireMay } from '../rights.ts'
import { redactObject } from './redact.ts'
import { tarEnd, tarEntry } from './tar.ts'

/** Of one kind; a cluster with more has them in its newest ones, too, and the file says that it is cut. */
const OBJECTS_MAX = 5_000

const ABOUT = `What lies here
  versions.json           what runs, and when this was made
  objects/GROUP_KIND.json all objects of a kind; events are among them
  unreadable.txt          kinds that could not be read, with the reason

What does not: secrets, the values of ConfigMaps, guests' user data, passwords and keys in settings (each is replaced
by its length), what guests say on their consoles, and disks. The log of the server itself is where the host keeps it:
journalctl -u croft, or the terminal that it was started in.
`

export async function answerBundle(deps: GateDeps, { request, user }: Ask): Promise<HttpResponse> {
  if (request.method !== 'GET') throw refuse.methodNotAllowed()
  await requireMay(deps, user, { verb: 'list', group: '', resource: 'secrets', namespace: '', name: '' })
  const now = deps.host.clock.now()
  const stamp = formatTime(now).replace(/[-:]/g, '')
  return {
    status: 200,
    headers: {
      ...SAFE_HEADERS,
      'content-type': 'application/x-tar',
      'content-disposition': `attachment; filename="croft-support-${stamp}.tar"`,
    },
    body: pieces(deps, userClient(deps, user), now),
  }
}

/** Kinds that hold objects. A Secret is not even counted. */
function bundledKinds(): readonly AnyKind[] {
  return allKinds.filter(
    ({ group, kind, verbs, virtual }) =>
      verbs.includes('list') && !virtual && !(group === '' && kind === 'Secret'),
  )
}

async function* pieces(deps: GateDeps, client: Client, now: number): AsyncGenerator<Uint8Array> {
  const entry = (name: string, text: string) => tarEntry(`croft-support/${name}`, text, now / 1000)
  yield entry('README.txt', ABOUT)
  yield entry('versions.json', `${printJson({ croft: deps.croftVersion, madeAt: formatTime(now) })}\n`)
  const unreadable: string[] = []
  for (const kind of bundledKinds()) {
    const name = `${kind.group === '' ? 'core' : kind.group}_${kind.kind}`
    try {
      const { items } = await client.list(kind as Kind, { limit: OBJECTS_MAX })
      if (items.length === 0) continue
      const objects = items.map((object) => redactObject(kind.kind, object))
      const cut = items.length >= OBJECTS_MAX ? { cutAfter: OBJECTS_MAX } : {}
      yield entry(`objects/${name}.json`, `${printJson({ kind: kind.kind, ...cut, objects })}\n`)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      unreadable.push(`${name}: ${error.message}`)
    }
  }
  if (unreadable.length > 0) yield entry('unreadable.txt', `${unreadable.join('\n')}\n`)
  yield tarEnd()
}
