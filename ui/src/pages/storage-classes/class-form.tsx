// Makes a storage class.
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { Field } from '../../parts/field.tsx'
import { CheckField, ChoiceField } from '../kit/choice-field.tsx'
import { makeUsual } from '../kit/default-class.ts'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameField } from '../kit/name-fields.tsx'
import { CLASSES, type StorageClass } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import { type ClassWish, classFor } from './new-class.ts'

interface ClassFormProps {
  readonly isOpen: boolean
  readonly classes: readonly StorageClass[]
  readonly onClose: () => void
}

export function ClassForm({ isOpen, classes, onClose }: ClassFormProps) {
  const { t } = useWords()
  return (
    <FormDialog title={t('classes.create')} isOpen={isOpen} onClose={onClose}>
      <Body classes={classes} onClose={onClose} />
    </FormDialog>
  )
}

const RECLAIM = ['Delete', 'Retain'] as const
const BINDING = ['Immediate', 'WaitForFirstConsumer'] as const
const LOCALITY = ['disabled', 'best-effort', 'strict-local'] as const

function Body({ classes, onClose }: Omit<ClassFormProps, 'isOpen'>) {
  const { t } = useWords()
  const form = useForm<ClassWish>({
    initial: {
      name: '',
      copies: '3',
      reclaim: 'Delete',
      binding: 'Immediate',
      locality: 'disabled',
      disks: '',
      nodes: '',
      expand: true,
      migratable: true,
      usual: false,
    },
    paths: {
      name: /^metadata\.name/,
      copies: /numberOfReplicas/,
      reclaim: /reclaimPolicy/,
      binding: /volumeBindingMode/,
      locality: /dataLocality/,
      disks: /diskSelector/,
      nodes: /nodeSelector/,
    },
    check: ({ name }) => ({ name: name === '' ? t('create.required') : undefined }),
    send: async (wish) => {
      await call(pathOf(CLASSES), { method: 'POST', body: classFor(wish) })
      if (wish.usual) await makeUsual(wish.name, classes)
      tell('ok', t('kit.made', { name: wish.name }))
      onClose()
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={t('machines.create')} onClose={onClose}>
      <div className="pair">
        <NameField value={values.name} refusal={at('name')} onValue={(name) => set({ name })} />
        <Field
          label={t('classes.copies')}
          hint={t('classes.copies.hint')}
          type="number"
          min="1"
          max="20"
          step="1"
          inputMode="numeric"
          value={values.copies}
          onValue={(copies) => set({ copies })}
          refusal={at('copies')}
        />
      </div>
      <div className="pair">
        <ChoiceField
          label={t('classes.reclaim')}
          value={values.reclaim}
          refusal={at('reclaim')}
          options={RECLAIM.map((id) => ({ id, text: t(`classes.reclaim.${id}`) }))}
          onValue={(reclaim) => set({ reclaim })}
        />
        <ChoiceField
          label={t('classes.binding')}
          value={values.binding}
          refusal={at('binding')}
          options={BINDING.map((id) => ({ id, text: t(`classes.binding.${id}`) }))}
          onValue={(binding) => set({ binding })}
        />
      </div>
      <CheckField
        label={t('classes.expand')}
        isChecked={values.expand}
        onValue={(expand) => set({ expand })}
      />
      <CheckField
        label={t('classes.migratable')}
        isChecked={values.migratable}
        onValue={(migratable) => set({ migratable })}
      />
      <CheckField
        label={t('classes.makeUsual')}
        isChecked={values.usual}
        onValue={(usual) => set({ usual })}
      />
      <details>
        <summary>{t('create.more')}</summary>
        <div className="stack more-fields">
          <ChoiceField
            label={t('classes.locality')}
            value={values.locality}
            refusal={at('locality')}
            options={LOCALITY.map((id) => ({ id, text: t(`classes.locality.${id}`) }))}
            onValue={(locality) => set({ locality })}
          />
          <div className="pair">
            <Field
              label={t('classes.disks')}
              hint={t('classes.tags.hint')}
              value={values.disks}
              onValue={(disks) => set({ disks })}
              refusal={at('disks')}
              autoComplete="off"
            />
            <Field
              label={t('classes.nodes')}
              hint={t('classes.tags.hint')}
              value={values.nodes}
              onValue={(nodes) => set({ nodes })}
              refusal={at('nodes')}
              autoComplete="off"
            />
          </div>
        </div>
      </details>
    </FormBody>
  )
}
