// start, stop and restart of a VirtualMachine: reads what is, asks run-change.ts what is to change, and writes that
// through the API, again when somebody wrote in between.
import { ApiError, refuse } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Client } from '../../client/client.ts'
import type { HttpResponse } from '../../host/host.ts'
import { Pod } from '../../kinds/core/pod.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { answerNothing } from '../answers.ts'
import { type Ask, absentAsUndefined, type GateDeps, gateClient } from '../ask.ts'
import { flag, isDryRun, readJsonBody, wholeNumber } from '../body.ts'
import { MACHINE_NAME, type RunChange, restartChange, startChange, stopChange } from './run-change.ts'

export type RunAction = 'start' | 'stop' | 'restart'
/** Writers that meet this often in a row are no accident. */
const ATTEMPTS = 5

export interface Place {
  readonly namespace: string
  readonly name: string
}

type Decide = (vm: VirtualMachine, vmi: VirtualMachineInstance | undefined) => RunChange

export function isRunAction(word: string): word is RunAction {
  return word === 'start' || word === 'stop' || word === 'restart'
}

export async function answerRunAction(deps: GateDeps, { request, info }: Ask): Promise<HttpResponse> {
  const body = await readJsonBody(request)
  const dryRun = isDryRun(body, info.query)
  await changeRun(gateClient(deps), info, decisionFor(info.subresource as RunAction, body), dryRun)
  return answerNothing(202)
}

export function decisionFor(action: RunAction, body: JsonObject): Decide {
  switch (action) {
    case 'start': {
      const paused = flag(body, 'paused')
      return (vm, vmi) => startChange(vm, vmi, { paused })
    }
    case 'stop': {
      const gracePeriod = wholeNumber(body, 'gracePeriod')
      return (vm, vmi) => stopChange(vm, vmi, { gracePeriod })
    }
    case 'restart': {
      const gracePeriodSeconds = wholeNumber(body, 'gracePeriodSeconds')
      return (vm, vmi) => restartChange(vm, vmi, { gracePeriodSeconds })
    }
  }
}

export async function readMachine(client: Client, { namespace, name }: Place): Promise<VirtualMachine> {
  const vm = await absentAsUndefined(client.get(VirtualMachine, name, { namespace }))
  if (!vm) throw refuse.notFound(MACHINE_NAME, name)
  return vm
}

export async function changeRun(client: Client, place: Place, decide: Decide, dryRun = false): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const vm = await readMachine(client, place)
    const vmi = await absentAsUndefined(
      client.get(VirtualMachineInstance, place.name, { namespace: place.namespace }),
    )
    const change = decide(vm, vmi)
    try {
      await write(client, { vm, vmi, change, dryRun })
      return
    } catch (error) {
      const raced = error instanceof ApiError && error.code === 409
      if (!raced || attempt === ATTEMPTS) throw error
    }
  }
}

interface Write {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance | undefined
  readonly change: RunChange
  readonly dryRun: boolean
}

/** Grace first: the instance must know it when its end begins. Requests before spec: they say how to start. */
async function write(client: Client, { vm, vmi, change, dryRun }: Write): Promise<void> {
  const { namespace = '', name = '', resourceVersion } = vm.metadata
  const options = { namespace, dryRun }
  if (change.graceSeconds !== undefined && vmi)
    await client.patch(
      VirtualMachineInstance,
      name,
      { spec: { terminationGracePeriodSeconds: change.graceSeconds } },
      options,
    )
  const seen = resourceVersion === undefined ? {} : { resourceVersion }
  let next: VirtualMachine | undefined
  if (change.requests)
    next = await client.patch(
      VirtualMachine,
      name,
      { metadata: seen, status: { stateChangeRequests: change.requests as never } },
      { ...options, subresource: 'status' },
    )
  if (change.spec)
    await client.patch(
      VirtualMachine,
      name,
      next && !dryRun ? { spec: change.spec } : { metadata: seen, spec: change.spec },
      options,
    )
  if (change.endAtOnce && vmi && !dryRun) await endPods(client, namespace, vmi.metadata.uid ?? '')
}

async function endPods(client: Client, namespace: string, vmiUid: string): Promise<void> {
  const pods = await client.list(Pod, { namespace, labelSelector: `kubevirt.io/created-by=${vmiUid}` })
  // The agent removes the Pod itself once QEMU is gone; one second is the shortest that leaves it that.
  for (const { metadata } of pods.items)
    await absentAsUndefined(
      client.delete(Pod, metadata.name ?? '', {
        namespace,
        graceSeconds: 1,
        ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      }),
    )
}
