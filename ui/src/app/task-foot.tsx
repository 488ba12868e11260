// The foot of every page: what is being done, with its progress; a press opens all of it with what happened so far.
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronUp, RotateCw, Square, X } from 'lucide-react'
import { useState } from 'react'
import { HOSTS } from '../data/kinds.ts'
import { hostState, type Shown } from '../data/machine-state.ts'
import { useObjects } from '../data/use-objects.ts'
import { Button } from '../parts/button.tsx'
import { Meter } from '../parts/meter.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { useServerTasks } from './server-tasks.ts'
import { forgetTask, type Task, type TaskState, useOwnTasks } from './tasks.ts'
import { useWords } from './words.ts'

const TONES = { runs: 'busy', done: 'ok', failed: 'bad', stopped: 'off' } as const satisfies Record<
  TaskState,
  Shown['tone']
>

export function TaskFoot() {
  const { t } = useWords()
  const own = useOwnTasks()
  const server = useServerTasks()
  const [isOpen, setOpen] = useState(false)
  const tasks = [...own, ...server]
  const running = tasks.filter(({ state }) => state === 'runs')
  const shown = running.at(0) ?? own.at(-1)
  return (
    <section className="tasks" aria-label={t('tasks.title')}>
      {isOpen && (
        <ul className="task-list">
          {tasks.length === 0 && <li className="muted">{t('tasks.none')}</li>}
          {[...tasks].reverse().map((task) => (
            <TaskLine key={task.id} task={task} />
          ))}
        </ul>
      )}
      <div className="task-foot">
        <button type="button" className="task-open" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? <ChevronDown className="icon" aria-hidden /> : <ChevronUp className="icon" aria-hidden />}
          <strong>{t('tasks.title')}</strong>
        </button>
        <span role="status" className="task-now">
          {shown ? (
            <>
              <StateMark shown={{ tone: TONES[shown.state], word: shown.title }} />
              {shown.state === 'runs' && shown.progress !== undefined && (
                <Meter value={shown.progress} label={shown.title} />
              )}
              {running.length > 1 && (
                <span className="muted small">{t('list.andMore', { count: running.length - 1 })}</span>
              )}
            </>
          ) : (
            <span className="muted">{t('tasks.none')}</span>
          )}
        </span>
        <HostsInShort />
      </div>
    </section>
  )
}

function HostsInShort() {
  const { t, language } = useWords()
  const { list } = useObjects(HOSTS)
  if (list.length === 0) return null
  const bad = list.filter((host) => hostState(language, host).tone === 'bad').length
  return (
    <span className={`push small wide-only ${bad > 0 ? 'refusal' : 'muted'}`}>
      {t('hosts.count', { count: list.length })} ·{' '}
      {bad > 0 ? t('tasks.hostsBad', { count: bad }) : t('tasks.hostsFine')}
    </span>
  )
}

function TaskLine({ task }: { readonly task: Task }) {
  const { t } = useWords()
  const { id, title, state, progress, detail, log, cancel, resume, link } = task
  return (
    <li>
      <div className="task-line">
        <StateMark shown={{ tone: TONES[state], word: title }} />
        {state === 'runs' && progress !== undefined && <Meter value={progress} label={title} />}
        {detail && <span className="muted small">{detail}</span>}
        <span className="btns push">
          {link && <Link to={link as never}>{t('tasks.open')}</Link>}
          {state === 'runs' && cancel && (
            <Button
              kind="quiet"
              square
              label={t('tasks.stop')}
              longLabel={`${t('tasks.stop')}: ${title}`}
              onPress={cancel}
            >
              <Square className="icon" aria-hidden />
            </Button>
          )}
          {resume && state !== 'runs' && (
            <Button
              kind="quiet"
              square
              label={t('tasks.again')}
              longLabel={`${t('tasks.again')}: ${title}`}
              onPress={() => {
                forgetTask(id)
                resume()
              }}
            >
              <RotateCw className="icon" aria-hidden />
            </Button>
          )}
          {state !== 'runs' && (
            <Button
              kind="quiet"
              square
              label={t('app.dismiss')}
              longLabel={`${t('app.dismiss')}: ${title}`}
              onPress={() => forgetTask(id)}
            >
              <X className="icon" aria-hidden />
            </Button>
          )}
        </span>
      </div>
      {log.length > 0 && (
        <details>
          <summary>{t('tasks.log')}</summary>
          <ol className="task-log">
            {log.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines only grow at the end
              <li key={index}>{line}</li>
            ))}
          </ol>
        </details>
      )}
    </li>
  )
}
