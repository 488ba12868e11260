// What the API server is given from outside. It holds no effects of its own: state comes from the store port, time
// and chance from the host port, keys from the identity.

import type { UserInfo } from '../base/call.ts'
import type { Certificates } from '../host/certificates.ts'
import type { Host, HttpRequest } from '../host/host.ts'
import type { AnyKind } from '../kinds/kind.ts'
import type { Store } from '../store/store.ts'
import type { GateHandler } from './gate-port.ts'

/** An ECDSA P-256 key (ES256) that signs or verifies service account tokens. */
export interface TokenKey {
  /** SPKI, PEM. */
  readonly publicPem: string
  /** PKCS#8, PEM; only the first key of a set needs it. */
  readonly privatePem?: string
}

/** A bearer token that is known beforehand, for instance the administrator's. */
export interface StaticToken {
  readonly token: string
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
}

export interface Identity {
  /** CA certificates whose client certificates are accepted, PEM. */
  readonly clientCaPem: string
  /** CA of the serving certificate, given to Pods as kube-root-ca.crt, PEM. */
  readonly servingCaPem: string
  /** The first one signs, all verify. */
  readonly tokenKeys: readonly TokenKey[]
  /** `iss` of service account tokens and their default audience, for instance `https://kubernetes.default.svc`. */
  readonly issuer: string
  readonly staticTokens: readonly StaticToken[]
}

export interface Advertised {
  /** Addresses and port under which clients reach this server, for the `kubernetes` EndpointSlice. */
  readonly addresses: readonly string[]
  readonly port: number
  /** First address of the service network. */
  readonly serviceIp: string
}

export interface ApiDeps {
  readonly store: Store
  readonly host: Pick<Host, 'clock' | 'random' | 'log' | 'meter'>
  readonly certificates: Certificates
  /** The kinds that are built in. Custom resource definitions add more at run time. */
  readonly kinds: readonly AnyKind[]
  readonly identity: Identity
  readonly advertised: Advertised
  /** Version of croft, the suffix of /version's gitVersion. */
  readonly croftVersion: string
  readonly gate?: GateHandler
  /** Who a browser session's cookie belongs to; undefined for none. Throws 401 for a session that has ended. */
  readonly sessionUser?: (request: HttpRequest) => Promise<UserInfo | undefined>
  /** Who an opaque bearer token (a login session, an API key) belongs to. */
  readonly sessionToken?: (token: string) => Promise<UserInfo | undefined>
  /** Prometheus text for /metrics. */
  readonly metrics?: () => string
  /** Names of what is not ready yet; empty when all is well. */
  readonly unready?: () => readonly string[]
}
