// All that has a good default: network, place, keys, guest set-up, when it starts.
import { useWords } from '../../app/words.ts'
import { HOSTS } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Area, Field } from '../../parts/field.tsx'
import { ChoiceField } from '../kit/choice-field.tsx'
import { type KeyPair, NETWORKS } from '../kit/places.ts'
import type { Form } from './create-form.ts'
import { STRATEGIES } from './machine-edit.ts'

export interface MoreProps {
  readonly form: Form
  readonly set: (change: Partial<Form>) => void
  readonly keys: readonly KeyPair[]
  readonly refusal: string | undefined
}

export function CreateMore({ form, set, keys, refusal }: MoreProps) {
  const { t } = useWords()
  return (
    <details className="card">
      <summary>
        <strong>{t('create.more')}</strong> <span className="muted">{t('create.more.what')}</span>
      </summary>
      <div className="in">
        <Placement form={form} set={set} />
        <Field
          label={t('edit.description')}
          value={form.description}
          onValue={(description) => set({ description })}
          autoComplete="off"
        />
        {keys.length > 0 && <Keys form={form} set={set} keys={keys} />}
        <Field
          label={t('create.sshKey')}
          hint={t('create.sshKey.what')}
          value={form.sshKey}
          onValue={(sshKey) => set({ sshKey })}
          autoComplete="off"
          spellCheck={false}
        />
        <Area
          label={t('create.userData')}
          hint={t('create.userData.what')}
          value={form.userData}
          onValue={(userData) => set({ userData })}
          refusal={refusal}
        />
      </div>
    </details>
  )
}

function Placement({ form, set }: Pick<MoreProps, 'form' | 'set'>) {
  const { t } = useWords()
  const networks = useObjects(NETWORKS).list
  const hosts = useObjects(HOSTS).list
  return (
    <div className="pair">
      <ChoiceField
        label={t('networks.network')}
        value={form.network}
        options={[
          { id: '', text: t('networks.default') },
          ...networks.map(({ metadata }) => {
            const id = `${metadata.namespace}/${metadata.name}`
            return { id, text: id }
          }),
        ]}
        onValue={(network) => set({ network })}
      />
      <ChoiceField
        label={t('create.host')}
        value={form.host}
        options={[
          { id: '', text: t('create.plan.anyHost') },
          ...hosts.map(({ metadata }) => ({ id: metadata.name ?? '', text: metadata.name ?? '' })),
        ]}
        onValue={(host) => set({ host })}
      />
      <ChoiceField
        label={t('machine.runs')}
        value={form.runStrategy}
        options={STRATEGIES.filter((id) => id !== 'Halted').map((id) => ({
          id,
          text: t(`machine.runs.${id}`),
        }))}
        onValue={(runStrategy) => set({ runStrategy })}
      />
    </div>
  )
}

function Keys({ form, set, keys }: Pick<MoreProps, 'form' | 'set' | 'keys'>) {
  const { t } = useWords()
  return (
    <fieldset className="plain-set">
      <legend>{t('page.keys')}</legend>
      {keys.map(({ metadata }) => {
        const id = `${metadata.namespace}/${metadata.name}`
        return (
          <label key={id} className="check-line">
            <input
              type="checkbox"
              checked={form.keys.includes(id)}
              onChange={(event) =>
                set({
                  keys: event.target.checked ? [...form.keys, id] : form.keys.filter((one) => one !== id),
                })
              }
            />
            {metadata.name}
          </label>
        )
      })}
    </fieldset>
  )
}
