// `croft vm ssh`: the computer's own ssh through a port of this process that leads into the guest.
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { failedError, usageError } from './cli-error.ts'
import { type Call, EXIT, type Run } from './command.ts'
import { connect } from './connect.ts'
import { notFoundNear } from './show.ts'
import { forward } from './tunnel.ts'

const SSH_PORT = 22
/** What a shell says for a program that is not there. */
const NOT_THERE = 127

export const vmSsh: Run = async (call, world) => {
  const { host, terminal } = world
  const { user, name } = target(call)
  const connection = await connect(call, world)
  const run = await notFoundNear(world, connection, VirtualMachineInstance, name)
  const listening = await host.net.listenStream({ host: '127.0.0.1', port: 0 }, (stream) => {
    void forward(connection, name, call.number('port') ?? SSH_PORT, stream).catch((error: unknown) => {
      terminal.note(`croft: ${error instanceof Error ? error.message : String(error)}\n`)
      stream.close()
    })
  })
  if (!listening.ok) throw failedError('No port for ssh.', listening.failure)
  const { address } = listening.value
  const port = 'port' in address ? address.port : 0
  const code = await terminal.handOver(sshWords(call, { user, port, uid: run.metadata.uid ?? name }))
  await listening.value.close(0)
  if (code !== NOT_THERE) return code
  terminal.note('croft: ssh is not installed.\n  next: apt-get install -y openssh-client\n')
  return EXIT.failed
}

function target(call: Call): { readonly user: string | undefined; readonly name: string } {
  const [first = ''] = call.args
  const at = first.lastIndexOf('@')
  const user = call.text('user') ?? (at > 0 ? first.slice(0, at) : undefined)
  const name = first.slice(at + 1)
  if (name === '') throw usageError(`"${first}" names no machine.`)
  return { user, name }
}

function sshWords(
  call: Call,
  { user, port, uid }: { readonly user: string | undefined; readonly port: number; readonly uid: string },
): readonly string[] {
  const identity = call.text('identity')
  return [
    'ssh',
    ...['-p', String(port)],
    // The keys of a run are its own: a machine that is made anew under the same name is another one.
    ...['-o', `HostKeyAlias=croft-${uid}`],
    ...['-o', 'StrictHostKeyChecking=accept-new', '-o', 'CheckHostIP=no', '-o', 'LogLevel=ERROR'],
    ...(identity === undefined ? [] : ['-i', identity]),
    ...(user === undefined ? [] : ['-l', user]),
    '127.0.0.1',
    ...call.args.slice(1),
  ]
}
