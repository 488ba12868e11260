// What the API hears of replicas and engines: only what differs is written.
import { deepEqual } from '../../base/equality.ts'
import { isObject } from '../../base/json.ts'
import type { Client } from '../../client/client.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Snapshot } from '../../kinds/longhorn/snapshot.ts'

/** A key that is to be removed from a map, and is not there, is no difference. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))
}

export async function reportStatus(
  client: Client,
  kind: Kind,
  object: Engine | Replica | Snapshot,
  status: Readonly<Record<string, unknown>>,
): Promise<void> {
  const present = (object.status ?? {}) as Readonly<Record<string, unknown>>
  const differs = Object.entries(status).some(([key, value]) => !deepEqual(present[key], withoutNulls(value)))
  if (!differs) return
  const { name, namespace } = object.metadata
  await client.patch(
    kind,
    name!,
    { status: status as never },
    { namespace: namespace!, subresource: 'status' },
  )
}
