// A machine at a glance: what it is, its disks, its conditions and what happened lately.
import type { ReactNode } from 'react'
import { Fragment, useState } from 'react'
import { useWords } from '../../app/words.ts'
import { isFine } from '../../data/conditions.ts'
import type { Instance, Machine } from '../../data/kinds.ts'
import { bytesText, cpusOf, memoryOf, timeText } from '../../data/measures.ts'
import { useMay } from '../../data/rights.ts'
import { Age } from '../../parts/age.tsx'
import { Button } from '../../parts/button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { EditMachine } from './edit-machine.tsx'
import { Lately } from './lately.tsx'
import { DESCRIPTION } from './machine-edit.ts'
import { useMachine } from './use-machine.ts'

export function Overview() {
  const { machine, instance } = useMachine()
  if (!machine) return null
  return (
    <div className="columns">
      <div className="stack">
        <Facts machine={machine} instance={instance} />
        <Disks machine={machine} />
      </div>
      <div className="stack">
        <Conditions machine={machine} instance={instance} />
        <Lately shownMax={8} />
      </div>
    </div>
  )
}

interface Both {
  readonly machine: Machine
  readonly instance: Instance | undefined
}

function Facts({ machine, instance }: Both) {
  const { t, language } = useWords()
  const [editing, setEditing] = useState(false)
  const may = useMay(machine.metadata.namespace)
  const mayEdit = may({ verb: 'patch', group: 'kubevirt.io', resource: 'virtualmachines' })
  const {
    interfaces = [],
    guestOSInfo,
    conditions = [],
    phaseTransitionTimestamps = [],
  } = instance?.status ?? {}
  const addresses = interfaces.flatMap(
    ({ ipAddress, ipAddresses }) => ipAddresses ?? (ipAddress ? [ipAddress] : []),
  )
  const agent = conditions.some(({ type, status }) => type === 'AgentConnected' && status === 'True')
  const strategy = machine.spec.runStrategy ?? (machine.spec.running ? 'Always' : 'Halted')
  const since = phaseTransitionTimestamps.find(({ phase }) => phase === 'Running')?.phaseTransitionTimestamp
  const description = machine.metadata.annotations?.[DESCRIPTION] ?? ''
  const needsRestart = machine.status?.conditions?.some(
    ({ type, status }) => type === 'RestartRequired' && status === 'True',
  )
  const facts: readonly (readonly [string, ReactNode])[] = [
    ...(description === '' ? [] : [[t('edit.description'), description] as const]),
    [
      t('machine.size'),
      <span key="size">
        {t('machine.sizeValue', { cpus: cpusOf(machine), memory: bytesText(language, memoryOf(machine)) })}{' '}
        {needsRestart && <span className="tag">{t('edit.needsRestart')}</span>}
      </span>,
    ],
    [
      t('machine.address'),
      <span key="address" className="mono">
        {[...new Set(addresses)].join(' · ') || '–'}
      </span>,
    ],
    [t('machine.host'), instance?.status?.nodeName ?? '–'],
    [
      t('machine.guest'),
      instance
        ? `${guestOSInfo?.prettyName ? `${guestOSInfo.prettyName} · ` : ''}${t(agent ? 'machine.guest.agent' : 'machine.guest.noAgent')}`
        : '–',
    ],
    [t('machine.runs'), isKnownStrategy(strategy) ? t(`machine.runs.${strategy}`) : strategy],
    [
      t('machine.up'),
      instance?.status?.phase === 'Running' ? (
        <Age key="up" since={since ?? instance.metadata.creationTimestamp} />
      ) : (
        '–'
      ),
    ],
    [t('machine.created'), timeText(language, machine.metadata.creationTimestamp)],
  ]
  return (
    <section className="card" aria-label={t('machine.facts')}>
      <header>
        <h2>{t('machine.facts')}</h2>
        <span className="push" />
        {mayEdit && !editing && (
          <Button kind="quiet" onPress={() => setEditing(true)}>
            {t('edit.edit')}
          </Button>
        )}
      </header>
      {editing && (
        <EditMachine machine={machine} isRunning={instance !== undefined} onEnd={() => setEditing(false)} />
      )}
      <div className="in" hidden={editing}>
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

const STRATEGIES = ['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once'] as const

function isKnownStrategy(word: string): word is (typeof STRATEGIES)[number] {
  return (STRATEGIES as readonly string[]).includes(word)
}

function Disks({ machine }: { readonly machine: Machine }) {
  const { t } = useWords()
  const volumes = machine.spec.template.spec?.volumes ?? []
  return (
    <section className="card" aria-label={t('machine.disks')}>
      <header>
        <h2>{t('machine.disks')}</h2>
      </header>
      {volumes.length === 0 ? (
        <p className="in muted">{t('machine.noDisks')}</p>
      ) : (
        <table aria-label={t('machine.disks')}>
          <tbody>
            {volumes.map((volume) => {
              const claim = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
              const isCloudInit = volume.cloudInitNoCloud || volume.cloudInitConfigDrive
              return (
                <tr key={volume.name}>
                  <th scope="row" className="plain">
                    {volume.name}
                  </th>
                  <td className="muted">
                    {t(
                      claim
                        ? 'machine.disk.claim'
                        : isCloudInit
                          ? 'machine.disk.cloudInit'
                          : 'machine.disk.other',
                    )}
                  </td>
                  <td className="mono wrap">{claim ?? ''}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Conditions({ machine, instance }: Both) {
  const { t } = useWords()
  const own = machine.status?.conditions ?? []
  const more = (instance?.status?.conditions ?? []).filter(({ type }) =>
    own.every((one) => one.type !== type),
  )
  const conditions = [...own, ...more]
  return (
    <section className="card" aria-label={t('machine.conditions')}>
      <header>
        <h2>{t('machine.conditions')}</h2>
      </header>
      {conditions.length === 0 ? (
        <p className="in muted">{t('machine.noConditions')}</p>
      ) : (
        <table aria-label={t('machine.conditions')}>
          <thead>
            <tr>
              <th scope="col">{t('column.condition')}</th>
              <th scope="col">{t('column.reason')}</th>
              <th scope="col" className="num">
                {t('column.since')}
              </th>
            </tr>
          </thead>
          <tbody>
            {conditions.map(({ type, status, reason, message, lastTransitionTime }) => {
              const fine = isFine(type, status)
              return (
                <tr key={type}>
                  <td>
                    <StateMark
                      shown={{
                        tone: fine === undefined ? 'warn' : fine ? 'ok' : 'off',
                        word: `${type}: ${status}`,
                      }}
                    />
                  </td>
                  <td className="wrap small">{message || reason || ''}</td>
                  <td className="num muted">
                    <Age since={lastTransitionTime} />
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
