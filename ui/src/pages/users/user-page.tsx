// One user: what they may do and where, and a new password for whoever forgot theirs.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { tell } from '../../app/messages.ts'
import { isSystemNamespace, useProjects } from '../../app/project.ts'
import { useSession } from '../../app/session-gate.tsx'
import { useWords } from '../../app/words.ts'
import { call, messageOf } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { timeText } from '../../data/measures.ts'
import { Button } from '../../parts/button.tsx'
import { ChoiceField } from '../kit/choice-field.tsx'
import { Card, Facts, SmallTable } from '../kit/facts.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { useHomeProject } from '../kit/name-fields.tsx'
import { ROLE_BINDINGS, SECRETS, SYSTEM_NAMESPACE } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import { bindingFor, type MemberRole } from '../projects/members.ts'
import { RoleTiles, RoleWord } from '../projects/members-card.tsx'
import { DeleteUser, removeRight } from './delete-user.tsx'
import { isAdmin, type Person, personOf, type Right, rightsOf } from './people.ts'
import { usePeople } from './use-people.ts'
import { UserForm } from './user-form.tsx'

export function UserPage() {
  const { t, language } = useWords()
  const { name } = useParams({ from: '/users/$name' })
  const { may, secrets, bindings } = usePeople()
  const person = secrets.list.map(personOf).find((one) => one.name === name)
  if (!person) {
    if (may !== false && secrets.liveness === 'loading') return <p className="muted">{t('app.loading')}</p>
    return (
      <div className="empty">
        <h1>{may === false ? t('users.noRight') : t('kit.notFound', { name })}</h1>
        <Link to="/users">{t('kit.backToList')}</Link>
      </div>
    )
  }
  const rights = rightsOf(person, bindings)
  return (
    <div className="page">
      <div className="page-head">
        <h1>{name}</h1>
        {isAdmin(person, rights) && <span className="muted">{t('users.may.admin')}</span>}
        <span className="btns push">
          <Actions person={person} rights={rights} />
        </span>
      </div>
      <div className="columns">
        <Facts
          title={t('users.facts')}
          facts={[
            [t('users.groups'), person.groups.join(', ') || '–'],
            [
              t('users.password.state'),
              t(person.mustChangePassword ? 'users.password.first' : 'users.password.own'),
            ],
            [t('machine.created'), timeText(language, person.secret.metadata.creationTimestamp)],
          ]}
        />
        <Rights person={person} rights={rights} />
      </div>
    </div>
  )
}

interface PersonProps {
  readonly person: Person
  readonly rights: readonly Right[]
}

function Actions({ person, rights }: PersonProps) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { session } = useSession()
  const mayReset = useMay({ verb: 'update', place: SECRETS, namespace: SYSTEM_NAMESPACE })
  const mayDelete = useMay({ verb: 'delete', place: SECRETS, namespace: SYSTEM_NAMESPACE })
  const [open, setOpen] = useState<'reset' | 'delete'>()
  const isSelf = person.name === session.username
  if (isSelf) return <span className="muted">{t('users.self')}</span>
  return (
    <>
      {mayReset && <Button onPress={() => setOpen('reset')}>{t('users.reset')}</Button>}
      {mayDelete && (
        <Button onPress={() => setOpen('delete')}>
          <Trash2 className="icon" aria-hidden />
          {t('action.delete')}
        </Button>
      )}
      <UserForm isOpen={open === 'reset'} old={person} onClose={() => setOpen(undefined)} />
      <DeleteUser
        person={open === 'delete' ? person : undefined}
        rights={rights}
        onClose={() => setOpen(undefined)}
        onDeleted={() => void navigate({ to: '/users' })}
      />
    </>
  )
}

function Rights({ person, rights }: PersonProps) {
  const { t } = useWords()
  const { name } = person
  const mayAdd = useMay({ verb: 'create', place: ROLE_BINDINGS })
  const mayRemove = useMay({ verb: 'delete', place: ROLE_BINDINGS })
  const [adding, setAdding] = useState(false)
  const remove = (right: Right) =>
    removeRight(name, right).then(
      () => tell('ok', t('kit.saved', { name })),
      (error: unknown) => tell('bad', messageOf(error)),
    )
  return (
    <Card
      title={t('users.rights')}
      end={mayAdd && <Button onPress={() => setAdding(true)}>{t('users.addToProject')}</Button>}
    >
      <SmallTable
        label={t('users.rights')}
        titles={[t('members.role'), t('users.where'), ...(mayRemove ? [t('column.actions')] : [])]}
        empty={t('users.noRights', { name })}
        rows={rights.map((right) => ({
          key: right.binding.metadata.uid ?? '',
          cells: [
            <RoleWord key="role" role={right.role} />,
            <span key="where">
              {right.namespace === undefined ? (
                t('users.everywhere')
              ) : (
                <Link to="/projects/$name" params={{ name: right.namespace }}>
                  {right.namespace}
                </Link>
              )}{' '}
              {right.group && <span className="tag">{right.group}</span>}
            </span>,
            ...(mayRemove
              ? [
                  right.group === undefined ? (
                    <Button
                      key="remove"
                      square
                      kind="quiet"
                      label={t('kit.remove')}
                      longLabel={t('action.of', {
                        action: t('kit.remove'),
                        name: `${right.role} ${right.namespace ?? ''}`,
                      })}
                      onPress={() => void remove(right)}
                    >
                      <Trash2 className="icon" aria-hidden />
                    </Button>
                  ) : (
                    ''
                  ),
                ]
              : []),
          ],
        }))}
      />
      <FormDialog title={t('users.addToProject')} isOpen={adding} onClose={() => setAdding(false)}>
        <AddToProject name={name} onClose={() => setAdding(false)} />
      </FormDialog>
    </Card>
  )
}

function AddToProject({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { t } = useWords()
  const home = useHomeProject()
  const names = (useProjects()?.names ?? [home]).filter((one) => !isSystemNamespace(one))
  const form = useForm<{ readonly project: string; readonly role: MemberRole }>({
    initial: { project: home, role: 'view' },
    paths: { project: /metadata/ },
    send: async ({ project, role }) => {
      const body = bindingFor({ namespace: project, kind: 'User', name, role })
      await call(pathOf(ROLE_BINDINGS, project), { method: 'POST', body })
      tell('ok', t('members.added', { name }))
      onClose()
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={t('kit.add')} onClose={onClose}>
      <ChoiceField
        label={t('create.project')}
        value={values.project}
        options={names.map((id) => ({ id, text: id }))}
        refusal={at('project')}
        onValue={(project) => set({ project })}
      />
      <RoleTiles role={values.role} onRole={(role) => set({ role })} />
    </FormBody>
  )
}
