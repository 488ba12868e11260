// metrics.k8s.io/v1beta1: what `kubectl top` and autoscalers ask for. The API server has authorized the caller.
import { refuse } from '../../base/errors.ts'
import type { MachineFigures, MetricsView } from '../../base/metrics-port.ts'
import type { KubeObject } from '../../base/object.ts'
import { formatTime } from '../../base/time.ts'
import type { ListOptions } from '../../client/client.ts'
import type { HttpResponse } from '../../host/host.ts'
import { Node } from '../../kinds/core/node.ts'
import { Pod } from '../../kinds/core/pod.ts'
import { answerJson } from '../answers.ts'
import { type Ask, type GateDeps, type GateInfo, gateClient } from '../ask.ts'
import { metricsOf } from './metrics-route.ts'

export const METRICS_GROUP = 'metrics.k8s.io'
const API_VERSION = 'metrics.k8s.io/v1beta1'

export async function answerResourceMetrics(deps: GateDeps, { request, info }: Ask): Promise<HttpResponse> {
  const { resource, namespace, name, subresource } = info
  const isNodes = resource === 'nodes' && namespace === ''
  if ((!isNodes && resource !== 'pods') || subresource !== '' || info.version !== 'v1beta1')
    throw refuse.noSuchResource()
  if (request.method !== 'GET' || info.verb === 'watch') throw refuse.methodNotAllowed()
  const view = metricsOf(deps)
  const items = isNodes ? await nodeItems(deps, view, info) : await podItems(deps, view, info)
  if (name === '')
    return answerJson(200, {
      kind: isNodes ? 'NodeMetricsList' : 'PodMetricsList',
      apiVersion: API_VERSION,
      metadata: {},
      items,
    })
  const [found] = items
  if (!found) throw refuse.notFound({ group: METRICS_GROUP, resource: isNodes ? 'nodes' : 'pods' }, name)
  return answerJson(200, found)
}

/** What is asked for, by the selectors of the request. */
function optionsOf({ namespace, name, query }: GateInfo): ListOptions {
  const fields = [query.get('fieldSelector'), name === '' ? null : `metadata.name=${name}`].filter(Boolean)
  const labels = query.get('labelSelector')
  return {
    ...(namespace === '' ? {} : { namespace }),
    ...(labels ? { labelSelector: labels } : {}),
    ...(fields.length === 0 ? {} : { fieldSelector: fields.join(',') }),
  }
}

interface Use {
  readonly cores: number
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly at: number
}

async function nodeItems(deps: GateDeps, view: MetricsView, info: GateInfo) {
  const { items } = await gateClient(deps).list(Node, optionsOf(info))
  return items.flatMap((node) => {
    const latest = view.latest({ type: 'node', id: node.metadata.name ?? '' })
    const { cpu, memoryUsed } = latest?.values ?? {}
    if (!latest || cpu === undefined || memoryUsed === undefined) return []
    const use = { cores: cpu, bytes: memoryUsed, at: latest.at }
    return [{ ...headOf('NodeMetrics', node, view, use), usage: usageOf(use) }]
  })
}

async function podItems(deps: GateDeps, view: MetricsView, info: GateInfo) {
  const { items } = await gateClient(deps).list(Pod, optionsOf(info))
  const machines = new Map<string, MachineFigures>()
  for (const sample of view.samples())
    for (const machine of sample.machines) machines.set(`${machine.namespace}/${machine.podName}`, machine)
  return items.flatMap((pod) => {
    const machine = machines.get(`${pod.metadata.namespace}/${pod.metadata.name}`)
    const latest = machine && view.latest({ type: 'machine', id: `${machine.namespace}/${machine.name}` })
    const { cpu } = latest?.values ?? {}
    if (!machine || !latest || cpu === undefined) return []
    const use = { cores: cpu, bytes: machine.residentBytes, at: latest.at }
    return [
      { ...headOf('PodMetrics', pod, view, use), containers: [{ name: 'compute', usage: usageOf(use) }] },
    ]
  })
}

function headOf(kind: string, { metadata }: KubeObject, view: MetricsView, { at }: Use) {
  const { name, namespace, labels } = metadata
  return {
    kind,
    apiVersion: API_VERSION,
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      creationTimestamp: formatTime(at),
      ...(labels ? { labels } : {}),
    },
    timestamp: formatTime(at),
    window: `${view.stepMs / 1000}s`,
  }
}

function usageOf({ cores, bytes }: Use) {
  return { cpu: `${Math.round(cores * 1e9)}n`, memory: `${Math.round(bytes / 1024)}Ki` }
}
