// The client that talks to an API server in the same process: no bytes are made, the answers are the server's own
// frozen objects. Passes the same authorization, admission and validation as a request over the network.
import type { ApiCall, ApiPort, CallOptions, UserInfo, Verb } from '../base/call.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { AnyKind, Kind, KindOf } from '../kinds/kind.ts'
import type {
  Client,
  DeleteOptions,
  ListAnswer,
  ListOptions,
  TypedWatchEvent,
  WatchOptions,
} from './client.ts'
import { deleteBody, listAnswerOf, writeCallOptions } from './wire.ts'

export interface InProcessOptions {
  readonly api: ApiPort
  readonly user: UserInfo
  /** Owner of the fields that this client writes, for instance `croft-control`. */
  readonly fieldManager: string
}

export function createInProcessClient({ api, user, fieldManager }: InProcessOptions): Client {
  const callOf = (
    verb: Verb,
    kind: AnyKind,
    rest: Partial<ApiCall> & { readonly options: CallOptions },
  ): ApiCall => ({
    verb,
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    user,
    ...rest,
  })
  const ask = async (call: ApiCall): Promise<KubeObject> => (await api.call(call)).object as KubeObject

  return {
    async get(kind, name, where) {
      return (await ask(callOf('get', kind, { name, ...placeOf(where), options: {} }))) as KindOf<typeof kind>
    },
    async list<K extends Kind>(kind: K, options: ListOptions = {}): Promise<ListAnswer<KindOf<K>>> {
      const { namespace: _namespace, signal: _signal, ...query } = options
      return listAnswerOf<KindOf<K>>(await ask(callOf('list', kind, { ...placeOf(options), options: query })))
    },
    watch<K extends Kind>(kind: K, options: WatchOptions = {}): AsyncIterable<TypedWatchEvent<KindOf<K>>> {
      const { namespace: _namespace, signal: _signal, ...query } = options
      const call = callOf('watch', kind, { ...placeOf(options), options: query })
      return api.watch(call) as AsyncIterable<TypedWatchEvent<KindOf<K>>>
    },
    async create(kind, object, options) {
      const namespace = options?.namespace ?? object.metadata.namespace
      return (await ask(
        callOf('create', kind, {
          ...subresourceOf(options),
          ...placeOf({ ...options, namespace }),
          body: object as unknown as JsonObject,
          options: writeCallOptions(options, fieldManager),
        }),
      )) as KindOf<typeof kind>
    },
    async post(kind, name, subresource, object, where) {
      return ask(
        callOf('create', kind, {
          name,
          subresource,
          ...placeOf(where),
          body: object as unknown as JsonObject,
          options: writeCallOptions(undefined, fieldManager),
        }),
      )
    },
    async update(kind, object, options) {
      const namespace = options?.namespace ?? object.metadata.namespace
      return (await ask(
        callOf('update', kind, {
          name: object.metadata.name ?? '',
          ...subresourceOf(options),
          ...placeOf({ ...options, namespace }),
          body: object as unknown as JsonObject,
          options: writeCallOptions(options, fieldManager),
        }),
      )) as KindOf<typeof kind>
    },
    async patch(kind, name, patch, options) {
      return (await ask(
        callOf('patch', kind, {
          name,
          ...subresourceOf(options),
          ...placeOf(options),
          body: patch,
          patchType: options?.type ?? 'merge',
          options: writeCallOptions(options, fieldManager),
        }),
      )) as KindOf<typeof kind>
    },
    async delete(kind, name, options: DeleteOptions = {}) {
      await ask(callOf('delete', kind, { name, ...placeOf(options), body: deleteBody(options), options: {} }))
    },
  }
}

function placeOf(
  where: { readonly namespace?: string | undefined; readonly signal?: AbortSignal | undefined } | undefined,
): { readonly namespace?: string; readonly signal?: AbortSignal } {
  return {
    ...(where?.namespace === undefined ? {} : { namespace: where.namespace }),
    ...(where?.signal === undefined ? {} : { signal: where.signal }),
  }
}

function subresourceOf(options: { readonly subresource?: string } | undefined): {
  readonly subresource?: string
} {
  return options?.subresource === undefined ? {} : { subresource: options.subresource }
}
