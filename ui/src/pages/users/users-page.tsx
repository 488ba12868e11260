// People who log in, and the roles that say what they may do.
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { useSession } from '../../app/session-gate.tsx'
import { useWords } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { Segments } from '../../parts/tiles.tsx'
import { actionsColumn, ageColumn, nameColumn, textColumn } from '../kit/columns.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { SECRETS, type Secret, SYSTEM_NAMESPACE } from '../kit/places.ts'
import { DeleteUser } from './delete-user.tsx'
import { isAdmin, type Person, personOf, rightsOf } from './people.ts'
import { RolesList } from './roles-list.tsx'
import { usePeople } from './use-people.ts'
import { UserForm } from './user-form.tsx'

export function UsersPage() {
  const { kind = 'users' } = useSearch({ from: '/users' })
  return kind === 'roles' ? <RolesList head={<Choice chosen="roles" />} /> : <Users />
}

function Choice({ chosen }: { readonly chosen: 'users' | 'roles' }) {
  const { t } = useWords()
  const navigate = useNavigate()
  return (
    <div>
      <Segments
        label={t('users.which')}
        chosen={chosen}
        onChoose={(id) => void navigate({ to: '/users', search: id === 'roles' ? { kind: 'roles' } : {} })}
        tiles={[
          { id: 'users', title: t('users.users'), what: '' },
          { id: 'roles', title: t('users.roles'), what: '' },
        ]}
      />
    </div>
  )
}

function Users() {
  const { t } = useWords()
  const { may, secrets, bindings } = usePeople()
  const mayCreate = useMay({ verb: 'create', place: SECRETS, namespace: SYSTEM_NAMESPACE })
  const mayDelete = useMay({ verb: 'delete', place: SECRETS, namespace: SYSTEM_NAMESPACE })
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<Person>()
  const create = useCallback(() => setCreating(true), [])
  const rightsFor = useCallback((person: Person) => rightsOf(person, bindings), [bindings])
  const columns = useColumns(rightsFor, mayDelete ? setDoomed : undefined)
  if (may === false)
    return (
      <div className="page">
        <h1>{t('page.users')}</h1>
        <p className="card empty">{t('users.noRight')}</p>
      </div>
    )
  return (
    <ObjectsPage
      id="users"
      title={t('page.users')}
      objects={secrets}
      columns={columns}
      filterHint={t('kit.filterName')}
      note={<Choice chosen="users" />}
      empty={{ title: t('users.empty'), next: t('users.empty.next') }}
      create={mayCreate ? { label: t('users.create'), onPress: create } : undefined}
    >
      <UserForm isOpen={creating} onClose={() => setCreating(false)} />
      <DeleteUser
        person={doomed}
        rights={doomed ? rightsFor(doomed) : []}
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}

function useColumns(
  rightsFor: (person: Person) => ReturnType<typeof rightsOf>,
  onDelete: ((person: Person) => void) | undefined,
): readonly Column<Secret>[] {
  const { t } = useWords()
  const { session } = useSession()
  return useMemo(() => {
    const mayText = (secret: Secret) => {
      const person = personOf(secret)
      const rights = rightsFor(person)
      if (isAdmin(person, rights)) return t('users.may.admin')
      if (rights.some(({ namespace }) => namespace === undefined)) return t('users.everywhere')
      const projects = new Set(rights.map(({ namespace }) => namespace))
      return projects.size === 0 ? t('users.may.nothing') : t('users.may.projects', { count: projects.size })
    }
    const columns: readonly (Column<Secret> | false)[] = [
      {
        ...nameColumn<Secret>(t, (secret) => {
          const { name } = personOf(secret)
          return (
            <Link to="/users/$name" params={{ name }}>
              <strong>{name}</strong>
            </Link>
          )
        }),
        sortKey: (secret) => personOf(secret).name,
      },
      textColumn('may', t('users.may'), mayText),
      textColumn('groups', t('users.groups'), (secret) => personOf(secret).groups.join(', '), {
        priority: 2,
        wraps: true,
      }),
      {
        id: 'password',
        title: t('users.password.state'),
        priority: 3,
        cell: (secret) =>
          personOf(secret).mustChangePassword ? (
            <StateMark shown={{ tone: 'warn', word: t('users.password.first') }} />
          ) : (
            t('users.password.own')
          ),
        sortKey: (secret) => String(personOf(secret).mustChangePassword),
      },
      ageColumn(t),
      onDelete !== undefined &&
        actionsColumn(t, (secret) => {
          const person = personOf(secret)
          if (person.name === session.username) return <span className="muted">{t('users.self')}</span>
          return (
            <Button
              square
              kind="quiet"
              label={t('delete.do')}
              longLabel={t('action.of', { action: t('delete.do'), name: person.name })}
              onPress={() => onDelete(person)}
            >
              <Trash2 className="icon" aria-hidden />
            </Button>
          )
        }),
    ]
    return columns.filter((column) => column !== false)
  }, [t, rightsFor, session.username, onDelete])
}
