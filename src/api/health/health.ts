// /healthz, /livez, /readyz: `ok`, or which check fails.
import type { HttpResponse } from '../../host/host.ts'
import type { Core } from '../core.ts'
import type { RequestInfo } from '../gate-port.ts'
import { answerText } from '../http/answer.ts'

interface Check {
  readonly name: string
  readonly ok: boolean
}

export function answerHealth(core: Core, info: RequestInfo): HttpResponse {
  const [, which = '', ...rest] = info.path.split('/')
  const checks = checksFor(core, which)
  const single = rest.join('/')
  const excluded = new Set(info.query.getAll('exclude'))
  if (single !== '') {
    const check = checks.find(({ name }) => name === single)
    if (!check) return answerText(404, '404 page not found\n')
    return check.ok
      ? answerText(200, 'ok')
      : answerText(500, `internal server error: ${single} is not ready\n`)
  }
  const failed = checks.filter(({ name, ok }) => !ok && !excluded.has(name))
  const lines = checks.map(({ name, ok }) =>
    excluded.has(name) ? `[+]${name} excluded: ok` : ok ? `[+]${name} ok` : `[-]${name} failed: not ready`,
  )
  const verbose = info.query.has('verbose')
  if (failed.length > 0) return answerText(500, `${lines.join('\n')}\n${which} check failed\n`)
  return answerText(200, verbose ? `${lines.join('\n')}\n${which} check passed\n` : 'ok')
}

function checksFor(core: Core, which: string): readonly Check[] {
  const always = [
    { name: 'ping', ok: true },
    { name: 'log', ok: true },
    { name: 'etcd', ok: true },
  ]
  if (which === 'livez') return always
  const unready = core.deps.unready?.() ?? []
  return [...always, ...unready.map((name) => ({ name, ok: false }))]
}
