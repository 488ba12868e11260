// What can be done to a machine, when, and by which call of the API (subresources.kubevirt.io).
import { call } from './api.ts'
import { type Instance, MACHINES, type Machine, pathOf } from './kinds.ts'

export type Action = 'start' | 'stop' | 'restart' | 'pause' | 'unpause' | 'softreboot'

const ON_MACHINE: ReadonlySet<Action> = new Set(['start', 'stop', 'restart'])

export function canDo(action: Action, machine: Machine, instance: Instance | undefined): boolean {
  if (machine.metadata.deletionTimestamp !== undefined) return false
  const phase = instance?.status?.phase
  const runs = phase === 'Running'
  const paused = instance?.status?.conditions?.some(
    ({ type, status }) => type === 'Paused' && status === 'True',
  )
  switch (action) {
    case 'start':
      return (
        !instance && (machine.spec.runStrategy ?? (machine.spec.running ? 'Always' : 'Halted')) !== 'Always'
      )
    case 'stop':
    case 'restart':
      return instance !== undefined
    case 'pause':
    case 'softreboot':
      return runs && !paused
    case 'unpause':
      return runs && paused === true
  }
}

export async function act(action: Action, namespace: string, name: string): Promise<void> {
  const plural = ON_MACHINE.has(action) ? 'virtualmachines' : 'virtualmachineinstances'
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/${plural}/${name}/${action}`
  await call(path, { method: 'PUT', body: {} })
}

const REMOVED_CLAIMS = 'harvesterhci.io/removedPersistentVolumeClaims'

/** With its disks: the annotation tells which claims go with it (Harvester's own way). */
export async function deleteMachine(machine: Machine, claims: readonly string[]): Promise<void> {
  const { namespace = '', name = '', uid } = machine.metadata
  const path = pathOf(MACHINES, namespace, name)
  const body = { metadata: { annotations: { [REMOVED_CLAIMS]: claims.join(',') } } }
  await call(path, { method: 'PATCH', body, contentType: 'application/merge-patch+json' })
  await call(path, { method: 'DELETE', body: { propagationPolicy: 'Background', preconditions: { uid } } })
}

/** Names of the claims that the machine's disks are. */
export function claimsOf(machine: Machine): readonly string[] {
  return (machine.spec.template.spec?.volumes ?? []).flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
    return name === undefined ? [] : [name]
  })
}
