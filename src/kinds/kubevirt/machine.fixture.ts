// Short forms for tests about machines: a machine around a run, and what is said about it.
import { assert } from '../../base/assert.ts'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { judge, lookOver } from '../judge.ts'
import type { RuleLook } from '../kind.ts'
import { VirtualMachine } from './virtual-machine.ts'

export const empty = lookOver([])

/** A machine with a name, 128Mi and whatever else the test is about. */
export function machine(run: JsonObject, more: JsonObject = {}): JsonObject {
  const { metadata, spec, ...rest } = more as { metadata?: JsonObject; spec?: JsonObject }
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default', ...metadata },
    spec: { runStrategy: 'Halted', template: { spec: run }, ...spec },
    ...rest,
  } as JsonObject
}
export const requests = { requests: { memory: '128Mi' } }

export function fields(body: JsonObject, look: RuleLook = empty, previous?: KubeObject): readonly string[] {
  // Kubernetes adds a cause without a field when a wrong type keeps rules from being asked.
  return judge(VirtualMachine, body, look, previous)
    .causes.map(({ field }) => field)
    .filter((field) => field !== '<nil>')
}
export function messages(body: JsonObject, look: RuleLook = empty, previous?: KubeObject): string {
  return judge(VirtualMachine, body, look, previous)
    .causes.map(({ message }) => message)
    .join('\n')
}
export function accepted(body: JsonObject, look: RuleLook = empty, previous?: KubeObject): KubeObject {
  const { causes, object, unknown } = judge(VirtualMachine, body, look, previous)
  const wrong = JSON.stringify({ causes, unknown })
  assert(causes.length + unknown.length === 0, `the machine should be taken: ${wrong}`)
  return object
}

export const RUN = 'spec.template.spec'
export const DISKS = `${RUN}.domain.devices.disks`
export const NICS = `${RUN}.domain.devices.interfaces`
