// pods/log of a machine: what the guest said on its serial console.
import { refuse } from '../../base/errors.ts'
import type { HttpResponse } from '../../host/host.ts'
import { SAFE_HEADERS } from '../answers.ts'
import { type Ask, agentOf, type GateDeps, gateClient } from '../ask.ts'
import { LAUNCHER_CONTAINER, readLauncher } from './launcher.ts'

interface LogWish {
  readonly follow: boolean
  readonly tailLines: number | undefined
  readonly limitBytes: number | undefined
  /** Parameters that a log without times cannot obey. */
  readonly unheeded: readonly string[]
}

export async function answerLog(deps: GateDeps, { request, info }: Ask): Promise<HttpResponse> {
  const wish = readWish(info.query)
  const container = info.query.get('container') ?? ''
  const { nodeName, ref } = await readLauncher(gateClient(deps), info)
  if (container !== '' && container !== LAUNCHER_CONTAINER)
    throw refuse.badRequest(`container ${container} is not valid for pod ${info.name}`)
  if (isTrue(info.query.get('previous')))
    throw refuse.badRequest(
      `previous terminated container "${LAUNCHER_CONTAINER}" in pod "${info.name}" not found`,
    )
  const opened = await agentOf(deps).dial.open(nodeName, {
    type: 'agent-log',
    ...ref,
    follow: wish.follow,
    ...(wish.tailLines === undefined ? {} : { tailLines: wish.tailLines }),
  })
  if (!opened.ok)
    throw opened.failure.reason === 'NodeUnknown'
      ? refuse.unavailable(opened.failure.message, 5)
      : refuse.badRequest(
          `container "${LAUNCHER_CONTAINER}" in pod "${info.name}" has no log: ${opened.failure.message}`,
        )
  request.signal.addEventListener('abort', () => opened.value.close(), { once: true })
  return {
    status: 200,
    headers: {
      ...SAFE_HEADERS,
      'content-type': 'text/plain; charset=utf-8',
      ...(wish.unheeded.length === 0 ? {} : { warning: warningOf(wish.unheeded) }),
    },
    body: cut(opened.value.readable, wish.limitBytes, () => opened.value.close()),
  }
}

function warningOf(unheeded: readonly string[]): string {
  return `299 - "the serial log of a guest carries no times: ${unheeded.join(', ')} has no effect"`
}

function readWish(query: URLSearchParams): LogWish {
  const limitBytes = countOf(query, 'limitBytes', 1)
  const sinceSeconds = countOf(query, 'sinceSeconds', 1)
  const sinceTime = query.get('sinceTime')
  if (sinceSeconds !== undefined && sinceTime !== null)
    throw refuse.badRequest('at most one of `sinceTime` or `sinceSeconds` may be specified')
  return {
    follow: isTrue(query.get('follow')),
    tailLines: countOf(query, 'tailLines', 0),
    limitBytes,
    unheeded: [
      ...(sinceSeconds === undefined ? [] : ['sinceSeconds']),
      ...(sinceTime === null ? [] : ['sinceTime']),
      ...(isTrue(query.get('timestamps')) ? ['timestamps'] : []),
    ],
  }
}

function countOf(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least))
    throw refuse.badRequest(`${name}: Invalid value: "${text}": must be a whole number of at least ${least}`)
  return value
}

function isTrue(value: string | null): boolean {
  return value !== null && !['false', '0', 'False', 'F', 'f'].includes(value)
}

async function* cut(
  bytes: AsyncIterable<Uint8Array>,
  limitBytes: number | undefined,
  close: () => void,
): AsyncGenerator<Uint8Array> {
  let left = limitBytes ?? Number.POSITIVE_INFINITY
  try {
    for await (const chunk of bytes) {
      yield chunk.length > left ? chunk.subarray(0, left) : chunk
      left -= chunk.length
      if (left <= 0) return
    }
  } finally {
    close()
  }
}
