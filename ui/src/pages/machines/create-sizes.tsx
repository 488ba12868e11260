// The size of a new machine: one of three, or one's own.
import { useWords } from '../../app/words.ts'
import { Field } from '../../parts/field.tsx'
import { Tiles } from '../../parts/tiles.tsx'
import { type Form, SIZES, type Size } from './create-form.ts'

export interface SizesProps {
  readonly form: Form
  readonly set: (change: Partial<Form>) => void
  readonly refusal: string | undefined
}

export function Sizes({ form, set, refusal }: SizesProps) {
  const { t } = useWords()
  const tiles = (Object.keys(SIZES) as (keyof typeof SIZES)[]).map((id) => {
    const { cpus, memoryGib, diskGib } = SIZES[id]
    return {
      id,
      title: t(`create.size.${id}`),
      what: t('create.size.what', { cpus, memory: `${memoryGib} GiB`, disk: `${diskGib} GiB` }),
    }
  })
  const own = { id: 'own', title: t('create.size.own'), what: t('create.size.ownWhat') }
  const number = (key: 'cpus' | 'memoryGib' | 'diskGib', label: string, step: string) => (
    <Field
      label={label}
      type="number"
      min={step}
      step={step}
      inputMode="decimal"
      value={form[key]}
      onValue={(value) => set({ [key]: value })}
    />
  )
  return (
    <>
      <Tiles
        label={t('create.size')}
        chosen={form.size}
        onChoose={(size) => set({ size: size as Size })}
        tiles={[...tiles, own]}
      />
      {form.size === 'own' && (
        <div className="pair">
          {number('cpus', t('create.cpus'), '1')}
          {number('memoryGib', t('create.memory'), '0.25')}
          {number('diskGib', t('create.disk'), '1')}
        </div>
      )}
      {refusal && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
    </>
  )
}
