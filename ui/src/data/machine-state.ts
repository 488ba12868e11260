// The one state that a machine, image or host is shown with: a word, a shape and what to say about it.
import { type Language, say } from '../../../src/words/say.ts'
import { sayUi } from '../words/say.ts'
import { isFine } from './conditions.ts'
import type { Host, Image, Machine } from './kinds.ts'

export type Tone = 'ok' | 'busy' | 'warn' | 'bad' | 'off'
export interface Shown {
  readonly tone: Tone
  readonly word: string
  /** The server's own words about what is the matter. */
  readonly message?: string
}

const MACHINE_TONES = {
  Stopped: 'off',
  Provisioning: 'busy',
  Starting: 'busy',
  Running: 'ok',
  Paused: 'warn',
  Stopping: 'busy',
  Terminating: 'busy',
  Migrating: 'busy',
  CrashLoopBackOff: 'bad',
  Unknown: 'warn',
  ErrorUnschedulable: 'bad',
  ErrorPvcNotFound: 'bad',
  DataVolumeError: 'bad',
  WaitingForVolumeBinding: 'busy',
} as const satisfies Record<string, Tone>

type MachineWord = keyof typeof MACHINE_TONES

function isMachineWord(word: string): word is MachineWord {
  return Object.hasOwn(MACHINE_TONES, word)
}

/** Objects never change; the rail, the tasks and the lists ask for each of thousands at every change of one. */
const known = new WeakMap<Machine, { readonly language: Language; readonly shown: Shown }>()

export function machineState(language: Language, machine: Machine): Shown {
  const old = known.get(machine)
  if (old?.language === language) return old.shown
  const shown = stateOf(language, machine)
  known.set(machine, { language, shown })
  return shown
}

function stateOf(language: Language, machine: Machine): Shown {
  const word = machine.metadata.deletionTimestamp
    ? 'Terminating'
    : (machine.status?.printableStatus ?? 'Stopped')
  const message = machineTrouble(machine)
  const more = message === undefined ? {} : { message }
  if (!isMachineWord(word)) return { tone: 'bad', word, ...more }
  return { tone: MACHINE_TONES[word], word: say(language, `state.vm.${word}`), ...more }
}

/** Conditions that tell of trouble, the heaviest first: Failure is true when something is wrong, the others when not. */
function machineTrouble(machine: Machine): string | undefined {
  const conditions = machine.status?.conditions ?? []
  const word = machine.status?.printableStatus ?? ''
  if (['Stopped', 'Running', 'Stopping', 'Paused'].includes(word))
    return conditions.find(({ type, status }) => type === 'Failure' && status === 'True')?.message
  const found =
    conditions.find(({ type, status }) => type === 'Failure' && status === 'True') ??
    conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False') ??
    conditions.find(({ type, status }) => type === 'Ready' && status === 'False')
  return found?.message
}

export function needsAttention({ tone }: Shown): boolean {
  return tone === 'bad' || tone === 'warn'
}

export function imageState(language: Language, { metadata, spec, status }: Image): Shown {
  if (metadata.deletionTimestamp) return { tone: 'busy', word: sayUi(language, 'state.deleting') }
  const conditions = status?.conditions ?? []
  const bad = conditions.find(
    ({ type, status: holds }) =>
      (type === 'RetryLimitExceeded' && holds === 'True') ||
      ((type === 'Initialized' || type === 'Imported') && holds === 'False'),
  )
  if (bad)
    return {
      tone: 'bad',
      word: say(language, 'state.image.failed'),
      ...(bad.message || bad.reason ? { message: bad.message || (bad.reason ?? '') } : {}),
    }
  if (isImageReady({ metadata, spec, status } as Image))
    return { tone: 'ok', word: say(language, 'state.image.ready') }
  const percent = status?.progress ?? 0
  if (percent === 0 && spec.sourceType !== 'upload')
    return { tone: 'busy', word: say(language, 'state.image.pending') }
  const key = spec.sourceType === 'upload' ? 'state.image.uploading' : 'state.image.downloading'
  return { tone: 'busy', word: say(language, key, { percent }) }
}

export function isImageReady({ status }: Image): boolean {
  const imported = status?.conditions?.some(
    ({ type, status: holds }) => type === 'Imported' && holds === 'True',
  )
  return imported === true && status?.progress === 100 && !!status.storageClassName
}

export function hostState(language: Language, { spec, status }: Host): Shown {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status !== 'True')
    return {
      tone: 'bad',
      word: say(language, ready?.status === 'False' ? 'state.node.notReady' : 'state.node.unknown'),
      ...(ready?.message ? { message: ready.message } : {}),
    }
  const trouble = status?.conditions?.find(
    ({ type = '', status: holds = '' }) => holds === 'True' && isFine(type, holds) === false,
  )
  const troubleWord = trouble?.reason || trouble?.type
  if (spec?.unschedulable) return { tone: 'warn', word: say(language, 'state.node.cordoned') }
  return {
    tone: trouble ? 'warn' : 'ok',
    word: troubleWord ?? say(language, 'state.node.ready'),
    ...(trouble?.message ? { message: trouble.message } : {}),
  }
}
