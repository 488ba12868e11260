// The registry of refusals: every way Croft says no to a user, as a Kubernetes Status. Message forms are those
// that clients match on (see the Kubernetes API conventions); nothing else in the house builds a Status failure.
import type { JsonObject } from './json.ts'

export type CauseReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueTypeInvalid'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldManagerConflict'
  | 'NamespaceTerminating'
  | 'ResourceVersionTooLarge'
  | 'DisruptionBudget'

/** One thing wrong with one field. `message` is complete, for instance `Required value: name is required`. */
export interface Cause {
  readonly reason: CauseReason
  readonly message: string
  /** Path of the field, for instance `spec.template.spec.domain.cpu.cores` or `data[key]`. */
  readonly field: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  /** The plural resource, or for Invalid the kind, as Kubernetes does. */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly Cause[]
  readonly retryAfterSeconds?: number
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = details
  }
}

export interface ResourceName {
  readonly group: string
  readonly resource: string
}

/** `pods` for core resources, `deployments.apps` for the others. */
export function qualifiedResource({ group, resource }: ResourceName): string {
  return group === '' ? resource : `${resource}.${group}`
}

function about({ group, resource }: ResourceName, name: string): StatusDetails {
  return { name, ...(group === '' ? {} : { group }), kind: resource }
}

export const refuse = {
  badRequest: (message: string) => new ApiError(400, 'BadRequest', message),
  unauthorized: (message = 'Unauthorized') => new ApiError(401, 'Unauthorized', message),
  forbidden: (resource: ResourceName, name: string, why: string, causes?: readonly Cause[]) =>
    new ApiError(
      403,
      'Forbidden',
      `${qualifiedResource(resource)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`,
      { ...about(resource, name), ...(causes ? { causes } : {}) },
    ),
  forbiddenPath: (why: string) => new ApiError(403, 'Forbidden', `forbidden: ${why}`, {}),
  notFound: (resource: ResourceName, name: string) =>
    new ApiError(
      404,
      'NotFound',
      `${qualifiedResource(resource)} "${name}" not found`,
      about(resource, name),
    ),
  noSuchResource: () => new ApiError(404, 'NotFound', 'the server could not find the requested resource', {}),
  methodNotAllowed: (message = 'the server does not allow this method on the requested resource') =>
    new ApiError(405, 'MethodNotAllowed', message, {}),
  notAcceptable: (available: readonly string[]) =>
    new ApiError(
      406,
      'NotAcceptable',
      `only the following media types are accepted: ${available.join(', ')}`,
    ),
  alreadyExists: (resource: ResourceName, name: string) =>
    new ApiError(
      409,
      'AlreadyExists',
      `${qualifiedResource(resource)} "${name}" already exists`,
      about(resource, name),
    ),
  conflict: (resource: ResourceName, name: string, why?: string) =>
    new ApiError(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${qualifiedResource(resource)} "${name}": ${
        why ?? 'the object has been modified; please apply your changes to the latest version and try again'
      }`,
      about(resource, name),
    ),
  applyConflict: (message: string, causes: readonly Cause[]) =>
    new ApiError(409, 'Conflict', message, { causes }),
  gone: (message: string) => new ApiError(410, 'Expired', message),
  tooLarge: (message: string) => new ApiError(413, 'RequestEntityTooLarge', message),
  unsupportedMediaType: (message: string) => new ApiError(415, 'UnsupportedMediaType', message),
  invalid: (group: string, kind: string, name: string, causes: readonly Cause[]) =>
    new ApiError(422, 'Invalid', invalidMessage(group, kind, name, causes), {
      name,
      ...(group === '' ? {} : { group }),
      kind,
      causes,
    }),
  tooManyRequests: (message: string, retryAfterSeconds: number) =>
    new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds }),
  internal: (message: string) => new ApiError(500, 'InternalError', `Internal error occurred: ${message}`),
  notImplemented: (message: string) => new ApiError(501, 'NotImplemented', message, {}),
  unavailable: (message: string, retryAfterSeconds?: number) =>
    new ApiError(
      503,
      'ServiceUnavailable',
      message,
      retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
    ),
  insufficientStorage: (message: string) => new ApiError(507, 'InsufficientStorage', message, {}),
  timeout: (message: string, details?: StatusDetails) => new ApiError(504, 'Timeout', message, details),
}

function invalidMessage(group: string, kind: string, name: string, causes: readonly Cause[]): string {
  const kindText = group === '' ? kind : `${kind}.${group}`
  const texts = causes.map((cause) =>
    cause.field === '' ? cause.message : `${cause.field}: ${cause.message}`,
  )
  const [only] = texts
  return `${kindText} "${name}" is invalid: ${texts.length === 1 && only !== undefined ? only : `[${texts.join(', ')}]`}`
}

/** The Status object for a refusal. Anything that is not an ApiError is a bug and is told as InternalError. */
export function statusOf(error: unknown): JsonObject & { readonly code: number } {
  const known =
    error instanceof ApiError
      ? error
      : refuse.internal(error instanceof Error ? error.message : String(error))
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: known.message,
    reason: known.reason,
    ...(known.details ? { details: known.details as unknown as JsonObject } : {}),
    code: known.code,
  }
}

/** Builders for causes, worded as Kubernetes' field errors are. */
export const cause = {
  required: (field: string, detail = ''): Cause => ({
    reason: 'FieldValueRequired',
    field,
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  }),
  invalid: (field: string, value: unknown, detail: string): Cause => ({
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${quoteValue(value)}: ${detail}`,
  }),
  typeInvalid: (field: string, value: unknown, detail: string): Cause => ({
    reason: 'FieldValueTypeInvalid',
    field,
    message: `Invalid value: ${quoteValue(value)}: ${detail}`,
  }),
  notSupported: (field: string, value: unknown, supported: readonly string[]): Cause => ({
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${quoteValue(value)}: supported values: ${supported.map((s) => `"${s}"`).join(', ')}`,
  }),
  duplicate: (field: string, value: unknown): Cause => ({
    reason: 'FieldValueDuplicate',
    field,
    message: `Duplicate value: ${quoteValue(value)}`,
  }),
  forbidden: (field: string, detail: string): Cause => ({
    reason: 'FieldValueForbidden',
    field,
    message: `Forbidden: ${detail}`,
  }),
  notFound: (field: string, value: unknown): Cause => ({
    reason: 'FieldValueNotFound',
    field,
    message: `Not found: ${quoteValue(value)}`,
  }),
  tooLong: (field: string, maximum: number): Cause => ({
    reason: 'FieldValueTooLong',
    field,
    message: `Too long: may not be more than ${maximum} bytes`,
  }),
  tooMany: (field: string, actual: number, maximum: number): Cause => ({
    reason: 'FieldValueTooMany',
    field,
    message: `Too many: ${actual}: must have at most ${maximum} items`,
  }),
}

function quoteValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || value === undefined) return 'null'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
