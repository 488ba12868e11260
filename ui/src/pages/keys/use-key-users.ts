// Who names a key: machines that were made with it, and versions of templates.
import { MACHINES } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { type KeyPair, VERSIONS } from '../kit/places.ts'
import { machinesWithKey } from '../kit/users-of.ts'

export function useKeyUsers(namespace: string | undefined): (key: KeyPair) => readonly string[] {
  const machines = useObjects(MACHINES, { namespace })
  const versions = useObjects(VERSIONS, { namespace })
  return ({ metadata }) => {
    const id = `${metadata.namespace}/${metadata.name}`
    const templates = versions.list
      .filter(({ spec }) => spec.keyPairIds?.includes(id))
      .map(({ spec }) => spec.templateId)
    return [...machinesWithKey(machines.list, id), ...new Set(templates)]
  }
}
