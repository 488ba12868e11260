// Public SSH keys that can be put into machines by name.
import { Link } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { useObjects } from '../../data/use-objects.ts'
import type { Column } from '../../parts/data-table.tsx'
import { actionsColumn, ageColumn, nameColumn, projectColumn } from '../kit/columns.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { useHomeProject } from '../kit/name-fields.tsx'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { KEYS, type KeyPair } from '../kit/places.ts'
import { KeyForm } from './key-form.tsx'
import { useKeyUsers } from './use-key-users.ts'

export function KeysPage() {
  const { t } = useWords()
  const project = useProject()
  const keys = useObjects(KEYS, { namespace: project })
  const usersOf = useKeyUsers(project)
  const mayCreate = useMay({ verb: 'create', place: KEYS, namespace: useHomeProject() })
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<KeyPair>()
  const create = useCallback(() => setCreating(true), [])
  const columns = useMemo(
    (): readonly Column<KeyPair>[] => [
      nameColumn(t, ({ metadata: { namespace = '', name = '' } }) => (
        <Link to="/keys/$namespace/$name" params={{ namespace, name }}>
          <strong>{name}</strong>
        </Link>
      )),
      projectColumn(t),
      {
        id: 'fingerprint',
        title: t('keys.fingerprint'),
        priority: 2,
        cell: ({ status }) => <span className="mono">{status?.fingerPrint ?? '–'}</span>,
        sortKey: ({ status }) => status?.fingerPrint ?? '',
      },
      ageColumn(t),
      actionsColumn(t, (key) => (
        <DeleteButton place={KEYS} object={key} isSquare onPress={() => setDoomed(key)} />
      )),
    ],
    [t],
  )
  return (
    <ObjectsPage
      id="keys"
      title={t('page.keys')}
      objects={keys}
      columns={columns}
      filterHint={t('kit.filterName')}
      empty={{ title: t('keys.empty'), next: t('keys.empty.next') }}
      create={mayCreate ? { label: t('keys.create'), onPress: create } : undefined}
    >
      <KeyForm isOpen={creating} onClose={() => setCreating(false)} />
      <DeleteDialog
        place={KEYS}
        object={doomed}
        note={t('keys.delete')}
        users={doomed ? usersOf(doomed) : []}
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}
