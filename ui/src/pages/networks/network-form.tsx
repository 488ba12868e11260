// Writes down a network.
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { Field } from '../../parts/field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameFields, useHomeProject } from '../kit/name-fields.tsx'
import { NETWORKS } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import { isBadVlan, type NetworkWish, networkFor } from './network-facts.ts'

interface NetworkFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function NetworkForm({ isOpen, onClose }: NetworkFormProps) {
  const { t } = useWords()
  return (
    <FormDialog title={t('networks.create')} isOpen={isOpen} onClose={onClose}>
      <Body onClose={onClose} />
    </FormDialog>
  )
}

function Body({ onClose }: { readonly onClose: () => void }) {
  const { t } = useWords()
  const home = useHomeProject()
  const form = useForm<NetworkWish>({
    initial: { name: '', namespace: home, bridge: 'mgmt-br', vlan: '' },
    paths: { name: /^metadata\.name/, vlan: /config/ },
    check: ({ name, bridge, vlan }) => ({
      name: name === '' ? t('create.required') : undefined,
      bridge: bridge === '' ? t('create.required') : undefined,
      vlan: isBadVlan(vlan) ? t('networks.vlanBad') : undefined,
    }),
    send: async (wish) => {
      await call(pathOf(NETWORKS, wish.namespace), { method: 'POST', body: networkFor(wish) })
      tell('ok', t('kit.made', { name: wish.name }))
      onClose()
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
      <div className="pair">
        <Field
          label={t('networks.bridge')}
          hint={t('networks.bridge.hint')}
          value={values.bridge}
          onValue={(bridge) => set({ bridge })}
          refusal={at('bridge')}
          autoComplete="off"
          spellCheck={false}
        />
        <Field
          label={t('networks.vlan')}
          hint={t('networks.vlan.hint')}
          inputMode="numeric"
          value={values.vlan}
          onValue={(vlan) => set({ vlan })}
          refusal={at('vlan')}
          autoComplete="off"
        />
      </div>
    </FormBody>
  )
}
