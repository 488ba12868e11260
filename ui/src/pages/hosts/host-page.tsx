// One host: what it is, its conditions, disks, machines and load.
import { Link, useParams } from '@tanstack/react-router'
import { Ban, CircleCheck } from 'lucide-react'
import { Fragment, lazy, type ReactNode, Suspense } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { messageOf } from '../../data/api.ts'
import { isFine } from '../../data/conditions.ts'
import { HOSTS, type Host, INSTANCES, MACHINES, STORAGE_NODES } from '../../data/kinds.ts'
import { hostState, machineState } from '../../data/machine-state.ts'
import { bytesText, quantityText, timeText } from '../../data/measures.ts'
import { useMay } from '../../data/rights.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { Button } from '../../parts/button.tsx'
import { Meter } from '../../parts/meter.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { WhyPanel } from '../../parts/why-panel.tsx'
import { ObjectPage } from '../kit/object-page.tsx'
import type { KindPlace } from '../kit/places.ts'
import { addressOf, setCordon, useVirtualisation } from './host-facts.ts'

const HostLoad = lazy(async () => ({ default: (await import('./host-load.tsx')).HostLoad }))
const HOST_KIND: KindPlace<Host> = { ...HOSTS, kind: 'Node' }

export function HostPage() {
  const { t, language } = useWords()
  const { name } = useParams({ from: '/hosts/$name' })
  const objects = useObjects(HOSTS, { name })
  const may = useMay(undefined)
  const mayPatch = may({ verb: 'patch', group: '', resource: 'nodes', name })
  const cordon = (host: Host, isOff: boolean) =>
    void setCordon(host, isOff).then(
      () => tell('ok', t(isOff ? 'hosts.cordon.done' : 'hosts.uncordon.done', { name })),
      (error: unknown) => tell('bad', messageOf(error)),
    )
  return (
    <ObjectPage
      place={HOST_KIND}
      objects={objects}
      name={name}
      back={<Link to="/hosts">{t('page.hosts')}</Link>}
      shown={(host) => hostState(language, host)}
      actions={(host) => {
        const isOff = host.spec?.unschedulable === true
        return mayPatch ? (
          <Button onPress={() => cordon(host, !isOff)}>
            {isOff ? <CircleCheck className="icon" aria-hidden /> : <Ban className="icon" aria-hidden />}
            {t(isOff ? 'hosts.uncordon' : 'hosts.cordon')}
          </Button>
        ) : null
      }}
      why={(host) => (
        <WhyPanel
          question={{ kind: 'node', namespace: '', name, version: host.metadata.resourceVersion ?? '' }}
          shown={hostState(language, host)}
        />
      )}
      overview={(host) => <Overview host={host} />}
      more={() => [
        {
          id: 'load',
          title: t('machine.metrics'),
          content: (
            <Suspense fallback={<p className="muted">{t('app.loading')}</p>}>
              <HostLoad name={name} />
            </Suspense>
          ),
        },
      ]}
    />
  )
}

function Overview({ host }: { readonly host: Host }) {
  return (
    <div className="columns">
      <div className="stack">
        <Facts host={host} />
        <Disks host={host} />
      </div>
      <div className="stack">
        <Conditions host={host} />
        <Machines host={host} />
      </div>
    </div>
  )
}

function Facts({ host }: { readonly host: Host }) {
  const { t, language } = useWords()
  const virtualisation = useVirtualisation()(host)
  const { capacity = {}, nodeInfo } = host.status ?? {}
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      t('machine.size'),
      t('hosts.capacity', {
        cpus: String(capacity['cpu'] ?? '–'),
        memory: quantityText(language, capacity['memory']),
      }),
    ],
    [
      t('column.accelerator'),
      virtualisation.tone === 'ok' ? virtualisation.word : <StateMark key="v" shown={virtualisation} />,
    ],
    [
      t('column.address'),
      <span key="address" className="mono">
        {addressOf(host) || '–'}
      </span>,
    ],
    [t('column.version'), nodeInfo?.osImage ? `${nodeInfo.osImage} · ${nodeInfo.kernelVersion}` : '–'],
    [t('machine.created'), timeText(language, host.metadata.creationTimestamp)],
  ]
  return (
    <section className="card" aria-label={t('column.host')}>
      <header>
        <h2>{t('column.host')}</h2>
      </header>
      <div className="in">
        <dl className="facts">
          {facts.map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        </dl>
      </div>
    </section>
  )
}

