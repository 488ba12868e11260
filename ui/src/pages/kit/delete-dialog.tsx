// Asks before something is deleted: who uses it, what is lost, and the server's own refusal.
import { Trash2 } from 'lucide-react'
import type { KubeObject } from '../../../../src/base/object.ts'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { type Place, pathOf } from '../../data/kinds.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { FormBody } from './form-dialog.tsx'
import { useMay } from './may.ts'
import { useForm } from './use-form.ts'

/** Names that are read out; how many more there are is said. */
const USERS_SHOWN = 8

export interface DeleteProps<T extends KubeObject> {
  readonly place: Place<T>
  /** The one to delete; undefined while the dialog is closed. */
  readonly object: T | undefined
  readonly label?: string
  /** What goes with it. */
  readonly note: string
  /** Those that use it, by name. */
  readonly users?: readonly string[]
  /** For what cannot be had again: the name must be typed. */
  readonly isHeavy?: boolean
  readonly onClose: () => void
  readonly onDeleted?: (() => void) | undefined
}

export function DeleteDialog<T extends KubeObject>(props: DeleteProps<T>) {
  const { object, label = object?.metadata.name ?? '', onClose } = props
  const { t } = useWords()
  return (
    <Dialog
      title={t('delete.title', { name: label })}
      isOpen={object !== undefined}
      onClose={onClose}
      isGrave
    >
      {object && <DeleteForm {...props} object={object} label={label} />}
    </Dialog>
  )
}

function DeleteForm<T extends KubeObject>(
  props: DeleteProps<T> & { readonly object: T; readonly label: string },
) {
  const { place, object, label, note, users = [], isHeavy = false, onClose, onDeleted } = props
  const { t } = useWords()
  const { name = '', namespace, uid } = object.metadata
  const form = useForm<{ readonly typed: string }>({
    initial: { typed: '' },
    paths: {},
    check: ({ typed }) => (isHeavy && typed !== name ? { typed: t('kit.typeName.differs', { name }) } : {}),
    send: async () => {
      const body = { propagationPolicy: 'Background', preconditions: { uid } }
      await call(pathOf(place, namespace, name), { method: 'DELETE', body })
      tell('ok', t('action.asked.delete', { name: label }))
      onClose()
      onDeleted?.()
    },
  })
  return (
    <FormBody form={form} doIt={t('delete.do')} onClose={onClose} isDanger>
      <p>{note}</p>
      {users.length > 0 && (
        <div className="note">
          <strong>{t('kit.usedBy', { count: users.length })}</strong>
          {users.slice(0, USERS_SHOWN).join(', ')}
          {users.length > USERS_SHOWN && ` ${t('kit.andMore', { count: users.length - USERS_SHOWN })}`}
        </div>
      )}
      {isHeavy && (
        <Field
          label={t('kit.typeName', { name })}
          value={form.values.typed}
          onValue={(typed) => form.set({ typed })}
          refusal={form.at('typed')}
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
      )}
    </FormBody>
  )
}

interface DeleteButtonProps<T extends KubeObject> {
  readonly place: Place<T>
  readonly object: T
  readonly label?: string
  readonly isSquare?: boolean
  readonly onPress: () => void
}

/** Is not there for whoever may not delete it. */
export function DeleteButton<T extends KubeObject>(props: DeleteButtonProps<T>) {
  const { place, object, label = object.metadata.name ?? '', isSquare = false, onPress } = props
  const { t } = useWords()
  const { namespace, name } = object.metadata
  const may = useMay({ verb: 'delete', place, namespace, ...(isSquare ? {} : { name }) })
  if (!may || object.metadata.deletionTimestamp) return null
  if (!isSquare)
    return (
      <Button onPress={onPress}>
        <Trash2 className="icon" aria-hidden />
        {t('action.delete')}
      </Button>
    )
  return (
    <Button
      square
      kind="quiet"
      label={t('delete.do')}
      longLabel={t('action.of', { action: t('delete.do'), name: label })}
      onPress={onPress}
    >
      <Trash2 className="icon" aria-hidden />
    </Button>
  )
}
