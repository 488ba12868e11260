// Makes a project or changes what it is for and its share of the cluster.
import { tell } from '../../app/messages.ts'
import { loadProjects } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { ApiFailure, call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { Field } from '../../parts/field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameField } from '../kit/name-fields.tsx'
import { PROJECTS, type Project, QUOTAS, type ResourceQuota } from '../kit/places.ts'
import { type Form, useForm } from '../kit/use-form.ts'
import { hardOf, isBad, isEmpty, NO_SHARE, QUOTA_NAME, type Share, shareOf } from './quota.ts'

/** Where Rancher and Harvester keep what a namespace is for. */
export const DESCRIPTION = 'field.cattle.io/description'

export interface ProjectFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly old?: Project | undefined
  readonly quota?: ResourceQuota | undefined
}

export function ProjectForm(props: ProjectFormProps) {
  const { isOpen, onClose, old } = props
  const { t } = useWords()
  const title = old ? t('projects.edit', { name: old.metadata.name ?? '' }) : t('projects.create')
  return (
    <FormDialog title={title} isOpen={isOpen} onClose={onClose}>
      <Body {...props} />
    </FormDialog>
  )
}

interface Values extends Share {
  readonly name: string
  readonly description: string
}
const SHARES = ['cpu', 'memory', 'storage', 'machines'] as const

function Body({ onClose, old, quota }: ProjectFormProps) {
  const { t } = useWords()
  const form = useForm<Values>({
    initial: {
      name: old?.metadata.name ?? '',
      description: old?.metadata.annotations?.[DESCRIPTION] ?? '',
      ...(old ? shareOf(quota) : NO_SHARE),
    },
    paths: {
      name: /^metadata\.name/,
      cpu: /limits\.cpu/,
      memory: /limits\.memory/,
      storage: /requests\.storage/,
      machines: /count\/virtualmachines/,
    },
    check: (values) => ({
      name: values.name === '' ? t('create.required') : undefined,
      ...Object.fromEntries(
        SHARES.map((field) => [field, isBad(field, values[field]) ? t('projects.quota.bad') : undefined]),
      ),
    }),
    send: async (values) => {
      if (old) await change(old, values)
      else await create(values)
      await saveShare(values.name, quota, values)
      await loadProjects()
      tell('ok', t(old ? 'kit.saved' : 'kit.made', { name: values.name }))
      onClose()
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={old ? t('kit.save') : t('machines.create')} onClose={onClose}>
      {!old && <NameField value={values.name} refusal={at('name')} onValue={(name) => set({ name })} />}
      <Field
        label={t('kit.description')}
        value={values.description}
        onValue={(description) => set({ description })}
        autoFocus={old !== undefined}
      />
      <ShareFields form={form} />
    </FormBody>
  )
}

function ShareFields({ form: { values, set, at } }: { readonly form: Form<Values> }) {
  const { t } = useWords()
  return (
    <fieldset className="stack plain-set">
      <legend>{t('projects.quota')}</legend>
      <p className="hint muted small">{t('projects.quota.hint')}</p>
      <div className="pair">
        {SHARES.map((field) => (
          <Field
            key={field}
            label={t(`projects.quota.${field}`)}
            inputMode="decimal"
            value={values[field]}
            onValue={(value) => set({ [field]: value })}
            refusal={at(field)}
            autoComplete="off"
          />
        ))}
      </div>
    </fieldset>
  )
}

async function create({ name, description }: Values): Promise<void> {
  const annotations = description === '' ? {} : { annotations: { [DESCRIPTION]: description } }
  await call(pathOf(PROJECTS), {
    method: 'POST',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...annotations } },
  })
}

async function change(old: Project, { name, description }: Values): Promise<void> {
  if (description === (old.metadata.annotations?.[DESCRIPTION] ?? '')) return
  await call(pathOf(PROJECTS, undefined, name), {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { [DESCRIPTION]: description || null } } },
  })
}

/** Only the limits of this form are touched; others in the same quota stay. */
async function saveShare(namespace: string, quota: ResourceQuota | undefined, share: Share): Promise<void> {
  const { cpu, memory, storage, machines } = share
  const wanted = { cpu, memory, storage, machines }
  const hard = hardOf(wanted)
  if (quota) {
    await call(pathOf(QUOTAS, namespace, quota.metadata.name), {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion: quota.metadata.resourceVersion }, spec: { hard } },
    })
    return
  }
  if (isEmpty(wanted)) return
  const body = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: QUOTA_NAME, namespace },
    spec: { hard: Object.fromEntries(Object.entries(hard).filter(([, value]) => value !== null)) },
  }
  try {
    await call(pathOf(QUOTAS, namespace), { method: 'POST', body })
  } catch (error) {
    // The project is there by now: what is wrong with its share is told as such.
    throw error instanceof ApiFailure && error.reason === 'AlreadyExists'
      ? new ApiFailure(error.code, '', error.message, error.details)
      : error
  }
}
