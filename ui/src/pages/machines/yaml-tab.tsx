// The machine as YAML, to read and to change.
import { MACHINES, type Machine } from '../../data/kinds.ts'
import type { KindPlace } from '../kit/places.ts'
import { YamlTab as KitYamlTab } from '../kit/yaml-tab.tsx'
import { useMachine } from './use-machine.ts'
import '../kit/kit.css'

const MACHINE_KIND: KindPlace<Machine> = { ...MACHINES, kind: 'VirtualMachine' }

export function YamlTab() {
  const { machine } = useMachine()
  return machine ? <KitYamlTab place={MACHINE_KIND} object={machine} /> : null
}
