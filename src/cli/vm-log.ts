// `croft vm log`: what the guest said on its serial console.
import { Pod } from '../kinds/core/pod.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type Run } from './command.ts'
import { connect, readAnswer } from './connect.ts'
import { notFoundNear } from './show.ts'

export const vmLog: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const run = await notFoundNear(world, connection, VirtualMachineInstance, name)
  const pods = await client.list(Pod, {
    namespace,
    labelSelector: `kubevirt.io/created-by=${run.metadata.uid ?? ''}`,
  })
  const pod = pods.items[0]?.metadata.name
  if (pod === undefined)
    throw new CliError({
      what: `${name} has said nothing yet.`,
      next: `croft why vm/${name} -n ${namespace}`,
      code: EXIT.failed,
      reason: 'NoLog',
    })
  const tail = call.number('tail')
  const query = new URLSearchParams({
    ...(call.on('follow') ? { follow: 'true' } : {}),
    ...(tail === undefined ? {} : { tailLines: String(tail) }),
  })
  const ending = new AbortController()
  const stop = world.terminal.onInterrupt(() => ending.abort())
  try {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log?${query}`
    const answer = await connection.send({ method: 'GET', path, signal: ending.signal })
    if (answer.status !== 200) await readAnswer(answer)
    for await (const bytes of answer.body) world.terminal.out(bytes)
  } catch (error) {
    if (!ending.signal.aborted) throw error
  } finally {
    stop()
  }
  return EXIT.done
}
