// What a machine's Pod cannot do, why not, and what to use in its stead.
import { type ApiError, refuse } from '../../base/errors.ts'
import type { Client } from '../../client/client.ts'
import type { Place } from '../actions/machine-actions.ts'
import { launcherOf, readPod } from './launcher.ts'

export async function noSuchStream(client: Client, place: Place, subresource: string): Promise<ApiError> {
  const launcher = launcherOf(await readPod(client, place))
  if (!launcher)
    return refuse.badRequest(
      `${subresource} is not possible: pod "${place.name}" does not run, because there is no container runtime here; only the pods of virtual machines run`,
    )
  const { name, namespace } = launcher.ref
  if (subresource === 'proxy')
    return refuse.badRequest(
      `proxy is not possible: use "kubectl port-forward" or "virtctl port-forward vm/${name}/${namespace} PORT"`,
    )
  return refuse.badRequest(
    `${subresource} is not possible: this pod is a virtual machine and has no container to run a command in; use "croft vm console ${name} -n ${namespace}", "virtctl console ${name} -n ${namespace}" or ssh`,
  )
}