function Disks({ host }: { readonly host: Host }) {
  const { t, language } = useWords()
  const { name = '' } = host.metadata
  const { list, liveness } = useObjects(STORAGE_NODES, { namespace: 'longhorn-system', name })
  const disks = Object.entries(list[0]?.status?.diskStatus ?? {})
  if (liveness === 'failed') return null
  return (
    <section className="card" aria-label={t('hosts.disks')}>
      <header>
        <h2>{t('hosts.disks')}</h2>
      </header>
      {disks.length === 0 ? (
        <p className="in muted">{t('hosts.noDisks')}</p>
      ) : (
        <table aria-label={t('hosts.disks')}>
          <tbody>
            {disks.map(([id, disk]) => {
              const total = Number(disk?.storageMaximum ?? 0)
              const used = total - Number(disk?.storageAvailable ?? 0)
              const ready = disk?.conditions?.find(({ type }) => type === 'Ready')
              const isReady = ready?.status === 'True'
              return (
                <tr key={id}>
                  <td>
                    <StateMark
                      shown={{
                        tone: isReady ? 'ok' : 'bad',
                        word: isReady ? t('hosts.ready') : (ready?.reason ?? t('state.unknown')),
                      }}
                    />
                  </td>
                  <th scope="row" className="plain">
                    {id}
                    <div className="mono muted small">{disk?.diskPath}</div>
                  </th>
                  <td className="num">
                    {t('hosts.diskUse', {
                      used: bytesText(language, used),
                      total: bytesText(language, total),
                    })}
                    <Meter value={total === 0 ? 0 : used / total} label={id} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Conditions({ host }: { readonly host: Host }) {
  const { t } = useWords()
  return (
    <section className="card" aria-label={t('machine.conditions')}>
      <header>
        <h2>{t('machine.conditions')}</h2>
      </header>
      <table aria-label={t('machine.conditions')}>
        <thead>
          <tr>
            <th scope="col">{t('column.condition')}</th>
            <th scope="col">{t('column.reason')}</th>
          </tr>
        </thead>
        <tbody>
          {(host.status?.conditions ?? []).map(({ type = '', status = '', reason, message }) => (
            <tr key={type}>
              <td>
                <StateMark
                  shown={{
                    tone: isFine(type, status) ? 'ok' : type === 'Ready' ? 'bad' : 'warn',
                    word: `${type}: ${status}`,
                  }}
                />
              </td>
              <td className="wrap small muted">{message || reason || ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The list of machines has them all. */
const MACHINES_SHOWN = 20

function Machines({ host }: { readonly host: Host }) {
  const { t, language } = useWords()
  const instances = useObjects(INSTANCES).list
  const { objects: machines } = useObjects(MACHINES)
  const here = instances.filter(({ status }) => status?.nodeName === host.metadata.name)
  return (
    <section className="card" aria-label={t('page.machines')}>
      <header>
        <h2>{t('page.machines')}</h2>
        <span className="push muted small">{here.length}</span>
      </header>
      {here.length === 0 ? (
        <p className="in muted">{t('hosts.noMachines')}</p>
      ) : (
        <table aria-label={t('page.machines')}>
          <tbody>
            {here.slice(0, MACHINES_SHOWN).map(({ metadata }) => {
              const { namespace = '', name = '' } = metadata
              const machine = machines.get(`${namespace}/${name}`)
              return (
                <tr key={metadata.uid}>
                  <td>{machine && <StateMark shown={machineState(language, machine)} />}</td>
                  <td>
                    <Link to="/machines/$namespace/$name" params={{ namespace, name }}>
                      <strong>{name}</strong>
                    </Link>
                  </td>
                  <td className="muted">{namespace}</td>
                  <td className="num muted">
                    <Age since={metadata.creationTimestamp} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}
