// `croft vm delete`: the machine, and its disks unless they are to stay.
import { ApiError } from '../base/errors.ts'
import { claimTemplatesOf, REMOVED_CLAIMS } from '../kinds/harvester/claim-templates.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { say } from '../words/say.ts'
import { EXIT, type Run } from './command.ts'
import { type Connection, connect } from './connect.ts'
import { actionPath, STOP_TIMEOUT_MS, timeoutOf, waitForMachine } from './machine.ts'
import { confirm, notFoundNear } from './show.ts'

/** Without this the guest is asked to shut down first, and gets its grace period. */
async function cutPower(connection: Connection, name: string): Promise<void> {
  try {
    await connection.ask('PUT', actionPath(connection, 'virtualmachines', name, 'stop'), { gracePeriod: 0 })
  } catch (error) {
    // One that is off already has no power to cut.
    if (!(error instanceof ApiError) || error.code !== 409) throw error
  }
}

export const vmDelete: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const machine = await notFoundNear(world, connection, VirtualMachine, name)
  const templates = claimTemplatesOf(machine)
  const claims = typeof templates === 'string' ? [] : templates.map(({ metadata }) => metadata.name)
  const disks = call.on('keep-disks') ? 'Its disks stay.' : 'Its disks are deleted, too.'
  if (!(await confirm(call, world, `Delete machine "${name}"? ${disks}`))) {
    world.terminal.note('Nothing was deleted.\n')
    return EXIT.failed
  }
  if (!call.on('keep-disks') && claims.length > 0)
    await client.patch(
      VirtualMachine,
      name,
      { metadata: { annotations: { [REMOVED_CLAIMS]: claims.join(',') } } },
      { namespace },
    )
  if (call.on('force')) await cutPower(connection, name)
  await client.delete(VirtualMachine, name, {
    namespace,
    propagation: 'Foreground',
    ...(machine.metadata.uid === undefined ? {} : { uid: machine.metadata.uid }),
  })
  if (!call.on('no-wait'))
    await waitForMachine(world, connection, name, {
      what: `${name} is gone`,
      timeoutMs: timeoutOf(call, STOP_TIMEOUT_MS),
      done: (now) => now === undefined || now.metadata.uid !== machine.metadata.uid,
    })
  world.terminal.note(`${say(world.language, 'cli.deleted', { kind: 'VirtualMachine', name })}\n`)
  return EXIT.done
}
