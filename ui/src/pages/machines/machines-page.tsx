// The list of virtual machines: live, filtered by the address, with what can be done to each.
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo } from 'react'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { INSTANCES, type Instance, MACHINES, type Machine } from '../../data/kinds.ts'
import { machineState, needsAttention, type Shown } from '../../data/machine-state.ts'
import { bytesText, cpusOf, memoryOf } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { FilterField, isTyping } from '../../parts/filter-field.tsx'
import { LiveMark } from '../../parts/live-mark.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { RowActions } from './machine-buttons.tsx'

interface Row {
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly machine: Machine
  readonly instance: Instance | undefined
  readonly shown: Shown
  readonly host: string
  readonly address: string
}

export function MachinesPage() {
  const { t } = useWords()
  const navigate = useNavigate()
  const project = useProject()
  const { q = '' } = useSearch({ from: '/machines' })
  const machines = useObjects(MACHINES, { namespace: project })
  const rows = useRows(project)
  const columns = useColumns()
  const filter = useDeferredValue(q)
  const shown = useMemo(() => rows.filter((row) => matches(row, filter)), [rows, filter])
  const running = rows.filter(({ machine }) => machine.status?.printableStatus === 'Running').length
  const needy = rows.filter((row) => needsAttention(row.shown)).length

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'c' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      event.preventDefault()
      void navigate({ to: '/machines/create' })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])

  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('page.machines')}</h1>
        {rows.length > 0 && (
          <span className="muted">
            {t('machines.count', { count: rows.length, running })}
            {needy > 0 && ` · ${t('machines.needYou', { count: needy })}`}
          </span>
        )}
        <Link to="/machines/create" className="btn primary push">
          <Plus className="icon" aria-hidden />
          {t('machines.create')}
          <kbd aria-hidden>c</kbd>
        </Link>
      </div>
      <div className="card stretch">
        <header>
          <FilterField
            value={q}
            hint={t('machines.filterHint')}
            onValue={(value) =>
              void navigate({
                to: '/machines',
                search: (old) => ({ ...old, q: value === '' ? undefined : value }) as never,
                replace: true,
              })
            }
          />
          <span className="push" />
          <LiveMark liveness={machines.liveness} />
        </header>
        {machines.failure && machines.liveness === 'failed' && <Refusal failure={machines.failure} />}
        {shown.length > 0 && (
          <DataTable label={t('machines.table')} columns={columns} rows={shown} keyOf={({ key }) => key} />
        )}
        {shown.length === 0 && machines.liveness !== 'loading' && machines.liveness !== 'failed' && (
          <Nothing filter={q} />
        )}
      </div>
    </div>
  )
}

function Nothing({ filter }: { readonly filter: string }) {
  const { t } = useWords()
  if (filter !== '') return <p className="empty">{t('app.noMatch', { filter })}</p>
  return (
    <div className="empty">
      <strong>{t('machines.empty')}</strong>
      <p>{t('machines.empty.next')}</p>
      <Link to="/machines/create" className="btn">
        {t('create.title')}
      </Link>
    </div>
  )
}

function useRows(project: string | undefined): readonly Row[] {
  const { language } = useWords()
  const { list } = useObjects(MACHINES, { namespace: project })
  const { objects: instances } = useObjects(INSTANCES, { namespace: project })
  return useMemo(
    () =>
      list
        .map((machine): Row => {
          const { namespace = '', name = '' } = machine.metadata
          const key = `${namespace}/${name}`
          const instance = instances.get(key)
          return {
            key,
            namespace,
            name,
            machine,
            instance,
            shown: machineState(language, machine),
            host: instance?.status?.nodeName ?? '',
            address: instance?.status?.interfaces?.find(({ ipAddress }) => ipAddress)?.ipAddress ?? '',
          }
        })
        .sort((a, b) => a.name.localeCompare(b.name) || a.namespace.localeCompare(b.namespace)),
    [list, instances, language],
  )
}

/** Every word of the filter must be found somewhere. */
function matches({ name, namespace, host, address, shown }: Row, filter: string): boolean {
  const text = `${name} ${namespace} ${host} ${address} ${shown.word}`.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function useColumns(): readonly Column<Row>[] {
  const { t, language } = useWords()
  return useMemo(
    () => [
      { id: 'state', title: t('column.state'), cell: ({ shown }) => <StateMark shown={shown} /> },
      {
        id: 'name',
        title: t('column.name'),
        cell: ({ namespace, name }) => (
          <Link to="/machines/$namespace/$name" params={{ namespace, name }}>
            <strong>{name}</strong>
          </Link>
        ),
      },
      {
        id: 'project',
        title: t('column.project'),
        priority: 3,
        cell: ({ namespace }) => <span className="muted">{namespace}</span>,
      },
      { id: 'host', title: t('column.host'), priority: 3, cell: ({ host }) => host || '–' },
      {
        id: 'address',
        title: t('column.address'),
        priority: 2,
        cell: ({ address }) => <span className="mono">{address || '–'}</span>,
      },
      {
        id: 'cpu',
        title: t('column.cpu'),
        priority: 2,
        isNumber: true,
        cell: ({ machine }) => cpusOf(machine),
      },
      {
        id: 'memory',
        title: t('column.memory'),
        priority: 2,
        isNumber: true,
        cell: ({ machine }) => bytesText(language, memoryOf(machine)),
      },
      {
        id: 'age',
        title: t('column.age'),
        priority: 3,
        isNumber: true,
        cell: ({ machine }) => <Age since={machine.metadata.creationTimestamp} />,
      },
      {
        id: 'actions',
        title: t('column.actions'),
        isNumber: true,
        cell: ({ machine, instance }) => <RowActions machine={machine} instance={instance} />,
      },
    ],
    [t, language],
  )
}
