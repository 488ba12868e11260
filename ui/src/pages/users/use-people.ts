// Users and all bindings, for whoever may read them.
import { useMemo } from 'react'
import { type Objects, useObjects } from '../../data/use-objects.ts'
import { useMay } from '../kit/may.ts'
import {
  CLUSTER_BINDINGS,
  type ClusterRoleBinding,
  ROLE_BINDINGS,
  type RoleBinding,
  SECRETS,
  type Secret,
  SYSTEM_NAMESPACE,
} from '../kit/places.ts'
import { USER_TYPE } from './people.ts'

export interface SeenPeople {
  /** Undefined until it is known. */
  readonly may: boolean | undefined
  readonly secrets: Objects<Secret>
  readonly bindings: readonly (RoleBinding | ClusterRoleBinding)[]
}

export function usePeople(): SeenPeople {
  const may = useMay({ verb: 'list', place: SECRETS, namespace: SYSTEM_NAMESPACE })
  const bindings = useBindings()
  const secrets = useObjects(SECRETS, {
    namespace: SYSTEM_NAMESPACE,
    fieldSelector: `type=${USER_TYPE}`,
    skip: may !== true,
  })
  return { may, secrets, bindings }
}

export function useBindings(): readonly (RoleBinding | ClusterRoleBinding)[] {
  const mayInProjects = useMay({ verb: 'list', place: ROLE_BINDINGS })
  const mayEverywhere = useMay({ verb: 'list', place: CLUSTER_BINDINGS })
  const inProjects = useObjects(ROLE_BINDINGS, { skip: mayInProjects !== true })
  const everywhere = useObjects(CLUSTER_BINDINGS, { skip: mayEverywhere !== true })
  return useMemo(() => [...everywhere.list, ...inProjects.list], [everywhere.list, inProjects.list])
}
