// Hosts: what they have, how they are, how many machines they run, and on what.
import { Link } from '@tanstack/react-router'
import { Ban, CircleCheck } from 'lucide-react'
import { useMemo } from 'react'
import { useWords } from '../../app/words.ts'
import { HOSTS, type Host, INSTANCES } from '../../data/kinds.ts'
import { hostState } from '../../data/machine-state.ts'
import { quantityBytes, quantityText, timeText } from '../../data/measures.ts'
import { type Latest, useLatest } from '../../data/metrics.ts'
import { useMay } from '../../data/rights.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import type { BulkAction } from '../../parts/bulk-bar.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Meter } from '../../parts/meter.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addressOf, setCordon, useVirtualisation } from './host-facts.ts'

const keyOf = ({ metadata }: Host) => metadata.name ?? ''
const BY_NAME = { column: 'name', isDown: false } as const

export function HostsPage() {
  const { t } = useWords()
  const { list, liveness, failure } = useObjects(HOSTS)
  const columns = useColumns()
  const bulk = useBulk()
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('page.hosts')}</h1>
        {list.length > 0 && <span className="muted">{t('hosts.count', { count: list.length })}</span>}
      </div>
      <ListView
        id="hosts"
        label={t('page.hosts')}
        columns={columns}
        rows={list}
        keyOf={keyOf}
        nameOf={keyOf}
        liveness={liveness}
        failure={failure}
        filterHint={t('hosts.filterHint')}
        defaultSort={BY_NAME}
        bulk={bulk}
        empty={<strong>{t('hosts.empty')}</strong>}
      />
    </div>
  )
}

function useBulk(): readonly BulkAction<Host>[] {
  const { t } = useWords()
  const may = useMay(undefined)
  const mayPatch = may({ verb: 'patch', group: '', resource: 'nodes' })
  return useMemo(
    () =>
      mayPatch
        ? [
            {
              id: 'cordon',
              title: t('hosts.cordon'),
              icon: Ban,
              warning: t('hosts.cordon.what'),
              can: ({ spec }) => spec?.unschedulable !== true || t('hosts.cordoned'),
              does: (host) => setCordon(host, true),
            },
            {
              id: 'uncordon',
              title: t('hosts.uncordon'),
              icon: CircleCheck,
              can: ({ spec }) => spec?.unschedulable === true || t('hosts.ready'),
              does: (host) => setCordon(host, false),
            },
          ]
        : [],
    [t, mayPatch],
  )
}

function useColumns(): readonly Column<Host>[] {
  const { t, language } = useWords()
  const instances = useObjects(INSTANCES).list
  // Who may not see the hosts may not see their load either.
  const latest = useLatest('node', useObjects(HOSTS).list.length > 0)
  const virtualisation = useVirtualisation()
  return useMemo(() => {
    const running = new Map<string, number>()
    for (const { status } of instances)
      if (status?.nodeName) running.set(status.nodeName, (running.get(status.nodeName) ?? 0) + 1)
    const machines = ({ metadata }: Host) => running.get(metadata.name ?? '') ?? 0
    return [
      {
        id: 'state',
        title: t('column.state'),
        cell: (host) => <StateMark shown={hostState(language, host)} />,
        sortKey: (host) => hostState(language, host).word,
      },
      {
        id: 'name',
        title: t('column.name'),
        cell: ({ metadata }) => (
          <Link to="/hosts/$name" params={{ name: metadata.name ?? '' }}>
            <strong>{metadata.name}</strong>
          </Link>
        ),
        sortKey: keyOf,
      },
      {
        id: 'address',
        title: t('column.address'),
        priority: 2,
        cell: (host) => <span className="mono">{addressOf(host)}</span>,
        sortKey: addressOf,
      },
      {
        id: 'accelerator',
        title: t('column.accelerator'),
        priority: 3,
        cell: (host) => {
          const { tone, word } = virtualisation(host)
          return tone === 'ok' ? word : <StateMark shown={{ tone, word }} />
        },
        text: (host) => virtualisation(host).word,
      },
      {
        id: 'machines',
        title: t('column.machines'),
        isNumber: true,
        cell: machines,
        sortKey: machines,
      },
      {
        id: 'cpu',
        title: t('column.cpu'),
        isNumber: true,
        priority: 2,
        cell: (host) => (
          <Use
            label={t('column.cpu')}
            now={measured(latest, host, 'cpu')}
            all={Number(host.status?.capacity?.['cpu'] ?? 0)}
            text={String(host.status?.capacity?.['cpu'] ?? '–')}
          />
        ),
        sortKey: ({ status }) => Number(status?.capacity?.['cpu'] ?? 0),
      },
      {
        id: 'memory',
        title: t('column.memory'),
        isNumber: true,
        priority: 2,
        cell: (host) => (
          <Use
            label={t('column.memory')}
            now={measured(latest, host, 'memoryUsed')}
            all={quantityBytes(host.status?.capacity?.['memory'])}
            text={quantityText(language, host.status?.capacity?.['memory'])}
          />
        ),
        sortKey: ({ status }) => quantityBytes(status?.capacity?.['memory']),
        text: ({ status }) => quantityText(language, status?.capacity?.['memory']),
      },
      {
        id: 'age',
        title: t('column.age'),
        isNumber: true,
        priority: 3,
        cell: ({ metadata }) => <Age since={metadata.creationTimestamp} />,
        sortKey: ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
        text: ({ metadata }) => timeText(language, metadata.creationTimestamp),
      },
    ]
  }, [t, language, instances, latest, virtualisation])
}

function measured(latest: Latest | undefined, host: Host, name: string): number | undefined {
  return latest?.items.find((item) => item.name === host.metadata.name)?.values[name]
}

interface UseProps {
  readonly label: string
  readonly now: number | undefined
  readonly all: number
  readonly text: string
}

/** How much there is, and a bar of how much of it is in use now. */
function Use({ label, now, all, text }: UseProps) {
  return (
    <span className="use">
      {text}
      {now !== undefined && all > 0 && <Meter value={now / all} label={label} />}
    </span>
  )
}
