// Talks to the API of the server that gave us this page, with the session's cookie and the user's own rights.
import type { Cause, StatusDetails } from '../../../src/base/errors.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/base/json.ts'

/** What the server said no with, or that it did not answer (`code` 0). */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = details
  }

  /** Messages by field, for forms. */
  get causes(): readonly Cause[] {
    return this.details?.causes ?? []
  }
}

/** Longer than any answer but a watch may take. */
const ANSWER_TIMEOUT_MS = 60_000

type SessionListener = () => void
const sessionListeners = new Set<SessionListener>()

/** Called when the server no longer knows who is logged in. Gives the way to stop listening. */
export function onSessionOver(listener: SessionListener): () => void {
  sessionListeners.add(listener)
  return () => sessionListeners.delete(listener)
}

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly contentType?: string
  readonly signal?: AbortSignal
  /** A login that is refused is no session that is over. */
  readonly isLogin?: boolean
}

/** The answer, checked; throws ApiFailure. */
export async function send(path: string, request: Request = {}): Promise<Response> {
  const { method = 'GET', body, contentType = 'application/json', signal, isLogin } = request
  const response = await reach(path, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': contentType }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  if (response.ok) return response
  const failure = await failureOf(response)
  if (isSessionOver(failure) && !isLogin) for (const listener of sessionListeners) listener()
  throw failure
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiFailure(0, 'Unreachable', error instanceof Error ? error.message : String(error))
  }
}

/** A cookie that the server forgot gives 401; one that the browser dropped makes the user nobody, who may do nothing. */
function isSessionOver({ code, message }: ApiFailure): boolean {
  return code === 401 || (code === 403 && message.includes('"system:anonymous"'))
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const text = await response.text().catch(() => '')
  return failureFrom(response.status, text, response.headers.get('retry-after'))
}

/** Reads the Status that Kubernetes servers answer with; anything else is shown as it is. */
export function failureFrom(code: number, text: string, retryAfter: string | null = null): ApiFailure {
  const status = readObject(text)
  const details = isObject(status?.['details']) ? (status['details'] as StatusDetails) : undefined
  const seconds = Number(retryAfter ?? Number.NaN)
  return new ApiFailure(
    code,
    typeof status?.['reason'] === 'string' ? status['reason'] : '',
    typeof status?.['message'] === 'string' ? status['message'] : text || `HTTP ${code}`,
    Number.isFinite(seconds) ? { retryAfterSeconds: seconds, ...details } : details,
  )
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The answer as an object of the form the caller knows the API to give. */
export async function call<T>(path: string, request: Request = {}): Promise<T> {
  const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
  const response = await send(path, { ...request, signal })
  const text = await response.text()
  return (text === '' ? undefined : parseJson(text)) as T
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
