// Makes a Secret or ConfigMap or changes its values.
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { ChoiceField } from '../kit/choice-field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameFields, useHomeProject } from '../kit/name-fields.tsx'
import { CONFIGS, type ConfigMap, SECRETS, type Secret } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import {
  CLOUD_TEMPLATE,
  CONFIG_TYPES,
  hasBadKeys,
  patchOf,
  rowsFor,
  SECRET_TYPES,
  type ValueRow,
} from './values.ts'
import { ValuesField } from './values-field.tsx'

export type Holds = 'secret' | 'config'

export interface ValueFormProps {
  readonly holds: Holds
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The one that is changed; absent for a new one. */
  readonly old?: Secret | ConfigMap | undefined
}

export function ValueForm(props: ValueFormProps) {
  const { holds, isOpen, onClose, old } = props
  const { t } = useWords()
  const create = t(holds === 'secret' ? 'secrets.create' : 'configs.create')
  const title = old ? t('keys.editOf', { name: old.metadata.name ?? '' }) : create
  return (
    <FormDialog title={title} isOpen={isOpen} onClose={onClose}>
      <Body {...props} />
    </FormDialog>
  )
}

interface Values {
  readonly name: string
  readonly namespace: string
  readonly type: string
  readonly rows: readonly ValueRow[]
}

function Body({ holds, old, onClose }: ValueFormProps) {
  const { t } = useWords()
  const home = useHomeProject()
  const place = holds === 'secret' ? SECRETS : CONFIGS
  const types = holds === 'secret' ? SECRET_TYPES : CONFIG_TYPES
  const before = Object.keys(old?.data ?? {})
  const form = useForm<Values>({
    initial: {
      name: old?.metadata.name ?? '',
      namespace: old?.metadata.namespace ?? home,
      type: types[0].id,
      rows: old ? oldRows(holds, old) : rowsFor([''], false),
    },
    paths: { name: /^metadata\.name/, type: /^type/, rows: /data|^immutable/ },
    check: ({ name, rows }) => ({
      name: name === '' ? t('create.required') : undefined,
      rows: hasBadKeys(rows) ? t('secrets.keyMissing') : undefined,
    }),
    send: async (values) => {
      const { name, namespace, rows } = values
      const texts = patchOf(before, rows)
      if (old) {
        await call(pathOf(place, namespace, name), {
          method: 'PATCH',
          contentType: 'application/merge-patch+json',
          body: { metadata: { resourceVersion: old.metadata.resourceVersion }, ...dataPatch(holds, texts) },
        })
        tell('ok', t('kit.saved', { name }))
      } else {
        await call(pathOf(place, namespace), { method: 'POST', body: newObject(holds, values, texts) })
        tell('ok', t('kit.made', { name }))
      }
      onClose()
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={old ? t('kit.save') : t('machines.create')} onClose={onClose}>
      {!old && (
        <>
          <NameFields
            name={values.name}
            namespace={values.namespace}
            refusal={at('name')}
            onName={(name) => set({ name })}
            onNamespace={(namespace) => set({ namespace })}
          />
          <ChoiceField
            label={t('secrets.type')}
            value={values.type}
            refusal={at('type')}
            options={types.map(({ id, word }) => ({ id, text: t(word) }))}
            onValue={(type) =>
              set({ type, rows: rowsFor(types.find(({ id }) => id === type)?.keys ?? [''], false) })
            }
          />
        </>
      )}
      <ValuesField rows={values.rows} refusal={at('rows')} onRows={(rows) => set({ rows })} />
    </FormBody>
  )
}

/** What a ConfigMap holds is open and is edited in place; what a Secret holds is only replaced. */
function oldRows(holds: Holds, { data = {} }: Secret | ConfigMap): readonly ValueRow[] {
  const rows = rowsFor(Object.keys(data), true)
  return holds === 'secret' ? rows : rows.map((row) => ({ ...row, text: String(data[row.key] ?? '') }))
}

type Texts = ReturnType<typeof patchOf>

/** Texts of a Secret are sent as such; the server encodes them. */
function dataPatch(holds: Holds, texts: Texts): object {
  if (holds === 'config') return { data: texts }
  const removed = Object.entries(texts).filter(([, text]) => text === null)
  const set = Object.entries(texts).filter(([, text]) => text !== null)
  return { data: Object.fromEntries(removed), stringData: Object.fromEntries(set) }
}

function newObject(holds: Holds, { name, namespace, type }: Values, texts: Texts): object {
  if (holds === 'secret')
    return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type, stringData: texts }
  const labels = type === 'plain' ? {} : { labels: { [CLOUD_TEMPLATE]: type } }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ...labels }, data: texts }
}
