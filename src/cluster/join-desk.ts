// The server's side of joining: says which CA is the cluster's, answers a host's request for its first certificate
// against a token, and a node's requests for the next one against the one it has.
import type { UserInfo } from '../base/call.ts'
import { ApiError, refuse } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import type { Client } from '../client/client.ts'
import type { Host } from '../host/host.ts'
import { Node } from '../kinds/core/node.ts'
import { checkToken, parseToken } from './join-token.ts'
import { nodeLeaf, nodeOf, whyNoNodeName } from './node-names.ts'
import { type KeyPairPem, signRequest } from './pki.ts'

const IPV4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/
/** A request for an elliptic key has about 400 bytes. */
const REQUEST_MAX = 16 * 1024

export interface JoinDeskOptions {
  readonly host: Host
  /** With every right: what a caller may is decided here. */
  readonly client: Client
  /** Folder of the keys. */
  readonly folder: string
  readonly authority: () => KeyPairPem
  readonly version: string
  /** How long ago the node of that name last said that it lives; undefined when it never did. Milliseconds. */
  readonly silenceMs: (nodeName: string) => number | undefined
  /** A node that was silent for this long is taken for dead. Milliseconds. */
  readonly deadAfterMs: number
}

/** What gate/ serves under /v1-croft. */
export interface JoinDesk {
  /** For everybody: a host compares it with the hash in its token. */
  greet(): JsonObject
  join(body: JsonObject): Promise<JsonObject>
  renew(user: UserInfo, body: JsonObject): Promise<JsonObject>
}

export function joinDesk(options: JoinDeskOptions): JoinDesk {
  const { host, version } = options
  return {
    greet: () => ({ caPem: options.authority().certificatePem, now: host.clock.now(), version }),
    join: (body) => join(options, body),
    renew: (user, body) => renew(options, user, body),
  }
}

async function join(options: JoinDeskOptions, body: JsonObject): Promise<JsonObject> {
  const token = parseToken(textOf(body, 'token'))
  if (!token) throw refuse.badRequest('that is no join token: take one from "croft token create"')
  const verdict = await checkToken(options.client, token, options.host.clock.now())
  if (verdict === 'unknown')
    throw refuse.unauthorized('the token is not known here: it was revoked, or belongs to another cluster')
  if (verdict === 'expired') throw refuse.unauthorized('the token has expired')
  const nodeName = textOf(body, 'nodeName')
  const wrong = whyNoNodeName(nodeName)
  if (wrong !== undefined) throw refuse.badRequest(wrong)
  const nodeIp = addressOf(body)
  refuseLiving(options, nodeName)
  await refuseTakenAddress(options, nodeName, nodeIp)
  return certificate(options, nodeName, nodeIp, body)
}

async function renew(options: JoinDeskOptions, user: UserInfo, body: JsonObject): Promise<JsonObject> {
  const nodeName = nodeOf(user)
  if (nodeName === undefined) throw refuse.forbiddenPath('only a node renews its certificate')
  const nodeIp = addressOf(body)
  await refuseTakenAddress(options, nodeName, nodeIp)
  if (!(await exists(options.client, nodeName)))
    throw refuse.forbiddenPath(`node ${nodeName} was deleted: join again with a new token`)
  return certificate(options, nodeName, nodeIp, body)
}

function refuseLiving({ silenceMs, deadAfterMs }: JoinDeskOptions, nodeName: string): void {
  const silent = silenceMs(nodeName)
  if (silent === undefined || silent >= deadAfterMs) return
  throw refuse.conflict(
    { group: '', resource: 'nodes' },
    nodeName,
    `a node named ${nodeName} lives, heard of ${Math.round(silent / 1000)} s ago`,
  )
}

/** Two nodes with one address could stand in for each other. */
async function refuseTakenAddress(
  { client }: JoinDeskOptions,
  nodeName: string,
  nodeIp: string,
): Promise<void> {
  const { items } = await client.list(Node)
  const taken = items.find(
    ({ metadata, status }) =>
      metadata.name !== nodeName &&
      status?.addresses?.some(({ type, address }) => type === 'InternalIP' && address === nodeIp),
  )
  if (taken)
    throw refuse.conflict(
      { group: '', resource: 'nodes' },
      nodeName,
      `node ${taken.metadata.name} has the address ${nodeIp} already`,
    )
}

async function exists(client: Client, nodeName: string): Promise<boolean> {
  try {
    await client.get(Node, nodeName)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return false
    throw error
  }
}

async function certificate(
  { host, folder, authority }: JoinDeskOptions,
  nodeName: string,
  nodeIp: string,
  body: JsonObject,
): Promise<JsonObject> {
  const requestPem = textOf(body, 'request')
  if (requestPem.length > REQUEST_MAX || !requestPem.startsWith('-----BEGIN CERTIFICATE REQUEST-----'))
    throw refuse.badRequest('request must be a certificate request in PEM form')
  const signed = await signRequest(host, folder, authority(), {
    requestPem,
    leaf: nodeLeaf(nodeName, [nodeIp]),
  })
  if (signed.ok) {
    host.log.info('gave a node its certificate', { node: nodeName, address: nodeIp })
    return { certificatePem: signed.value, caPem: authority().certificatePem }
  }
  if (signed.failure.reason === 'CommandFailed')
    throw refuse.badRequest('the certificate request is damaged, or not signed by its own key')
  throw refuse.internal(signed.failure.message)
}

function textOf(body: JsonObject, field: string): string {
  const value = isObject(body) ? body[field] : undefined
  if (typeof value !== 'string' || value === '') throw refuse.badRequest(`${field} must be a text`)
  return value
}

function addressOf(body: JsonObject): string {
  const address = textOf(body, 'nodeIp')
  if (!IPV4.test(address) || address === '0.0.0.0')
    throw refuse.badRequest(`nodeIp "${address}" is no IPv4 address`)
  return address
}
