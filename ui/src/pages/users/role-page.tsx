// One role: what it allows and who has it.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { timeText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { Card, Facts, SmallTable } from '../kit/facts.tsx'
import { ObjectPage } from '../kit/object-page.tsx'
import { type ClusterRole, ROLES } from '../kit/places.ts'
import { holdersOf, isBuiltIn } from './roles.ts'
import { useBindings } from './use-people.ts'

export function RolePage() {
  const { t } = useWords()
  const { name } = useParams({ from: '/roles/$name' })
  const roles = useObjects(ROLES, { name })
  return (
    <ObjectPage
      place={ROLES}
      objects={roles}
      name={name}
      back={
        <Link to="/users" search={{ kind: 'roles' }}>
          {t('kit.backToList')}
        </Link>
      }
      actions={(role) => <Actions role={role} />}
      overview={(role) => <Overview role={role} />}
    />
  )
}

function Actions({ role }: { readonly role: ClusterRole }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  if (isBuiltIn(role)) return null
  return (
    <>
      <DeleteButton place={ROLES} object={role} onPress={() => setDeleting(true)} />
      <DeleteDialog
        place={ROLES}
        object={deleting ? role : undefined}
        note={t('roles.delete')}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: '/users', search: { kind: 'roles' } })}
      />
    </>
  )
}

function Overview({ role }: { readonly role: ClusterRole }) {
  const { t, language } = useWords()
  const { name = '', creationTimestamp } = role.metadata
  const bindings = useBindings()
  const words = (list: readonly string[] | null | undefined) =>
    list?.includes('*') ? t('roles.all') : (list ?? []).map((word) => word || 'core').join(', ')
  return (
    <div className="stack">
      <div className="columns">
        <Facts
          title={t('roles.facts')}
          facts={[
            [t('roles.origin'), t(isBuiltIn(role) ? 'roles.builtIn' : 'roles.own')],
            [t('machine.created'), timeText(language, creationTimestamp)],
          ]}
        />
        <Card title={t('roles.holders')}>
          <SmallTable
            label={t('roles.holders')}
            titles={[t('members.who'), t('users.where')]}
            empty={t('roles.nobody')}
            rows={holdersOf(name, bindings).map((holder) => ({
              key: `${holder.kind} ${holder.name} ${holder.namespace}`,
              cells: [
                <span key="who">
                  {holder.name} <span className="tag">{holder.kind}</span>
                </span>,
                holder.namespace ?? t('users.everywhere'),
              ],
            }))}
          />
        </Card>
      </div>
      <Card title={t('roles.rules')}>
        <SmallTable
          label={t('roles.rules')}
          titles={[t('roles.what'), t('roles.groups'), t('roles.verbs')]}
          empty={t('kit.none')}
          rows={(role.rules ?? []).map((rule, index) => ({
            key: String(index),
            cells: [words(rule.resources ?? rule.nonResourceURLs), words(rule.apiGroups), words(rule.verbs)],
          }))}
        />
      </Card>
    </div>
  )
}
