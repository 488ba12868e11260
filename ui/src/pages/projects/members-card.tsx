// The members of a project with their roles; who is in charge adds and removes them.
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Tiles } from '../../parts/tiles.tsx'
import { ChoiceField } from '../kit/choice-field.tsx'
import { Card, SmallTable } from '../kit/facts.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { ROLE_BINDINGS } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import {
  bindingFor,
  MEMBER_ROLES,
  type Member,
  type MemberKind,
  type MemberRole,
  membersOf,
  subjectsWithout,
} from './members.ts'

export function Members({ namespace }: { readonly namespace: string }) {
  const { t } = useWords()
  const mayList = useMay({ verb: 'list', place: ROLE_BINDINGS, namespace })
  const mayAdd = useMay({ verb: 'create', place: ROLE_BINDINGS, namespace })
  const mayRemove = useMay({ verb: 'delete', place: ROLE_BINDINGS, namespace })
  const bindings = useObjects(ROLE_BINDINGS, { namespace, skip: mayList !== true })
  const [adding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<Member>()
  if (mayList !== true) return null
  const members = membersOf(bindings.list)
  return (
    <Card
      title={t('projects.members')}
      end={mayAdd && <Button onPress={() => setAdding(true)}>{t('members.add')}</Button>}
    >
      <SmallTable
        label={t('projects.members')}
        titles={[t('members.who'), t('members.role'), ...(mayRemove ? [t('column.actions')] : [])]}
        empty={t('members.none')}
        rows={members.map((member) => ({
          key: `${member.binding.metadata.name} ${member.kind} ${member.name}`,
          cells: [
            <span key="who">
              {member.name}{' '}
              {member.kind === 'Group' && <span className="tag">{t('members.kind.Group')}</span>}
            </span>,
            <RoleWord key="role" role={member.role} />,
            ...(mayRemove
              ? [
                  <Button
                    key="remove"
                    square
                    kind="quiet"
                    label={t('kit.remove')}
                    longLabel={t('members.remove', { name: member.name })}
                    onPress={() => setLeaving(member)}
                  >
                    <Trash2 className="icon" aria-hidden />
                  </Button>,
                ]
              : []),
          ],
        }))}
      />
      <FormDialog
        title={t('members.addTo', { name: namespace })}
        isOpen={adding}
        onClose={() => setAdding(false)}
      >
        <AddMember namespace={namespace} onClose={() => setAdding(false)} />
      </FormDialog>
      <RemoveMember member={leaving} onClose={() => setLeaving(undefined)} />
    </Card>
  )
}

export function RoleWord({ role }: { readonly role: string }) {
  const { t } = useWords()
  const known = MEMBER_ROLES.find((one) => one === role)
  return known ? <span title={role}>{t(`members.role.${known}`)}</span> : <span className="mono">{role}</span>
}

interface Values {
  readonly kind: MemberKind
  readonly name: string
  readonly role: MemberRole
}

function AddMember({ namespace, onClose }: { readonly namespace: string; readonly onClose: () => void }) {
  const { t } = useWords()
  const form = useForm<Values>({
    initial: { kind: 'User', name: '', role: 'view' },
    paths: { name: /^metadata\.name|subjects/, role: /roleRef/ },
    check: ({ name }) => ({ name: name.trim() === '' ? t('create.required') : undefined }),
    send: async ({ kind, name, role }) => {
      const body = bindingFor({ namespace, kind, name: name.trim(), role })
      await call(pathOf(ROLE_BINDINGS, namespace), { method: 'POST', body })
      tell('ok', t('members.added', { name }))
      onClose()
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={t('kit.add')} onClose={onClose}>
      <div className="pair">
        <Field
          label={t('members.who')}
          value={values.name}
          onValue={(name) => set({ name })}
          refusal={at('name')}
          required
          autoFocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <ChoiceField
          label={t('members.kind')}
          value={values.kind}
          options={(['User', 'Group'] as const).map((id) => ({ id, text: t(`members.kind.${id}`) }))}
          onValue={(kind) => set({ kind: kind as MemberKind })}
        />
      </div>
      <RoleTiles role={values.role} onRole={(role) => set({ role })} />
    </FormBody>
  )
}

export function RoleTiles(props: { readonly role: string; readonly onRole: (role: MemberRole) => void }) {
  const { t } = useWords()
  return (
    <Tiles
      label={t('members.role')}
      chosen={props.role}
      onChoose={(role) => props.onRole(role as MemberRole)}
      tiles={MEMBER_ROLES.map((id) => ({
        id,
        title: t(`members.role.${id}`),
        what: t(`members.role.${id}.what`),
      }))}
    />
  )
}

function RemoveMember({
  member,
  onClose,
}: {
  readonly member: Member | undefined
  readonly onClose: () => void
}) {
  const { t } = useWords()
  return (
    <FormDialog
      title={t('members.removeOf', { name: member?.name ?? '' })}
      isOpen={member !== undefined}
      onClose={onClose}
    >
      {member && <RemoveForm member={member} onClose={onClose} />}
    </FormDialog>
  )
}

function RemoveForm({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { t } = useWords()
  const { name, role, binding } = member
  const known = MEMBER_ROLES.find((one) => one === role)
  const form = useForm<object>({
    initial: {},
    paths: {},
    send: async () => {
      await removeMember(member)
      tell('ok', t('members.removed', { name }))
      onClose()
    },
  })
  return (
    <FormBody form={form} doIt={t('kit.remove')} onClose={onClose} isDanger>
      <p>
        {t('members.removeWhat', {
          name,
          role: known ? t(`members.role.${known}`) : (binding.roleRef?.name ?? ''),
        })}
      </p>
    </FormBody>
  )
}

export async function removeMember(member: Member): Promise<void> {
  const { namespace, name, resourceVersion } = member.binding.metadata
  const subjects = subjectsWithout(member)
  const path = pathOf(ROLE_BINDINGS, namespace, name)
  if (subjects.length === 0) {
    await call(path, { method: 'DELETE', body: { preconditions: { resourceVersion } } })
    return
  }
  await call(path, {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { metadata: { resourceVersion }, subjects },
  })
}
