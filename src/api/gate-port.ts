// What the API server hands on to gate/: streams, subresources that act on machines, and every path that is not
// plain Kubernetes. The caller is authenticated, and authorized where the path names a resource.
import type { UserInfo } from '../base/call.ts'
import type { HttpRequest, HttpResponse, UpgradeAnswer } from '../host/host.ts'

/** What a request asks for, read from method and path alone. */
export interface RequestInfo {
  readonly isResource: boolean
  /** Path without the query, percent-decoded segment by segment. */
  readonly path: string
  readonly query: URLSearchParams
  /** Lower-case verb: get, list, watch, create, update, patch, delete, deletecollection; for other paths the method. */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Segments after the subresource, for instance the port and protocol of `portforward/22/tcp`. */
  readonly rest: readonly string[]
}

export interface GateHandler {
  handle(request: HttpRequest, user: UserInfo, info: RequestInfo): Promise<HttpResponse>
  /** `protocols` are those the client offered, in its order. */
  upgrade(
    request: HttpRequest,
    user: UserInfo,
    info: RequestInfo,
    protocols: readonly string[],
  ): Promise<UpgradeAnswer>
}
