// The forms that both clients put into requests and take out of answers. Pure.
import type { CallOptions } from '../base/call.ts'
import { ApiError, type StatusDetails } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { DeleteOptions, ListAnswer, PatchOptions } from './client.ts'

/** DeleteOptions as a request body. */
export function deleteBody(options: DeleteOptions): JsonObject {
  const preconditions = {
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.resourceVersion === undefined ? {} : { resourceVersion: options.resourceVersion }),
  }
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(options.propagation === undefined ? {} : { propagationPolicy: options.propagation }),
    ...(options.graceSeconds === undefined ? {} : { gracePeriodSeconds: options.graceSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
  }
}

export function writeCallOptions(options: PatchOptions | undefined, fieldManager: string): CallOptions {
  return {
    fieldManager: options?.fieldManager ?? fieldManager,
    ...(options?.dryRun ? { dryRun: true } : {}),
    ...(options?.force ? { force: true } : {}),
  }
}

/** Takes a list object apart. Items of a list may lack apiVersion and kind over the network; they are given them. */
export function listAnswerOf<T>(list: KubeObject): ListAnswer<T> {
  const metadata = list.metadata as
    | { readonly resourceVersion?: string; readonly continue?: string }
    | undefined
  const items = (list['items'] ?? []) as readonly T[]
  return {
    items,
    resourceVersion: metadata?.resourceVersion ?? '',
    ...(metadata?.continue ? { continueToken: metadata.continue } : {}),
  }
}

/** The refusal inside a Status object, or a plain one made of the HTTP code where the body is no Status. */
export function refusalOf(code: number, body: unknown): ApiError {
  if (isObject(body) && body['kind'] === 'Status') {
    const status = body as { readonly code?: number; readonly reason?: string; readonly message?: string }
    return new ApiError(
      status.code ?? code,
      status.reason ?? 'Unknown',
      status.message ?? `the server answered ${code}`,
      body['details'] as StatusDetails | undefined,
    )
  }
  return new ApiError(code, 'Unknown', `the server answered ${code} without a Status`)
}
