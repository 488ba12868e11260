// POST /v1-croft/metrics/samples: what the agent of a host that joined measured. Only a node may send it, only of itself,
// and only of machines that run on it: a stolen certificate tells nothing about others' guests.
import { refuse } from '../../base/errors.ts'
import type { HttpResponse } from '../../host/host.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { answerNothing } from '../answers.ts'
import { type Ask, type GateDeps, gateClient } from '../ask.ts'
import { readJsonBody } from '../body.ts'
import { readSample } from './read-sample.ts'

/** Two thousand machines with two disks each. Bytes. */
const BODY_MAX_BYTES = 4 * 1024 * 1024
const NODE_PREFIX = 'system:node:'
/** Times of a clock that is further off are replaced by ours. Milliseconds. */
const SKEW_MAX_MS = 5_000

export async function answerSamples(deps: GateDeps, { request, user }: Ask): Promise<HttpResponse> {
  if (request.method !== 'POST') throw refuse.methodNotAllowed()
  const isNode = user.groups.includes('system:nodes') && user.username.startsWith(NODE_PREFIX)
  const node = user.username.slice(NODE_PREFIX.length)
  if (!isNode)
    throw refuse.forbidden(
      { group: '', resource: 'nodes' },
      '',
      `User "${user.username}" is no node: only the agent of a node tells its load`,
    )
  if (!deps.samples) throw refuse.unavailable('this server measures nothing', 60)
  const body = await readJsonBody(request, BODY_MAX_BYTES)
  const now = deps.host.clock.now()
  const told = Number(body['at'])
  const at = Math.abs(told - now) <= SKEW_MAX_MS ? told : now
  const sample = readSample(node, at, body)
  const { items } = await gateClient(deps).list(VirtualMachineInstance, {
    labelSelector: `kubevirt.io/nodeName=${node}`,
  })
  const own = new Map(items.map((vmi) => [vmi.metadata.uid, vmi]))
  const machines = sample.machines.filter(({ uid, namespace, name }) => {
    const vmi = own.get(uid)
    return (
      vmi?.metadata.namespace === namespace && vmi.metadata.name === name && vmi.status?.nodeName === node
    )
  })
  deps.samples.push({ ...sample, machines })
  return answerNothing(204)
}
