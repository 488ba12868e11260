// What the API hears of replicas and engines: only what differs is written.
import type { Client } from '../../client/client.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'

export async function reportStatus(
  client: Client,
  kind: Kind,
  object: Engine | Replica,
  status: Readonly<Record<string, unknown>>,
): Promise<void> {
  const present = (object.status ?? {}) as Readonly<Record<string, unknown>>
  const differs = Object.entries(status).some(
    ([key, value]) => JSON.stringify(present[key]) !== JSON.stringify(value),
  )
  if (!differs) return
  const { name, namespace } = object.metadata
  await client.patch(
    kind,
    name!,
    { status: status as never },
    { namespace: namespace!, subresource: 'status' },
  )
}
