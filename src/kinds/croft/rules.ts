// What may become of a VolumeEpoch: time runs forward, and a new engine is a new epoch.
import type { Cause } from '../../base/errors.ts'
import type { Rule } from '../kind.ts'

interface EpochSpec {
  readonly epoch: number
  readonly engine?: { readonly name: string; readonly incarnation: string; readonly nodeID: string }
  readonly inSync: readonly { readonly replica: string; readonly incarnation: string }[]
}

export const volumeEpochRule: Rule = (next, previous) => {
  if (!next || !previous) return {}
  const spec = next['spec'] as EpochSpec
  const old = previous['spec'] as EpochSpec
  const causes: Cause[] = []
  const refuse = (field: string, message: string): void => {
    causes.push({ reason: 'FieldValueInvalid', field, message })
  }
  if (spec.epoch < old.epoch)
    refuse('spec.epoch', `an epoch never falls: it is ${old.epoch}, and ${spec.epoch} is asked for`)
  if (spec.epoch > old.epoch + 1)
    refuse(
      'spec.epoch',
      `epochs follow one another: after ${old.epoch} comes ${old.epoch + 1}, not ${spec.epoch}`,
    )
  const changed =
    spec.engine !== undefined &&
    old.engine !== undefined &&
    spec.engine.incarnation !== old.engine.incarnation
  if (changed && spec.epoch === old.epoch)
    refuse(
      'spec.engine',
      `engine ${spec.engine?.incarnation} needs an epoch of its own: ${old.epoch} belongs to ${old.engine?.incarnation}`,
    )
  if (old.inSync.length > 0 && spec.inSync.length === 0)
    refuse('spec.inSync', 'the last replica with all data is never struck off')
  return { causes }
}
