// Screen and serial console of a machine in one pane. What draws them is loaded when somebody looks.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ClipboardPaste, Expand, ExternalLink, Maximize, RotateCw, Shrink } from 'lucide-react'
import { lazy, type RefObject, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import type { ConsoleState, Controls } from '../../consoles/console-port.ts'
import { LAYOUTS, type Layout } from '../../consoles/layouts.ts'
import { readStored, writeStored } from '../../data/stored.ts'
import { Button } from '../../parts/button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { Segments } from '../../parts/tiles.tsx'
import { ConsoleKeys } from './console-keys.tsx'
import { useMachine } from './use-machine.ts'

const Screen = lazy(async () => ({ default: (await import('../../consoles/screen.tsx')).Screen }))
const Serial = lazy(async () => ({ default: (await import('../../consoles/serial.tsx')).Serial }))

export function ConsoleTab() {
  const { t } = useWords()
  const navigate = useNavigate()
  const { namespace = '', name = '' } = useParams({ strict: false })
  const { kind = 'screen' } = useSearch({ strict: false })
  const [layout, setLayout] = useState<Layout>(readLayout)
  const { instance } = useMachine()
  const [state, setState] = useState<ConsoleState>('connecting')
  const [attempt, setAttempt] = useState(0)
  const [fit, setFit] = useState(true)
  const controls = useRef<Controls | null>(null)
  const frame = useRef<HTMLElement>(null)
  const isFull = useFullScreen(frame)
  const runs = instance?.status?.phase === 'Running'
  const uid = instance?.metadata.uid ?? ''
  const onState = useCallback((next: ConsoleState) => setState(next), [])
  useLeaveKey(frame)

  const choose = (next: string) => {
    setState('connecting')
    void navigate({
      to: '.',
      search: (old) => ({ ...old, kind: next === 'serial' ? ('serial' as const) : undefined }) as never,
      replace: true,
    })
  }
  const Console = kind === 'serial' ? Serial : Screen
  return (
    <section className="card console" ref={frame} aria-label={t('machine.console')}>
      <header>
        <Segments
          label={t('console.which')}
          chosen={kind}
          onChoose={choose}
          tiles={[
            { id: 'screen', title: t('console.screen'), what: '' },
            { id: 'serial', title: t('console.serial'), what: '' },
          ]}
        />
        {runs && <ConnectionMark state={state} />}
        <span className="push" />
        {kind === 'screen' && (
          <ConsoleKeys
            isDisabled={state !== 'connected'}
            controls={controls}
            layout={layout}
            onLayout={(next) => {
              setLayout(next)
              writeStored(LAYOUT, next)
            }}
          />
        )}
        <Button
          square
          label={t('console.paste')}
          isDisabled={state !== 'connected'}
          onPress={() => void paste(controls.current, layout, t('console.pasteEmpty'))}
        >
          <ClipboardPaste className="icon" aria-hidden />
        </Button>
        {kind === 'screen' && (
          <Button square label={t('console.fit')} isPressed={fit} onPress={() => setFit(!fit)}>
            <Expand className="icon" aria-hidden />
          </Button>
        )}
        <Button
          square
          label={t(isFull ? 'console.fullEnd' : 'console.full')}
          onPress={() => toggleFull(frame.current)}
        >
          {isFull ? <Shrink className="icon" aria-hidden /> : <Maximize className="icon" aria-hidden />}
        </Button>
        <Button square label={t('console.window')} onPress={() => openWindow(namespace, name, kind)}>
          <ExternalLink className="icon" aria-hidden />
        </Button>
        <Button
          square
          label={t('console.reconnect')}
          isDisabled={!runs}
          onPress={() => setAttempt(attempt + 1)}
        >
          <RotateCw className="icon" aria-hidden />
        </Button>
      </header>
      <div className="console-pane">
        {runs ? (
          <Suspense fallback={<p className="over">{t('console.connecting')}</p>}>
            <Console
              key={`${kind} ${uid} ${attempt}`}
              namespace={namespace}
              name={name}
              label={t(kind === 'serial' ? 'console.serialOf' : 'console.screenOf', { name })}
              fit={fit}
              controls={controls}
              onState={onState}
            />
            {(state === 'taken' || state === 'ended') && (
              <div className="over">
                <p>{t(state === 'taken' ? 'console.taken' : 'console.ended')}</p>
                <Button onPress={() => setAttempt(attempt + 1)}>{t('console.reconnect')}</Button>
              </div>
            )}
          </Suspense>
        ) : (
          <p className="over">{t('console.off')}</p>
        )}
      </div>
      <p className="console-foot muted small">{t('console.leave')}</p>
    </section>
  )
}

function ConnectionMark({ state }: { readonly state: ConsoleState }) {
  const { t } = useWords()
  const tone = state === 'connected' ? 'ok' : state === 'connecting' ? 'busy' : 'warn'
  return (
    <span role="status">
      <StateMark shown={{ tone, word: t(`console.${state}`) }} />
    </span>
  )
}

function useFullScreen(frame: RefObject<HTMLElement | null>): boolean {
  const [isFull, setFull] = useState(false)
  useEffect(() => {
    const look = () =>
      setFull(document.fullscreenElement !== null && document.fullscreenElement === frame.current)
    document.addEventListener('fullscreenchange', look)
    return () => document.removeEventListener('fullscreenchange', look)
  }, [frame])
  return isFull
}

function toggleFull(frame: HTMLElement | null): void {
  const done = document.fullscreenElement ? document.exitFullscreen() : frame?.requestFullscreen()
  void done?.catch((error: unknown) => tell('bad', String(error)))
}

/** Consoles take every key, so there must be one that gives the keyboard back. */
function useLeaveKey(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = frame.current
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !event.ctrlKey || !event.altKey) return
      event.preventDefault()
      event.stopPropagation()
      element?.querySelector<HTMLElement>('button:not([disabled])')?.focus()
    }
    element?.addEventListener('keydown', onKey, true)
    return () => element?.removeEventListener('keydown', onKey, true)
  }, [frame])
}

/** Where this browser keeps the layout that guests have. */
const LAYOUT = 'croft.layout'

function readLayout(): Layout {
  const stored = readStored(LAYOUT)
  return LAYOUTS.find((layout) => layout === stored) ?? 'us'
}

/** One window for each console: a second press brings it to the front. */
function openWindow(namespace: string, name: string, kind: string): void {
  const query = kind === 'serial' ? '?kind=serial' : ''
  window.open(
    `/console/${namespace}/${name}${query}`,
    `console ${namespace}/${name} ${kind}`,
    'popup,width=1100,height=820',
  )
}

async function paste(controls: Controls | null, layout: Layout, whenEmpty: string): Promise<void> {
  const text = await navigator.clipboard.readText().catch(() => '')
  if (text === '') tell('bad', whenEmpty)
  else controls?.type(text, layout)
}
