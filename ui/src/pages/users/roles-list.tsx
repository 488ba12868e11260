// Roles that people can be given: those of the cluster, without what only the server's own parts hold.
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { useWords } from '../../app/words.ts'
import { useObjects } from '../../data/use-objects.ts'
import type { Column } from '../../parts/data-table.tsx'
import { actionsColumn, ageColumn, nameColumn, textColumn } from '../kit/columns.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { type ClusterRole, ROLES } from '../kit/places.ts'
import { holdersOf, isBuiltIn } from './roles.ts'
import { useBindings } from './use-people.ts'

export function RolesList({ head }: { readonly head: ReactNode }) {
  const { t } = useWords()
  const roles = useObjects(ROLES)
  const bindings = useBindings()
  const [doomed, setDoomed] = useState<ClusterRole>()
  const list = useMemo(
    () => roles.list.filter(({ metadata }) => !metadata.name?.startsWith('system:')),
    [roles.list],
  )
  const columns = useMemo(
    (): readonly Column<ClusterRole>[] => [
      nameColumn(t, ({ metadata: { name = '' } }) => (
        <Link to="/roles/$name" params={{ name }}>
          <strong>{name}</strong>
        </Link>
      )),
      {
        id: 'rules',
        title: t('roles.rules'),
        isNumber: true,
        priority: 2,
        cell: ({ rules }) => rules?.length ?? 0,
        sortKey: ({ rules }) => rules?.length ?? 0,
      },
      textColumn('origin', t('roles.origin'), (role) => t(isBuiltIn(role) ? 'roles.builtIn' : 'roles.own'), {
        priority: 2,
      }),
      ageColumn(t),
      actionsColumn(t, (role) =>
        isBuiltIn(role) ? null : (
          <DeleteButton place={ROLES} object={role} isSquare onPress={() => setDoomed(role)} />
        ),
      ),
    ],
    [t],
  )
  return (
    <ObjectsPage
      id="roles"
      title={t('page.users')}
      objects={{ ...roles, list }}
      columns={columns}
      filterHint={t('kit.filterName')}
      note={head}
      empty={{ title: t('roles.empty'), next: t('roles.empty.next') }}
    >
      <DeleteDialog
        place={ROLES}
        object={doomed}
        note={t('roles.delete')}
        users={doomed ? holdersOf(doomed.metadata.name ?? '', bindings).map(({ name }) => name) : []}
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}
