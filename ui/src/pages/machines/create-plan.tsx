// What will happen when the machine is created, and the same by command and as YAML.
import { useMemo, useState } from 'react'
import { useWords } from '../../app/words.ts'
import type { ApiFailure } from '../../data/api.ts'
import { HOSTS, INSTANCES } from '../../data/kinds.ts'
import type { Tone } from '../../data/machine-state.ts'
import { bytesText, memoryOfDomain, quantityBytes } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { CLASSES } from '../kit/places.ts'
import { commandFor, type Wish } from './new-machine.ts'

export type Verdict =
  | { readonly is: 'waits' | 'asks' | 'fits' }
  | { readonly is: 'refused'; readonly failure: ApiFailure }

const TONES = { waits: 'off', asks: 'busy', fits: 'ok', refused: 'bad' } as const satisfies Record<
  Verdict['is'],
  Tone
>

export interface PlanProps {
  /** Absent where a template or a text decides. */
  readonly wish: Wish | undefined
  readonly verdict: Verdict
  readonly yaml: string
  readonly onEditYaml: () => void
}

export function Plan({ wish, verdict, yaml, onEditYaml }: PlanProps) {
  const { t } = useWords()
  const [showsYaml, setShowsYaml] = useState(false)
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
        {wish && <Facts wish={wish} />}
        {wish && <Command wish={wish} />}
        <div className="btns">
          <Button kind="quiet" isPressed={showsYaml} onPress={() => setShowsYaml(!showsYaml)}>
            {t('create.yaml')}
          </Button>
          <Button kind="quiet" onPress={onEditYaml}>
            {t('create.editYaml')}
          </Button>
        </div>
        {showsYaml && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <pre className="yaml" tabIndex={0}>
            {yaml}
          </pre>
        )}
      </div>
    </aside>
  )
}

function Facts({ wish }: { readonly wish: Wish }) {
  const { t } = useWords()
  const where = useLikelyHost(wish)
  const copies = useCopies(wish)
  const size = `${wish.diskGib} GiB`
  const disk = wish.isIso
    ? t('create.plan.diskEmpty', { size })
    : t('create.plan.diskValue', { size, image: wish.image.spec.displayName ?? '' })
  return (
    <dl className="facts">
      <dt>{t('create.plan.runsOn')}</dt>
      <dd>{where}</dd>
      <dt>{t('create.plan.disk')}</dt>
      <dd>
        {disk}
        {copies > 0 && ` · ${t('create.plan.copies', { count: copies })}`}
      </dd>
      <dt>{t('create.plan.address')}</dt>
      <dd>
        {wish.network
          ? t('create.plan.addressFrom', { network: wish.network })
          : t('create.plan.addressValue')}
      </dd>
    </dl>
  )
}

function Command({ wish }: { readonly wish: Wish }) {
  const { t } = useWords()
  const command = commandFor(wish)
  return (
    <div>
      <div className="page-head">
        <span className="muted small">{t('create.command')}</span>
        <span className="push" />
        <CopyButton text={command} of={t('create.command')} />
      </div>
      <code className="command">{command}</code>
    </div>
  )
}

/** The scheduler decides when it starts; this is the host with the most room now. */
function useLikelyHost({ host, memoryGib }: Wish): string {
  const { t, language } = useWords()
  const hosts = useObjects(HOSTS)
  const instances = useObjects(INSTANCES)
  return useMemo(() => {
    if (host !== undefined) return host
    if (hosts.liveness === 'failed') return t('create.plan.anyHost')
    const free = hosts.list
      .filter(({ spec }) => spec?.unschedulable !== true)
      .map(({ metadata, status }) => {
        const taken = instances.list
          .filter((one) => one.status?.nodeName === metadata.name)
          .reduce((sum, one) => sum + memoryOfDomain(one.spec?.domain), 0)
        return { name: metadata.name ?? '', bytes: quantityBytes(status?.allocatable?.['memory']) - taken }
      })
      .sort((a, b) => b.bytes - a.bytes)[0]
    if (!free) return t('create.plan.anyHost')
    const room = bytesText(language, Math.max(0, free.bytes))
    return free.bytes < memoryGib * 2 ** 30
      ? t('create.plan.noRoom', { name: free.name, room })
      : t('create.plan.mostRoom', { name: free.name, room })
  }, [host, hosts, instances.list, memoryGib, t, language])
}

function useCopies({ image, isIso, className }: Wish): number {
  const { list } = useObjects(CLASSES)
  const name = isIso ? className : image.status?.storageClassName
  const found = list.find(({ metadata }) => metadata.name === name)
  return Number(found?.parameters?.['numberOfReplicas'] ?? 0)
}
