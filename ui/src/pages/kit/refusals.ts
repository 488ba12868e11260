// Where the server's messages belong: to the fields of a form by the paths that it names, or to none of them.
import type { Cause } from '../../../../src/base/errors.ts'
import type { ApiFailure } from '../../data/api.ts'

export type Refusals<V> = { readonly [K in keyof V]?: string | undefined }
/** Paths of the API by the field of the form that makes them. */
export type Paths<V> = { readonly [K in keyof V]?: RegExp }

/** Messages of a refusal by field, and the rest. A name that is taken belongs to the field `name`. */
export function refusalsOf<V extends object>(
  failure: Pick<ApiFailure, 'reason' | 'message' | 'causes'>,
  paths: Paths<V>,
): { readonly fields: Refusals<V>; readonly elsewhere: string | undefined } {
  const fields: { [K in keyof V]?: string } = {}
  const entries = Object.entries(paths) as [keyof V, RegExp][]
  if (failure.reason === 'AlreadyExists' && entries.some(([field]) => field === 'name'))
    return { fields: { name: failure.message } as Refusals<V>, elsewhere: undefined }
  const rest: Cause[] = []
  for (const cause of failure.causes) {
    const field = entries.find(([, path]) => path.test(cause.field))?.[0]
    if (field === undefined) rest.push(cause)
    else if (!fields[field]?.includes(cause.message))
      fields[field] = fields[field] ? `${fields[field]}; ${cause.message}` : cause.message
  }
  const elsewhere =
    failure.causes.length === 0
      ? failure.message
      : rest
          .map(({ field, message }) => (message.includes(field) ? message : `${field}: ${message}`))
          .join('; ')
  return { fields, elsewhere: elsewhere || undefined }
}
