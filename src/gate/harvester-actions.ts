// Actions of Harvester's interface on machines: POST /v1/harvester/kubevirt.io.virtualmachines/NS/NAME?action=WORD, a
// thin layer over the subresources of KubeVirt that keeps the run strategy which a machine had.
import { refuse } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { HttpResponse } from '../host/host.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { actOnInstance, type InstanceAction } from './actions/instance-actions.ts'
import { changeRun, decisionFor, isRunAction, type Place, readMachine } from './actions/machine-actions.ts'
import { strategyOf } from './actions/run-change.ts'
import { answerNothing } from './answers.ts'
import { type Ask, type GateDeps, gateClient } from './ask.ts'
import { readJsonBody } from './body.ts'
import { requireMay } from './rights.ts'

/** What a machine goes back to when it is started from Harvester's interface. */
const STRATEGY = 'harvesterhci.io/vmRunStrategy'
const INSTANCE_ACTIONS: Readonly<Record<string, InstanceAction>> = {
  pause: 'pause',
  unpause: 'unpause',
  softreboot: 'softreboot',
}
const GROUP = 'subresources.kubevirt.io'

export async function answerHarvesterAction(
  deps: GateDeps,
  { request, user, info }: Ask,
  place: Place,
): Promise<HttpResponse> {
  const action = info.query.get('action') ?? ''
  const onInstance = INSTANCE_ACTIONS[action]
  if (onInstance === undefined && !isRunAction(action) && action !== 'forceStop')
    throw refuse.badRequest(
      `the action "${action}" is not known: start, stop, forceStop, restart, pause, unpause and softreboot are`,
    )
  await requireMay(deps, user, {
    verb: 'update',
    group: GROUP,
    resource: onInstance === undefined ? 'virtualmachines' : 'virtualmachineinstances',
    subresource: action === 'forceStop' ? 'stop' : action,
    ...place,
  })
  const body = await readJsonBody(request)
  if (onInstance !== undefined)
    await actOnInstance(deps, { place, action: onInstance, body: {}, dryRun: false })
  else await run(deps, place, action, body)
  return answerNothing(204)
}

async function run(deps: GateDeps, place: Place, action: string, body: JsonObject): Promise<void> {
  const client = gateClient(deps)
  const { namespace, name } = place
  if (action === 'start') return startAgain(deps, place)
  if (action === 'forceStop') return changeRun(client, place, decisionFor('stop', { gracePeriod: 0 }))
  if (action === 'stop') {
    const vm = await readMachine(client, place)
    const strategy = strategyOf(vm)
    if (strategy !== 'Halted')
      await client.patch(
        VirtualMachine,
        name,
        { metadata: { annotations: { [STRATEGY]: strategy } } },
        { namespace },
      )
  }
  return changeRun(client, place, decisionFor(action as 'stop' | 'restart', body))
}

/** A halted machine gets the strategy back that a stop remembered. */
async function startAgain(deps: GateDeps, place: Place): Promise<void> {
  const vm = await readMachine(gateClient(deps), place)
  const before = vm.metadata.annotations?.[STRATEGY]
  const decide = decisionFor('start', {})
  await changeRun(gateClient(deps), place, (now, vmi) => {
    const change = decide(now, vmi)
    const remembered = before !== undefined && ['RerunOnFailure', 'Always'].includes(before)
    return remembered && change.spec?.['runStrategy'] !== undefined
      ? { ...change, spec: { runStrategy: before } }
      : change
  })
}
