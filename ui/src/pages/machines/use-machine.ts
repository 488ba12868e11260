// The machine that the address names, and its running instance.
import { useParams } from '@tanstack/react-router'
import { INSTANCES, type Instance, MACHINES, type Machine } from '../../data/kinds.ts'
import { type Objects, useObjects } from '../../data/use-objects.ts'

export interface Seen extends Pick<Objects<Machine>, 'liveness' | 'failure'> {
  readonly namespace: string
  readonly name: string
  readonly machine: Machine | undefined
  readonly instance: Instance | undefined
}

export function useMachine(): Seen {
  const { namespace = '', name = '' } = useParams({ strict: false })
  const { list, liveness, failure } = useObjects(MACHINES, { namespace, name })
  const instances = useObjects(INSTANCES, { namespace, name })
  return { namespace, name, machine: list[0], instance: instances.list[0], liveness, failure }
}
