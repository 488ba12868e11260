// The machine as a text to write: what is in it is created, no more and no less.
import { useMemo } from 'react'
import { parseYaml } from '../../../../src/kinds/yaml.ts'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import type { Machine } from '../../data/kinds.ts'
import { Button } from '../../parts/button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { YamlEditor } from '../../parts/yaml-editor.tsx'
import { useCreate } from './use-create.ts'
import { useVerdict } from './use-wish.ts'

export interface CreateYamlProps {
  readonly text: string
  /** Undefined: back to the form. */
  readonly onText: (text: string | undefined) => void
}

const TONES = { waits: 'off', asks: 'busy', fits: 'ok', refused: 'bad' } as const

export function CreateYaml({ text, onText }: CreateYamlProps) {
  const { t } = useWords()
  const project = useProject()
  const read = useMemo(() => readMachine(text), [text])
  const machine = typeof read === 'string' ? undefined : read
  const namespace = machine?.metadata.namespace ?? project ?? 'default'
  const verdict = useVerdict(namespace, machine?.metadata.name ? JSON.stringify(machine) : '')
  const { busy, failure, create } = useCreate(namespace)
  const refusal =
    typeof read === 'string'
      ? read
      : (failure?.message ?? (verdict.is === 'refused' ? verdict.failure.message : ''))
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('create.title')}</h1>
        <span role="status">
          <StateMark shown={{ tone: TONES[verdict.is], word: t(`create.plan.${verdict.is}`) }} />
        </span>
        <span className="btns push">
          <Button onPress={() => onText(undefined)}>{t('create.backToForm')}</Button>
          <Button
            kind="primary"
            isPending={busy}
            isDisabled={!machine}
            onPress={() => machine && void create(machine, machine.spec?.runStrategy === 'Always')}
          >
            {t('create.only')}
          </Button>
        </span>
      </div>
      {refusal !== '' && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
      <section className="card stretch yaml-page" aria-label={t('create.yaml')}>
        <YamlEditor label={t('create.yaml')} value={text} onValue={onText} autoFocus />
      </section>
    </div>
  )
}

/** The machine, or why the text is none. */
function readMachine(text: string): Machine | string {
  try {
    const value = parseYaml(text).value as unknown as Machine | null
    if (value?.kind !== 'VirtualMachine') return 'kind: VirtualMachine'
    return { ...value, metadata: value.metadata ?? {} }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
