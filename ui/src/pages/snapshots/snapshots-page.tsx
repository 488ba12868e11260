// Snapshots of volumes.
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { quantityText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import type { Column } from '../../parts/data-table.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { ageColumn, projectColumn } from '../kit/columns.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { useServed } from '../kit/served.ts'
import { SNAPSHOTS, type Snapshot, snapshotState } from './snapshot-kind.ts'

export function SnapshotsPage() {
  const { t } = useWords()
  const project = useProject()
  const served = useServed(SNAPSHOTS)
  const snapshots = useObjects(SNAPSHOTS, { namespace: project, skip: served !== true })
  const [doomed, setDoomed] = useState<Snapshot>()
  const columns = useColumns(setDoomed)
  if (served === false)
    return (
      <div className="page">
        <h1>{t('page.snapshots')}</h1>
        <p className="card empty">{t('snapshots.notServed')}</p>
      </div>
    )
  return (
    <ObjectsPage
      id="snapshots"
      title={t('page.snapshots')}
      objects={snapshots}
      columns={columns}
      filterHint={t('kit.filterName')}
      empty={{ title: t('snapshots.empty'), next: t('snapshots.empty.next') }}
    >
      <DeleteDialog
        place={SNAPSHOTS}
        object={doomed}
        note={t('snapshots.delete')}
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}

function useColumns(onDelete: (snapshot: Snapshot) => void): readonly Column<Snapshot>[] {
  const { t, language } = useWords()
  return useMemo(
    () => [
      {
        id: 'state',
        title: t('column.state'),
        cell: (snapshot) => <StateMark shown={snapshotState(language, snapshot)} />,
        sortKey: (snapshot) => snapshotState(language, snapshot).word,
      },
      {
        id: 'name',
        title: t('column.name'),
        cell: ({ metadata: { namespace = '', name = '' } }) => (
          <Link to="/snapshots/$namespace/$name" params={{ namespace, name }}>
            <strong>{name}</strong>
          </Link>
        ),
        sortKey: ({ metadata }) => metadata.name ?? '',
      },
      projectColumn(t),
      {
        id: 'of',
        title: t('snapshots.of'),
        priority: 2,
        cell: ({ metadata, spec }) => (
          <Link
            to="/volumes/$namespace/$name"
            params={{
              namespace: metadata.namespace ?? '',
              name: spec?.source?.persistentVolumeClaimName ?? '',
            }}
          >
            {spec?.source?.persistentVolumeClaimName}
          </Link>
        ),
        sortKey: ({ spec }) => spec?.source?.persistentVolumeClaimName ?? '',
      },
      {
        id: 'size',
        title: t('column.size'),
        priority: 2,
        isNumber: true,
        cell: ({ status }) => quantityText(language, status?.restoreSize),
        sortKey: ({ status }) => status?.restoreSize ?? '',
      },
      ageColumn(t),
      {
        id: 'actions',
        title: t('column.actions'),
        isNumber: true,
        cell: (snapshot) => (
          <DeleteButton place={SNAPSHOTS} object={snapshot} isSquare onPress={() => onDelete(snapshot)} />
        ),
      },
    ],
    [t, language, onDelete],
  )
}
