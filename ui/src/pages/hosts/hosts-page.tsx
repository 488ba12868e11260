// Hosts: what they have, how they are, and whether their machines run on hardware or in emulation.
import { useMemo } from 'react'
import { useWords } from '../../app/words.ts'
import { isFine } from '../../data/conditions.ts'
import { HOSTS, type Host, INSTANCES } from '../../data/kinds.ts'
import { hostState } from '../../data/machine-state.ts'
import { quantityText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { LiveMark } from '../../parts/live-mark.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { StateMark } from '../../parts/state-mark.tsx'

export function HostsPage() {
  const { t } = useWords()
  const { list, liveness, failure } = useObjects(HOSTS)
  const instances = useObjects(INSTANCES)
  const running = useMemo(() => {
    const counts = new Map<string, number>()
    for (const { status } of instances.list)
      if (status?.nodeName && status.phase === 'Running')
        counts.set(status.nodeName, (counts.get(status.nodeName) ?? 0) + 1)
    return counts
  }, [instances.list])
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('page.hosts')}</h1>
        {list.length > 0 && <span className="muted">{t('hosts.count', { count: list.length })}</span>}
        <span className="push" />
        <LiveMark liveness={liveness} />
      </div>
      {failure && liveness === 'failed' && <Refusal failure={failure} />}
      {list.length === 0 && liveness === 'live' && <p className="card empty">{t('hosts.empty')}</p>}
      {list.map((host) => (
        <HostCard key={host.metadata.uid} host={host} machines={running.get(host.metadata.name ?? '') ?? 0} />
      ))}
    </div>
  )
}

/** The label by which the agent tells what runs its guests. */
const ACCELERATOR = 'croft.io/accelerator'

function HostCard({ host, machines }: { readonly host: Host; readonly machines: number }) {
  const { t, language } = useWords()
  const { name = '', labels = {}, creationTimestamp } = host.metadata
  const { conditions = [], capacity = {}, addresses = [], nodeInfo } = host.status ?? {}
  const accelerator = labels[ACCELERATOR]
  const virtualisation =
    accelerator === undefined
      ? t('hosts.unknown')
      : accelerator === 'tcg'
        ? t('hosts.emulation')
        : t('hosts.hardware', { name: accelerator.toUpperCase() })
  return (
    <section className="card" aria-label={name}>
      <header>
        <h2 className="host-name">{name}</h2>
        <StateMark shown={hostState(language, host)} />
      </header>
      <div className="columns host">
        <div className="in">
          <dl className="facts">
            <dt>{t('machine.size')}</dt>
            <dd>
              {t('hosts.capacity', {
                cpus: String(capacity['cpu'] ?? '–'),
                memory: quantityText(language, capacity['memory']),
              })}
            </dd>
            <dt>{t('column.accelerator')}</dt>
            <dd>
              {accelerator === 'tcg' ? (
                <StateMark shown={{ tone: 'warn', word: virtualisation }} />
              ) : (
                virtualisation
              )}
            </dd>
            <dt>{t('column.machines')}</dt>
            <dd>{machines}</dd>
            <dt>{t('column.address')}</dt>
            <dd className="mono">{addresses.find(({ type }) => type === 'InternalIP')?.address ?? '–'}</dd>
            <dt>{t('column.version')}</dt>
            <dd>{nodeInfo?.osImage ? `${nodeInfo.osImage} · ${nodeInfo.kernelVersion}` : '–'}</dd>
            <dt>{t('machine.created')}</dt>
            <dd>
              <Age since={creationTimestamp} />
            </dd>
          </dl>
        </div>
        <table aria-label={t('machine.conditions')}>
          <thead>
            <tr>
              <th scope="col">{t('column.condition')}</th>
              <th scope="col">{t('column.reason')}</th>
            </tr>
          </thead>
          <tbody>
            {conditions.map(({ type = '', status = '', reason, message }) => {
              const tone = isFine(type, status) ? 'ok' : type === 'Ready' ? 'bad' : 'warn'
              return (
                <tr key={type}>
                  <td>
                    <StateMark shown={{ tone, word: `${type}: ${status}` }} />
                  </td>
                  <td className="wrap small muted">{message || reason || ''}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}
