// Which addresses the machines of this cluster have: chosen once, kept in the API for all nodes and for ever.
import { ApiError } from '../../base/errors.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { Client } from '../../client/client.ts'
import type { Host } from '../../host/host.ts'
import { ConfigMap } from '../../kinds/core/config-map.ts'
import { type AddressRange, chooseRange, parseRange } from './address-range.ts'
import { readLinks, readRoutes } from './host-network.ts'
import { bridgeName } from './links.ts'

/** ConfigMap in kube-system with the key `cidr`. A change counts from the next start, while no machine runs. */
export const NETWORK_CONFIG = 'croft-network'
const NAMESPACE = 'kube-system'
/** Where Kubernetes' services are. */
const SERVICES = '10.96.0.0/12'
/** A range smaller than this has no room for machines. */
const PREFIX_MAX = 29

export interface RangeOptions {
  readonly host: Host
  readonly client: Client
  readonly id: string
}

/** Failures: `NetworkConfigInvalid`, `AddressRangeMissing`, `ApiUnreachable`, and those of `ip`. */
export async function recordedRange(options: RangeOptions): Promise<Result<AddressRange>> {
  try {
    const present = await readRecord(options.client)
    if (present !== undefined) return parsed(present)
    const free = await freeRange(options)
    if (!free.ok) return free
    return await record(options, free.value)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return failed({
      reason: 'ApiUnreachable',
      message: `the machines' range is not known: ${error.message}`,
      retry: 'later',
    })
  }
}

async function readRecord(client: Client): Promise<string | undefined> {
  try {
    const map = await client.get(ConfigMap, NETWORK_CONFIG, { namespace: NAMESPACE })
    return map.data?.['cidr'] ?? ''
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}

function parsed(text: string): Result<AddressRange> {
  const range = parseRange(text)
  if (range && text.includes('/') && range.prefix <= PREFIX_MAX) return ok(range)
  return failed({
    reason: 'NetworkConfigInvalid',
    message: `ConfigMap ${NAMESPACE}/${NETWORK_CONFIG}: data.cidr "${text}" is not an IPv4 range of at most /${PREFIX_MAX}: write for instance 10.52.0.0/16`,
    retry: 'later',
  })
}

async function freeRange({ host, id }: RangeOptions): Promise<Result<AddressRange>> {
  const routes = await readRoutes(host)
  if (!routes.ok) return routes
  const links = await readLinks(host)
  if (!links.ok) return links
  const resolv = await host.files.readText('/etc/resolv.conf')
  const servers = [...(resolv.ok ? resolv.value : '').matchAll(/^nameserver\s+([\d.]+)/gm)]
  const bridge = bridgeName(links.value, id)
  const range = chooseRange([
    SERVICES,
    ...routes.value.filter(({ to, device }) => device !== bridge && to !== '0.0.0.0/0').map(({ to }) => to),
    ...links.value.filter(({ name }) => name !== bridge).flatMap(({ addresses }) => addresses),
    ...servers.map(([, address = '']) => address),
  ])
  if (range) return ok(range)
  return failed({
    reason: 'AddressRangeMissing',
    message: `every private range that is tried meets a route of this host: make ConfigMap ${NAMESPACE}/${NETWORK_CONFIG} with data.cidr`,
    retry: 'later',
  })
}

async function record({ client, host }: RangeOptions, range: AddressRange): Promise<Result<AddressRange>> {
  try {
    await client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: NETWORK_CONFIG,
        namespace: NAMESPACE,
        annotations: { 'croft.io/description': "Addresses of the machines' default network." },
      },
      data: { cidr: range.cidr },
    })
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error
    // Another node was first; its choice counts.
    return parsed((await readRecord(client)) ?? '')
  }
  host.log.info('chose the range of the default network', { cidr: range.cidr })
  return ok(range)
}
