// What is to be said about a volume: pure functions of its claim, its Longhorn volume and copies, and the machines.
import { type Language, say } from '../../../../src/words/say.ts'
import type { Machine } from '../../data/kinds.ts'
import { claimsOf } from '../../data/machine-actions.ts'
import type { Shown } from '../../data/machine-state.ts'
import { quantityBytes } from '../../data/measures.ts'
import { sayUi } from '../../words/say.ts'
import type { Claim, Replica, Volume } from '../kit/places.ts'

/** Names of the machines that have the claim as a disk. */
export function machinesWith({ metadata }: Claim, machines: readonly Machine[]): readonly string[] {
  return machines
    .filter(
      (machine) =>
        machine.metadata.namespace === metadata.namespace && claimsOf(machine).includes(metadata.name ?? ''),
    )
    .map((machine) => machine.metadata.name ?? '')
}

/** Those that are placed and not given up. */
export function usableCopies(copies: readonly Replica[]): number {
  return copies.filter(({ spec }) => (spec?.nodeID ?? '') !== '' && (spec?.failedAt ?? '') === '').length
}

export function volumeState(language: Language, claim: Claim, volume: Volume | undefined): Shown {
  if (claim.metadata.deletionTimestamp) return { tone: 'busy', word: sayUi(language, 'state.deleting') }
  const { phase = 'Pending' } = claim.status ?? {}
  if (phase === 'Lost') return { tone: 'bad', word: sayUi(language, 'volumes.state.lost') }
  if (phase !== 'Bound') return { tone: 'busy', word: sayUi(language, 'volumes.state.waiting') }
  const { state = '', robustness = '', expansionRequired } = volume?.status ?? {}
  if (robustness === 'faulted') return { tone: 'bad', word: say(language, 'state.volume.faulted') }
  if (expansionRequired || isGrowing(claim))
    return { tone: 'busy', word: sayUi(language, 'volumes.state.growing') }
  if (robustness === 'degraded') return { tone: 'warn', word: say(language, 'state.volume.degraded') }
  switch (state) {
    case 'attached':
      return { tone: 'ok', word: say(language, 'state.volume.attached') }
    case 'detached':
      return { tone: 'off', word: say(language, 'state.volume.detached') }
    case 'creating':
    case 'attaching':
    case 'detaching':
    case 'deleting':
      return { tone: 'busy', word: say(language, `state.volume.${state}`) }
    default:
      return { tone: 'ok', word: sayUi(language, 'volumes.state.ready') }
  }
}

/** The claim asks for more than it has. */
function isGrowing({ spec, status }: Claim): boolean {
  const has = quantityBytes(status?.capacity?.['storage'])
  return has > 0 && quantityBytes(spec?.resources?.requests?.['storage']) > has
}

/** Bytes that it has, or asks for as long as it has none. */
export function sizeOf({ spec, status }: Claim): number {
  return quantityBytes(status?.capacity?.['storage'] ?? spec?.resources?.requests?.['storage'])
}

export const GIB = 1024 ** 3

/** Whole GiB that hold so many bytes. */
export function gibFor(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / GIB))
}

/** A size as a quantity: whole GiB as they are, fractions in MiB. Undefined for what is no number above zero. */
export function sizeText(gib: string): string | undefined {
  const number = Number(gib)
  if (!Number.isFinite(number) || number <= 0 || gib.trim() === '') return undefined
  return Number.isInteger(number) ? `${number}Gi` : `${Math.ceil(number * 1024)}Mi`
}
