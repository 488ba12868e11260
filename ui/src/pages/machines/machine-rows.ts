// Machines with their instances as rows of the list. A row is made anew only when its objects change: thousands of rows
// stay as they are while some move.
import { useMemo } from 'react'
import type { Language } from '../../../../src/words/say.ts'
import { useWords } from '../../app/words.ts'
import { INSTANCES, type Instance, MACHINES, type Machine } from '../../data/kinds.ts'
import { machineState, type Shown } from '../../data/machine-state.ts'
import { useObjects } from '../../data/use-objects.ts'

export interface MachineRow {
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly machine: Machine
  readonly instance: Instance | undefined
  readonly shown: Shown
  readonly host: string
  readonly address: string
  readonly language: Language
}

const made = new WeakMap<Machine, MachineRow>()

export function useMachineRows(project: string | undefined): readonly MachineRow[] {
  const { language } = useWords()
  const { list } = useObjects(MACHINES, { namespace: project })
  const { objects: instances } = useObjects(INSTANCES, { namespace: project })
  return useMemo(
    () => list.map((machine) => rowOf(machine, instances, language)),
    [list, instances, language],
  )
}

function rowOf(machine: Machine, instances: ReadonlyMap<string, Instance>, language: Language): MachineRow {
  const old = made.get(machine)
  const { namespace = '', name = '' } = machine.metadata
  const key = old?.key ?? `${namespace}/${name}`
  const instance = instances.get(key)
  if (old && old.instance === instance && old.language === language) return old
  const row: MachineRow = {
    key,
    namespace,
    name,
    machine,
    instance,
    shown: machineState(language, machine),
    host: instance?.status?.nodeName ?? '',
    address: instance?.status?.interfaces?.find(({ ipAddress }) => ipAddress)?.ipAddress ?? '',
    language,
  }
  made.set(machine, row)
  return row
}
