// The link of one agent: its asking and answering ends together.
import type { Result } from '../../base/result.ts'
import type { CertificateFacts, Certificates } from '../../host/certificates.ts'
import type { Host, Listener } from '../../host/host.ts'
import type { AgentLink, LinkAnswer } from './agent-link.ts'
import { type LinkAddress, type LinkClient, linkClient } from './link-client.ts'
import { type LinkCaller, type SendImage, type ServerFacing, serveLink } from './link-server.ts'
import type { LinkTls } from './wire.ts'

export interface LinkOptions {
  readonly host: Pick<Host, 'net' | 'clock' | 'log'>
  readonly certificates: Certificates
  readonly nodeName: string
  readonly tls: () => LinkTls
  readonly callerOf: (facts: CertificateFacts) => LinkCaller | undefined
  readonly peer: (nodeName: string) => LinkAddress | undefined
  readonly serverFacing: () => ServerFacing | undefined
  readonly sendImage: () => SendImage | undefined
}

export interface Link extends AgentLink {
  readonly fetchImage: LinkClient['fetchImage']
  /** Begins to answer. Failures: `AddressInUse`, `AddressNotAvailable` and other words of the network. */
  listen(at: { readonly host: string; readonly port: number }): Promise<Result<Listener>>
}

export function createLink(options: LinkOptions): Link {
  const answers = new Map<string, LinkAnswer>()
  const client = linkClient(options)
  return {
    call: client.call,
    fetchImage: client.fetchImage,
    answer(method, answer) {
      answers.set(method, answer)
    },
    listen: (at) => serveLink({ ...options, at, tls: options.tls(), answers }),
  }
}
