// The forms of gate/'s answers: JSON, text, nothing, a Status.
import { statusOf } from '../base/errors.ts'
import { printJson } from '../base/json.ts'
import type { HttpResponse } from '../host/host.ts'

type Headers = HttpResponse['headers']

/** What every answer of a server that browsers talk to says. */
export const SAFE_HEADERS: Headers = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

export function answerJson(status: number, value: unknown, headers: Headers = {}): HttpResponse {
  return {
    status,
    headers: { ...SAFE_HEADERS, 'content-type': 'application/json', ...headers },
    body: printJson(value),
  }
}

export function answerText(status: number, text: string, headers: Headers = {}): HttpResponse {
  return {
    status,
    headers: { ...SAFE_HEADERS, 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: text,
  }
}

/** 202 and 204 carry no body. */
export function answerNothing(status: number, headers: Headers = {}): HttpResponse {
  return { status, headers: { ...SAFE_HEADERS, ...headers }, body: '' }
}

export function answerStatus(error: unknown): HttpResponse {
  const status = statusOf(error)
  const { retryAfterSeconds } = (status['details'] ?? {}) as { readonly retryAfterSeconds?: number }
  return answerJson(
    status.code,
    status,
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  )
}
