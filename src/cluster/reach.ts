// The network as an agent uses it toward its server: after silence, all connections are given up at once. A watch that
// a cut cable left hanging would otherwise wait minutes before it asks again.
import type { Result } from '../base/result.ts'
import type { HttpClientResponse, Net } from '../host/host.ts'

export interface Reach {
  readonly net: Net
  /** Ends every request and watch under way; new ones take new connections. */
  giveUp(): void
}

export function reachOver(net: Net): Reach {
  let present = new AbortController()
  return {
    net: {
      ...net,
      request(request) {
        const ending = new AbortController()
        const end = (): void => ending.abort()
        const signals = [present.signal, ...(request.signal ? [request.signal] : [])]
        for (const signal of signals) {
          if (signal.aborted) end()
          signal.addEventListener('abort', end, { once: true })
        }
        const leave = (): void => {
          for (const signal of signals) signal.removeEventListener('abort', end)
        }
        return net.request({ ...request, signal: ending.signal }).then((answer) => watched(answer, leave))
      },
    },
    giveUp() {
      const old = present
      present = new AbortController()
      old.abort()
    },
  }
}

function watched(answer: Result<HttpClientResponse>, leave: () => void): Result<HttpClientResponse> {
  if (!answer.ok) {
    leave()
    return answer
  }
  const { body } = answer.value
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* body
    } finally {
      leave()
    }
  }
  return { ok: true, value: { ...answer.value, body: read() } }
}
