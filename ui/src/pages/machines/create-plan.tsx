// What will happen when the machine is created, and the same by command and as YAML.
import { useMemo, useState } from 'react'
import { printYaml } from '../../../../src/kinds/yaml.ts'
import { useWords } from '../../app/words.ts'
import type { ApiFailure } from '../../data/api.ts'
import type { Tone } from '../../data/machine-state.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { commandFor, machineFor, type Wish } from './new-machine.ts'

export type Verdict =
  | { readonly is: 'waits' | 'asks' | 'fits' }
  | { readonly is: 'refused'; readonly failure: ApiFailure }

const TONES = { waits: 'off', asks: 'busy', fits: 'ok', refused: 'bad' } as const satisfies Record<
  Verdict['is'],
  Tone
>

export function Plan({ wish, verdict }: { readonly wish: Wish; readonly verdict: Verdict }) {
  const { t } = useWords()
  const [showsYaml, setShowsYaml] = useState(false)
  const command = commandFor(wish)
  const yaml = useMemo(() => (showsYaml ? printYaml(machineFor(wish)) : ''), [showsYaml, wish])
  return (
    <aside className="card" aria-label={t('create.plan')}>
      <header>
        <h2>{t('create.plan')}</h2>
        <span className="push" role="status">
          <StateMark shown={{ tone: TONES[verdict.is], word: t(`create.plan.${verdict.is}`) }} />
        </span>
      </header>
      <div className="in">
        {verdict.is === 'refused' && <p className="refusal">{verdict.failure.message}</p>}
        <dl className="facts">
          <dt>{t('create.plan.disk')}</dt>
          <dd>
            {t('create.plan.diskValue', {
              size: `${wish.diskGib} GiB`,
              image: wish.image.spec.displayName ?? '',
            })}
          </dd>
          <dt>{t('create.plan.address')}</dt>
          <dd>{t('create.plan.addressValue')}</dd>
        </dl>
        <div>
          <div className="page-head">
            <span className="muted small">{t('create.command')}</span>
            <span className="push" />
            <CopyButton text={command} of={t('create.command')} />
          </div>
          <code className="command">{command}</code>
        </div>
        <div>
          <Button kind="quiet" isPressed={showsYaml} onPress={() => setShowsYaml(!showsYaml)}>
            {t('create.yaml')}
          </Button>
          {showsYaml && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <pre className="yaml" tabIndex={0}>
              {yaml}
            </pre>
          )}
        </div>
      </div>
    </aside>
  )
}
