// How a command says that it could not do what was asked: what, why, what to do next; and the exit code for scripts.
import { ApiError } from '../base/errors.ts'
import type { Failure } from '../base/result.ts'
import { type Language, say } from '../words/say.ts'
import { EXIT } from './command.ts'

export interface CliProblem {
  /** What could not be done: one sentence. */
  readonly what: string
  readonly why?: string
  /** A sentence or a command to try. */
  readonly next?: string
  readonly code: number
  /** CamelCase word, as in conditions. */
  readonly reason?: string
}

export class CliError extends Error {
  override readonly name = 'CliError'
  readonly problem: CliProblem
  constructor(problem: CliProblem) {
    super(problem.what)
    this.problem = problem
  }
}

export function usageError(what: string, next?: string): CliError {
  return new CliError({ what, code: EXIT.usage, reason: 'Usage', ...(next === undefined ? {} : { next }) })
}

export function failedError(what: string, failure: Failure, next?: string): CliError {
  return new CliError({
    what,
    why: failure.message,
    code: failure.reason === 'TimedOut' ? EXIT.timedOut : EXIT.failed,
    reason: failure.reason,
    ...(next === undefined ? {} : { next }),
  })
}

/** Exit code for a refusal of the API. */
export function exitCodeOf(error: ApiError): number {
  if (error.code === 404) return EXIT.notFound
  if (error.code === 409) return EXIT.conflict
  if (error.code === 408 || error.code === 504) return EXIT.timedOut
  if (error.code >= 400 && error.code < 500 && error.code !== 429) return EXIT.refused
  return EXIT.failed
}

export function problemOf(error: unknown, language: Language): CliProblem {
  if (error instanceof CliError) return error.problem
  if (error instanceof ApiError) return apiProblem(error, language)
  return {
    what: error instanceof Error ? error.message : String(error),
    next: 'This is a bug of croft. Run it again with --debug and report what it prints.',
    code: EXIT.bug,
    reason: 'Bug',
  }
}

function apiProblem(error: ApiError, language: Language): CliProblem {
  const code = exitCodeOf(error)
  if (error.code === 503 && error.reason === 'ServiceUnavailable') {
    const [, server, reason] = /^(https?:\/\/\S+?): (.*)$/s.exec(error.message) ?? []
    if (server !== undefined && reason !== undefined)
      return {
        what: say(language, 'cli.unreachable', { server, reason: innerReason(reason) }),
        next: say(language, 'cli.unreachable.next'),
        code,
        reason: error.reason,
      }
  }
  if (error.code === 401)
    return {
      what: error.message,
      next: 'Use the kubeconfig that croft wrote into its data folder: --kubeconfig DIR/kubeconfig',
      code,
      reason: error.reason,
    }
  const causes = error.details?.causes ?? []
  return {
    what: code === EXIT.refused ? say(language, 'cli.refused', { message: error.message }) : error.message,
    ...(causes.length > 1
      ? { why: causes.map(({ field, message }) => `${field}: ${message}`).join('\n     ') }
      : {}),
    code,
    reason: error.reason,
  }
}

/** The port says `requesting URL: why`; the address is shown already. */
function innerReason(text: string): string {
  return text.replace(/^requesting \S+: /, '')
}
