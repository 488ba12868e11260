// Reading settings while another object is judged or filled in.
import type { KubeObject } from '../../base/object.ts'
import type { RuleLook } from '../kind.ts'
import { Setting } from './setting.ts'
import { type Overcommit, overcommitOf, settingNamed } from './settings.ts'

/** The value in force: the object's own, else its default, else ours. */
export function settingValue(look: Pick<RuleLook, 'get'>, name: string): string {
  const object = look.get<Setting & KubeObject>(Setting, undefined, name)
  return object?.value || object?.default || (settingNamed(name)?.default ?? '')
}

export function overcommitInForce(look: Pick<RuleLook, 'get'>): Overcommit {
  return overcommitOf(settingValue(look, 'overcommit-config'))
}

/** Seconds that a guest gets to shut down when its machine does not say. */
export function graceInForce(look: Pick<RuleLook, 'get'>): number {
  const seconds = Number(settingValue(look, 'default-vm-termination-grace-period-seconds'))
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : 120
}
