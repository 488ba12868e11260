// Adds a public SSH key or changes it. A private key that is pasted by mistake is refused here, before it is sent.
import { useId } from 'react'
import { readPublicKey } from '../../../../src/kinds/harvester/ssh-key.ts'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { Area } from '../../parts/field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameFields, useHomeProject } from '../kit/name-fields.tsx'
import { KEYS, type KeyPair } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'

export interface KeyFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The one that is changed; absent for a new one. */
  readonly old?: KeyPair | undefined
}

export function KeyForm({ isOpen, onClose, old }: KeyFormProps) {
  const { t } = useWords()
  const title = old ? t('keys.editOf', { name: old.metadata.name ?? '' }) : t('keys.create')
  return (
    <FormDialog title={title} isOpen={isOpen} onClose={onClose}>
      <Body onClose={onClose} old={old} />
    </FormDialog>
  )
}

interface Values {
  readonly name: string
  readonly namespace: string
  readonly publicKey: string
}

function Body({ onClose, old }: Omit<KeyFormProps, 'isOpen'>) {
  const { t } = useWords()
  const home = useHomeProject()
  const form = useForm<Values>({
    initial: {
      name: old?.metadata.name ?? '',
      namespace: old?.metadata.namespace ?? home,
      publicKey: old?.spec?.publicKey ?? '',
    },
    paths: { name: /^metadata\.name/, publicKey: /publicKey/ },
    check: ({ name, publicKey }) => {
      const reading = readPublicKey(publicKey)
      return {
        name: name === '' ? t('create.required') : undefined,
        publicKey: reading.ok ? undefined : `the key ${reading.why}`,
      }
    },
    send: async ({ name, namespace, publicKey }) => {
      const spec = { publicKey: publicKey.trim() }
      if (old) {
        const { resourceVersion } = old.metadata
        await call(pathOf(KEYS, namespace, name), {
          method: 'PATCH',
          contentType: 'application/merge-patch+json',
          body: { metadata: { resourceVersion }, spec },
        })
        tell('ok', t('kit.saved', { name }))
      } else {
        const body = {
          apiVersion: 'harvesterhci.io/v1beta1',
          kind: 'KeyPair',
          metadata: { name, namespace },
          spec,
        }
        await call(pathOf(KEYS, namespace), { method: 'POST', body })
        tell('ok', t('kit.made', { name }))
      }
      onClose()
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={old ? t('kit.save') : t('kit.add')} onClose={onClose}>
      {!old && (
        <NameFields
          name={values.name}
          namespace={values.namespace}
          refusal={at('name')}
          onName={(name) => set({ name })}
          onNamespace={(namespace) => set({ namespace })}
        />
      )}
      <Area
        label={t('keys.public')}
        hint={t('keys.public.what')}
        value={values.publicKey}
        onValue={(publicKey) => set({ publicKey })}
        refusal={at('publicKey')}
        required
        autoFocus={old !== undefined}
      />
      <KeyFile onText={(publicKey) => set({ publicKey })} />
    </FormBody>
  )
}

function KeyFile({ onText }: { readonly onText: (text: string) => void }) {
  const { t } = useWords()
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{t('keys.file')}</label>
      <input
        id={id}
        type="file"
        className="input"
        onChange={(event) => void event.target.files?.[0]?.text().then((text) => onText(text.trim()))}
      />
    </div>
  )
}
