// Where the wish to publish ports is written: on the instance or on its VirtualMachine.
import { ApiError } from '../../base/errors.ts'
import type { Client } from '../../client/client.ts'
import type { Kind, KindOf } from '../../kinds/kind.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { PUBLISHED_PORTS } from './published-ports.ts'

type Annotated = { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } }

/** The instance's own word goes first, also an empty one. */
export function publishedText(vmi: Annotated | undefined, vm: Annotated | undefined): string {
  return vmi?.metadata.annotations?.[PUBLISHED_PORTS] ?? vm?.metadata.annotations?.[PUBLISHED_PORTS] ?? ''
}

/** Asks the API; for the time before anything is watched. */
export async function askPublishedText(client: Client, namespace: string, name: string): Promise<string> {
  return publishedText(
    await find(client, VirtualMachineInstance, namespace, name),
    await find(client, VirtualMachine, namespace, name),
  )
}

async function find<K extends Kind>(
  client: Client,
  kind: K,
  namespace: string,
  name: string,
): Promise<KindOf<K> | undefined> {
  try {
    return await client.get(kind, name, { namespace })
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}
