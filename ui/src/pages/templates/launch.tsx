// Makes a machine from a version of a template.
import { useNavigate } from '@tanstack/react-router'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { MACHINES, pathOf } from '../../data/kinds.ts'
import { CheckField } from '../kit/choice-field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameFields } from '../kit/name-fields.tsx'
import type { TemplateVersion } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import { machineFromTemplate } from '../machines/from-template.ts'

interface LaunchProps {
  readonly version: TemplateVersion | undefined
  readonly onClose: () => void
}

export function Launch({ version, onClose }: LaunchProps) {
  const { t } = useWords()
  const name = version?.spec.templateId.split('/')[1] ?? ''
  return (
    <FormDialog title={t('templates.launchOf', { name })} isOpen={version !== undefined} onClose={onClose}>
      {version && <Body version={version} onClose={onClose} />}
    </FormDialog>
  )
}

interface Values {
  readonly name: string
  readonly namespace: string
  readonly start: boolean
}

function Body({ version, onClose }: { readonly version: TemplateVersion; readonly onClose: () => void }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const form = useForm<Values>({
    initial: { name: '', namespace: version.metadata.namespace ?? 'default', start: true },
    paths: { name: /^metadata\.name/ },
    check: ({ name }) => ({ name: name === '' ? t('create.required') : undefined }),
    send: async ({ name, namespace, start }) => {
      const body = machineFromTemplate({ name, namespace, start, version })
      await call(pathOf(MACHINES, namespace), { method: 'POST', body })
      tell('ok', t(start ? 'action.asked.start' : 'kit.made', { name }))
      onClose()
      await navigate({ to: '/machines/$namespace/$name', params: { namespace, name } })
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={t('machines.create')} onClose={onClose}>
      <NameFields
        name={values.name}
        namespace={values.namespace}
        refusal={at('name')}
        onName={(name) => set({ name })}
        onNamespace={(namespace) => set({ namespace })}
      />
      <CheckField label={t('templates.start')} isChecked={values.start} onValue={(start) => set({ start })} />
    </FormBody>
  )
}
