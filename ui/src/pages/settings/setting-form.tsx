// Changes one setting, with the control that fits its value; empty means that the default is in force.
import { useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { Button } from '../../parts/button.tsx'
import { Area, Field } from '../../parts/field.tsx'
import { CheckField, ChoiceField } from '../kit/choice-field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { SETTINGS, type Setting } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import { useSettingDoc } from './setting-doc.ts'
import {
  type Editor,
  editorOf,
  type FieldType,
  inForce,
  jsonOf,
  partsOf,
  wrongWith,
} from './setting-fields.ts'

interface SettingFormProps {
  readonly setting: Setting | undefined
  readonly onClose: () => void
}

export function SettingForm({ setting, onClose }: SettingFormProps) {
  const { t } = useWords()
  const title = t('settings.editOf', { name: setting?.metadata.name ?? '' })
  return (
    <FormDialog title={title} isOpen={setting !== undefined} onClose={onClose}>
      {setting && <Body setting={setting} onClose={onClose} />}
    </FormDialog>
  )
}

function Body({ setting, onClose }: { readonly setting: Setting; readonly onClose: () => void }) {
  const { t } = useWords()
  const { name = '', resourceVersion } = setting.metadata
  const doc = useSettingDoc(name)
  const [editor] = useState(() => editorOf(name, inForce(setting)))
  const form = useForm<{ readonly value: string }>({
    initial: { value: inForce(setting) },
    paths: { value: /^value/ },
    check: ({ value }) => ({ value: wrongWith(name, value) }),
    send: async ({ value }) => {
      // The default stays the default: it is not written down as somebody's choice.
      const written = value === setting.default ? '' : value
      await call(pathOf(SETTINGS, undefined, name), {
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        body: { metadata: { resourceVersion }, value: written },
      })
      tell('ok', t('settings.saved', { name }))
      onClose()
    },
  })
  return (
    <FormBody form={form} doIt={t('kit.save')} onClose={onClose}>
      <p>{doc}</p>
      <Editing
        editor={editor}
        value={form.values.value}
        refusal={form.at('value')}
        onValue={(value) => form.set({ value })}
      />
      <p className="muted small">
        {t('settings.defaultIs', { value: setting.default || t('settings.notSet') })}{' '}
      </p>
      <div>
        <Button onPress={() => form.set({ value: setting.default ?? '' })}>{t('settings.useDefault')}</Button>
      </div>
    </FormBody>
  )
}

interface EditingProps {
  readonly editor: Editor
  readonly value: string
  readonly refusal: string | undefined
  readonly onValue: (value: string) => void
}

function Editing(props: EditingProps) {
  const { editor, value, refusal, onValue } = props
  const { t } = useWords()
  const shared = { value, refusal, onValue }
  switch (editor.is) {
    case 'choice':
      return (
        <ChoiceField
          label={t('settings.value')}
          {...shared}
          options={editor.options.map((id) => ({ id, text: id }))}
        />
      )
    case 'object':
      return <Parts {...props} fields={editor.fields} />
    case 'json':
    case 'long':
      return (
        <Area label={t(editor.is === 'json' ? 'settings.json' : 'settings.value')} {...shared} autoFocus />
      )
    case 'text':
      return <Field label={t('settings.value')} {...shared} autoFocus autoComplete="off" spellCheck={false} />
  }
}

function Parts(props: EditingProps & { readonly fields: Readonly<Record<string, FieldType>> }) {
  const { fields, value, refusal, onValue } = props
  const { t } = useWords()
  const parts = partsOf(value)
  const set = (name: string, text: string) => onValue(jsonOf(fields, { ...parts, [name]: text }))
  return (
    <fieldset className="stack plain-set">
      <legend>{t('settings.value')}</legend>
      {Object.entries(fields).map(([name, type]) => {
        const text = parts[name] ?? ''
        const change = (next: string) => set(name, next)
        // The server's message names the field in quotes.
        const own = refusal?.includes(`"${name}"`) ? refusal : undefined
        if (type === 'boolean')
          return (
            <CheckField
              key={name}
              label={name}
              isChecked={text === 'true'}
              onValue={(isChecked) => set(name, String(isChecked))}
            />
          )
        if (type === 'long')
          return <Area key={name} label={name} value={text} onValue={change} refusal={own} rows={3} />
        return (
          <Field
            key={name}
            label={name}
            type={type === 'secret' ? 'password' : 'text'}
            inputMode={type === 'number' ? 'numeric' : 'text'}
            value={text}
            onValue={change}
            refusal={own}
            autoComplete="off"
            spellCheck={false}
          />
        )
      })}
      {refusal && Object.keys(fields).every((name) => !refusal.includes(`"${name}"`)) && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
    </fieldset>
  )
}
