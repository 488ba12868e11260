// Makes a user with a first password and a role, or gives one a new password. The password is shown once, at the end.
import { useState } from 'react'
import { isSystemNamespace, useProjects } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { ApiFailure, call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Field } from '../../parts/field.tsx'
import { Tiles } from '../../parts/tiles.tsx'
import { ChoiceField } from '../kit/choice-field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { useHomeProject } from '../kit/name-fields.tsx'
import { CLUSTER_BINDINGS, ROLE_BINDINGS } from '../kit/places.ts'
import { type Form, useForm } from '../kit/use-form.ts'
import { bindingFor, type MemberRole } from '../projects/members.ts'
import { RoleTiles } from '../projects/members-card.tsx'
import { everywhereBinding, newPassword, type Person } from './people.ts'

export interface UserFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Who gets a new password; absent for a new user. */
  readonly old?: Person | undefined
}

export function UserForm({ isOpen, onClose, old }: UserFormProps) {
  const { t } = useWords()
  const title = old ? t('users.resetOf', { name: old.name }) : t('users.create')
  return (
    <FormDialog title={title} isOpen={isOpen} onClose={onClose}>
      <Steps onClose={onClose} old={old} />
    </FormDialog>
  )
}

interface Told {
  readonly name: string
  readonly password: string
}

function Steps({ onClose, old }: Omit<UserFormProps, 'isOpen'>) {
  const { t } = useWords()
  const [told, setTold] = useState<Told>()
  if (!told)
    return old ? (
      <ResetBody old={old} onClose={onClose} onDone={setTold} />
    ) : (
      <CreateBody onClose={onClose} onDone={setTold} />
    )
  return (
    <div className="stack">
      <p role="status">{t('users.made', { name: told.name })}</p>
      <p>{t('users.tell', { name: told.name })}</p>
      <p className="told">
        <code className="command">{told.password}</code>
        <CopyButton text={told.password} of={t('users.password')} />
      </p>
      <div className="dialog-end">
        <Button kind="primary" autoFocus onPress={onClose}>
          {t('users.done')}
        </Button>
      </div>
    </div>
  )
}

type May = 'project' | 'view' | 'admin'

interface Values extends Told {
  readonly groups: string
  readonly may: May
  readonly project: string
  readonly role: MemberRole
}

interface BodyProps {
  readonly onClose: () => void
  readonly onDone: (told: Told) => void
}

async function provide({ name, password }: Told, groups: readonly string[]): Promise<void> {
  await call(`/v1-croft/users/${encodeURIComponent(name)}`, { method: 'PUT', body: { password, groups } })
}

/** Refusals of a name or password name no field; their words do. */
function atField(error: unknown): unknown {
  if (!(error instanceof ApiFailure) || error.causes.length > 0) return error
  const field = /password/.test(error.message)
    ? 'password'
    : /user name/.test(error.message)
      ? 'name'
      : /group/.test(error.message)
        ? 'groups'
        : undefined
  if (field === undefined) return error
  const causes = [{ reason: 'FieldValueInvalid' as const, field, message: error.message }]
  return new ApiFailure(error.code, error.reason, error.message, { causes })
}

async function give({ name, may, project, role }: Values): Promise<void> {
  if (may === 'project') {
    const body = bindingFor({ namespace: project, kind: 'User', name, role })
    await call(pathOf(ROLE_BINDINGS, project), { method: 'POST', body }).catch(keepOld)
  } else {
    const body = everywhereBinding(name, may)
    await call(pathOf(CLUSTER_BINDINGS), { method: 'POST', body }).catch(keepOld)
  }
}

/** A binding that is there already says the same. */
function keepOld(error: unknown): void {
  if (!(error instanceof ApiFailure) || error.reason !== 'AlreadyExists') throw error
}

function CreateBody({ onClose, onDone }: BodyProps) {
  const { t } = useWords()
  const home = useHomeProject()
  const form = useForm<Values>({
    initial: { name: '', password: newPassword(), groups: '', may: 'project', project: home, role: 'edit' },
    paths: { name: /^name$/, password: /^password$/, groups: /^groups$/ },
    check: ({ name }) => ({ name: name === '' ? t('create.required') : undefined }),
    send: async (values) => {
      const groups = values.groups
        .split(',')
        .map((group) => group.trim())
        .filter(Boolean)
      try {
        await provide(values, groups)
      } catch (error) {
        throw atField(error)
      }
      await give(values)
      onDone(values)
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={t('machines.create')} onClose={onClose}>
      <Field
        label={t('users.name')}
        hint={t('users.nameRule')}
        value={values.name}
        onValue={(name) => set({ name })}
        refusal={at('name')}
        required
        autoFocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <PasswordField form={form} />
      <Tiles
        label={t('users.may')}
        chosen={values.may}
        onChoose={(may) => set({ may: may as May })}
        tiles={(['project', 'view', 'admin'] as const).map((id) => ({
          id,
          title: t(`users.may.${id}`),
          what: t(`users.may.${id}.what`),
        }))}
      />
      {values.may === 'project' && <ProjectRole form={form} />}
      <Field
        label={t('users.groups')}
        hint={t('users.groups.hint')}
        value={values.groups}
        onValue={(groups) => set({ groups })}
        refusal={at('groups')}
        autoComplete="off"
        spellCheck={false}
      />
    </FormBody>
  )
}

function ProjectRole({ form: { values, set } }: { readonly form: Form<Values> }) {
  const { t } = useWords()
  const names = (useProjects()?.names ?? []).filter((name) => !isSystemNamespace(name))
  return (
    <>
      <ChoiceField
        label={t('create.project')}
        value={values.project}
        options={(names.includes(values.project) ? names : [values.project, ...names]).map((id) => ({
          id,
          text: id,
        }))}
        onValue={(project) => set({ project })}
      />
      <RoleTiles role={values.role} onRole={(role) => set({ role })} />
    </>
  )
}

function ResetBody({ old, onClose, onDone }: BodyProps & { readonly old: Person }) {
  const { t } = useWords()
  const form = useForm<Told>({
    initial: { name: old.name, password: newPassword() },
    paths: { password: /^password$/ },
    send: async (values) => {
      try {
        await provide(values, old.groups)
      } catch (error) {
        throw atField(error)
      }
      onDone(values)
    },
  })
  return (
    <FormBody form={form} doIt={t('users.reset')} onClose={onClose}>
      <p>{t('users.resetWhat', { name: old.name })}</p>
      <PasswordField form={form} />
    </FormBody>
  )
}

function PasswordField<V extends Told>({ form: { values, set, at } }: { readonly form: Form<V> }) {
  const { t } = useWords()
  return (
    <div className="beside">
      <Field
        label={t('users.password')}
        hint={t('users.password.hint')}
        value={values.password}
        onValue={(password) => set({ password } as Partial<V>)}
        refusal={at('password')}
        required
        autoComplete="new-password"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Button onPress={() => set({ password: newPassword() } as Partial<V>)}>
        {t('users.password.new')}
      </Button>
    </div>
  )
}
