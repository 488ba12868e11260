// `croft vm set`: processors, memory, run strategy of a machine. What a running guest cannot take is told.
import type { JsonObject } from '../base/json.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { usageError } from './cli-error.ts'
import { EXIT, type Run } from './command.ts'
import { connect } from './connect.ts'
import { isRunning } from './machine.ts'
import { notFoundNear } from './show.ts'

export const vmSet: Run = async (call, world) => {
  const [name = ''] = call.args
  const cpus = call.number('cpus')
  const memory = call.text('memory')
  const runStrategy = call.text('run-strategy')
  if (cpus === undefined && memory === undefined && runStrategy === undefined)
    throw usageError('What is to change? --cpus, --memory or --run-strategy.')
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const before = await notFoundNear(world, connection, VirtualMachine, name)
  const limits = {
    ...(cpus === undefined ? {} : { cpu: String(cpus) }),
    ...(memory === undefined ? {} : { memory }),
  }
  const domain: JsonObject = {
    ...(cpus === undefined ? {} : { cpu: { cores: cpus, sockets: 1, threads: 1 } }),
    ...(memory === undefined ? {} : { memory: { guest: memory } }),
    // Harvester's form says the same a second time.
    ...(before.spec?.template?.spec?.domain?.resources?.limits && Object.keys(limits).length > 0
      ? { resources: { limits } }
      : {}),
  }
  const template = Object.keys(domain).length === 0 ? {} : { template: { spec: { domain } } }
  const strategy = runStrategy === undefined ? {} : { runStrategy, running: null }
  await client.patch(VirtualMachine, name, { spec: { ...strategy, ...template } }, { namespace })
  world.terminal.note(`${name} is changed.\n`)
  if (isRunning(before) && Object.keys(domain).length > 0)
    world.terminal.note(`It takes effect at its next start: croft vm restart ${name}\n`)
  return EXIT.done
}
