// Objects that make the cluster a product: settings with their defaults, and what clients look for before they
// believe that machines can run here. Made when absent; what an administrator changed stays.
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { formatTime } from '../base/time.ts'
import type { Client } from '../client/client.ts'
import { settingObjects } from '../kinds/harvester/settings.ts'
import { findByKind } from '../kinds/index.ts'
import type { Kind } from '../kinds/kind.ts'
import { kubevirtObjects } from '../kinds/kubevirt/singletons.ts'
import { storageObjects } from '../kinds/longhorn/settings.ts'

export interface ProductPlace {
  readonly now: number
  readonly architecture: 'amd64' | 'arm64'
  readonly serverUrl: string
}

function kindOf(object: KubeObject): Kind {
  const [group = '', version = ''] = object.apiVersion.includes('/')
    ? object.apiVersion.split('/')
    : ['', object.apiVersion]
  const kind = findByKind(group, version, object.kind)
  if (!kind) throw new ApiError(404, 'NotFound', `no kind ${object.apiVersion} ${object.kind}`)
  return kind as Kind
}

async function ensure(client: Client, object: KubeObject): Promise<void> {
  const kind = kindOf(object)
  const { status, ...plain } = object
  try {
    await client.create(kind, (kind.subresources['status'] ? plain : object) as KubeObject)
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return
    throw error
  }
  if (status === undefined || !kind.subresources['status']) return
  const { name, namespace } = object.metadata
  await client.patch(
    kind,
    name!,
    { status: status as JsonObject },
    {
      subresource: 'status',
      ...(namespace ? { namespace } : {}),
    },
  )
}

export async function ensureProductObjects(client: Client, place: ProductPlace): Promise<void> {
  const objects = [
    ...settingObjects(),
    ...storageObjects(),
    ...kubevirtObjects({
      now: formatTime(place.now),
      architecture: place.architecture,
      uploadUrl: place.serverUrl,
    }),
  ]
  // One group commit takes them all.
  await Promise.all(objects.map((object) => ensure(client, object)))
}
