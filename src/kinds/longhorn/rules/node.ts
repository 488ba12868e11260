// Storage nodes: a disk is given up only when nothing new can come to it, and its path is a path.
import type { Cause } from '../../../base/errors.ts'
import type { Infer } from '../../build.ts'
import type { Rule } from '../../kind.ts'
import { invalid } from '../../kubevirt/rules/causes.ts'
import type { nodeSpec, nodeStatus } from '../schema/node.ts'

type NodeSpec = Infer<typeof nodeSpec>
type Disks = NonNullable<NodeSpec['disks']>

function plainPath(path: string | undefined): string {
  return (path ?? '').replace(/\/+/g, '/').replace(/\/$/, '')
}

export const nodeRule: Rule = (next, previous) => {
  if (!next) return {}
  const spec = (next['spec'] ?? {}) as NodeSpec
  const old = (previous?.['spec'] ?? {}) as NodeSpec
  const status = previous?.['status'] as Infer<typeof nodeStatus> | undefined
  const causes: Cause[] = []
  if (spec.evictionRequested && spec.allowScheduling)
    causes.push(invalid('spec.evictionRequested', 'turn off allowScheduling before eviction is asked for'))
  const disks: Disks = spec.disks ?? {}
  for (const [name, disk] of Object.entries(disks)) {
    const at = `spec.disks[${name}]`
    if (!disk.path?.startsWith('/') || disk.path.split('/').includes('..'))
      causes.push(invalid(`${at}.path`, `path of disk ${name} must be absolute and without ..`))
    else if (plainPath(disk.path) === '')
      causes.push(invalid(`${at}.path`, `path of disk ${name} must be a folder below /`))
    const twin = Object.entries(disks).find(
      ([other, { path }]) => other < name && plainPath(path) === plainPath(disk.path),
    )
    if (twin)
      causes.push(
        invalid(`${at}.path`, `disk ${twin[0]} has the same path ${disk.path}: one folder is one disk`),
      )
    if (disk.diskType === 'block')
      causes.push(
        invalid(
          `${at}.diskType`,
          `disk ${name}: block disks are not served; make a file system on it, mount it, and name its folder`,
        ),
      )
    if ((disk.storageReserved ?? 0) < 0)
      causes.push(invalid(`${at}.storageReserved`, `storageReserved of disk ${name} must not be negative`))
    if (disk.evictionRequested && disk.allowScheduling)
      causes.push(
        invalid(
          `${at}.evictionRequested`,
          `turn off allowScheduling of disk ${name} before eviction is asked for`,
        ),
      )
  }
  for (const [name, disk] of Object.entries(old.disks ?? {})) {
    if (disks[name]) continue
    const held = Object.keys(status?.diskStatus?.[name]?.scheduledReplica ?? {})
    if (disk.allowScheduling)
      causes.push(
        invalid(`spec.disks[${name}]`, `disk ${name} can be removed only after allowScheduling is off`),
      )
    else if (held.length > 0)
      causes.push(
        invalid(`spec.disks[${name}]`, `disk ${name} still holds replicas: ${held.slice(0, 5).join(', ')}`),
      )
  }
  return { causes }
}
