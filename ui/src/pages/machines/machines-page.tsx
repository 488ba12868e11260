// The list of virtual machines: live, filtered by the address, with what can be done to each and to many.
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { MACHINES } from '../../data/kinds.ts'
import { needsAttention } from '../../data/machine-state.ts'
import { useMay } from '../../data/rights.ts'
import { useObjects } from '../../data/use-objects.ts'
import { isTyping } from '../../parts/filter-field.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { useBulkActions } from './bulk-actions.ts'
import { useMachineColumns } from './machine-columns.tsx'
import { type MachineRow, useMachineRows } from './machine-rows.ts'

const keyOf = ({ key }: MachineRow) => key
const nameOf = ({ name }: MachineRow) => name
const BY_NAME = { column: 'name', isDown: false } as const

export function MachinesPage() {
  const { t } = useWords()
  const project = useProject()
  const may = useMay(project)
  const { liveness, failure } = useObjects(MACHINES, { namespace: project })
  const rows = useMachineRows(project)
  const columns = useMachineColumns()
  const bulk = useBulkActions()
  const running = useMemo(
    () => rows.filter(({ machine }) => machine.status?.printableStatus === 'Running').length,
    [rows],
  )
  const needy = useMemo(() => rows.filter((row) => needsAttention(row.shown)).length, [rows])
  const views = useMemo(
    () => [
      { id: 'needy', title: t('machines.view.needy'), q: 'attention:yes' },
      { id: 'running', title: t('machines.view.running'), q: `state:${t('machines.view.running')}` },
    ],
    [t],
  )
  const mayCreate = may({ verb: 'create', group: 'kubevirt.io', resource: 'virtualmachines' })
  useCreateKey(mayCreate)
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
        {mayCreate && (
          <Link to="/machines/create" className="btn primary push">
            <Plus className="icon" aria-hidden />
            {t('machines.create')}
            <kbd aria-hidden>c</kbd>
          </Link>
        )}
      </div>
      <ListView
        id="machines"
        label={t('machines.table')}
        columns={columns}
        rows={rows}
        keyOf={keyOf}
        nameOf={nameOf}
        liveness={liveness}
        failure={failure}
        filterHint={t('machines.filterHint')}
        defaultSort={BY_NAME}
        views={views}
        bulk={bulk}
        empty={<Nothing mayCreate={mayCreate} />}
      />
    </div>
  )
}

function useCreateKey(mayCreate: boolean): void {
  const navigate = useNavigate()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isOther = event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)
      if (event.key !== 'c' || isOther || !mayCreate) return
      event.preventDefault()
      void navigate({ to: '/machines/create' })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, mayCreate])
}

function Nothing({ mayCreate }: { readonly mayCreate: boolean }) {
  const { t } = useWords()
  return (
    <>
      <strong>{t('machines.empty')}</strong>
      {mayCreate && <p>{t('machines.empty.next')}</p>}
      {mayCreate && (
        <Link to="/machines/create" className="btn primary">
          {t('machines.create')}
        </Link>
      )}
    </>
  )
}
