// Takes a user away, with the roles that were given to them by name.
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { CLUSTER_BINDINGS, type RoleBinding, SECRETS, SYSTEM_NAMESPACE } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import { removeMember } from '../projects/members-card.tsx'
import { type Person, type Right, secretNameOf } from './people.ts'

export interface DeleteUserProps {
  readonly person: Person | undefined
  readonly rights: readonly Right[]
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export function DeleteUser(props: DeleteUserProps) {
  const { person, onClose } = props
  const { t } = useWords()
  return (
    <FormDialog
      title={t('delete.title', { name: person?.name ?? '' })}
      isOpen={person !== undefined}
      onClose={onClose}
    >
      {person && <Body {...props} person={person} />}
    </FormDialog>
  )
}

function Body({ person, rights, onClose, onDeleted }: DeleteUserProps & { readonly person: Person }) {
  const { t } = useWords()
  const { name } = person
  // What a group holds stays with the group.
  const own = rights.filter(({ group }) => group === undefined)
  const form = useForm<object>({
    initial: {},
    paths: {},
    send: async () => {
      await call(pathOf(SECRETS, SYSTEM_NAMESPACE, secretNameOf(name)), { method: 'DELETE' })
      for (const right of own) await removeRight(name, right)
      tell('ok', t('action.asked.delete', { name }))
      onClose()
      onDeleted?.()
    },
  })
  return (
    <FormBody form={form} doIt={t('delete.do')} onClose={onClose} isDanger>
      <p>{t('users.delete', { name })}</p>
      {own.length > 0 && (
        <ul className="plain-list">
          {own.map(({ role, namespace, binding }) => (
            <li key={binding.metadata.uid}>
              {role} · {namespace ?? t('users.everywhere')}
            </li>
          ))}
        </ul>
      )}
    </FormBody>
  )
}

/** Takes the person out of the binding; one that holds nobody else goes. */
export async function removeRight(name: string, { role, binding }: Right): Promise<void> {
  if (binding.metadata.namespace !== undefined) {
    await removeMember({ kind: 'User', name, role, binding: binding as RoleBinding })
    return
  }
  const subjects = (binding.subjects ?? []).filter((one) => one.kind !== 'User' || one.name !== name)
  const path = pathOf(CLUSTER_BINDINGS, undefined, binding.metadata.name)
  if (subjects.length === 0) await call(path, { method: 'DELETE' })
  else
    await call(path, {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion: binding.metadata.resourceVersion }, subjects },
    })
}
