// The network cards of a machine: what they are and which addresses they have.
import { useWords } from '../../app/words.ts'
import { Card, SmallTable } from '../kit/facts.tsx'
import { useMachine } from './use-machine.ts'
import '../kit/kit.css'

export function NetworksTab() {
  const { t } = useWords()
  const { machine, instance } = useMachine()
  if (!machine) return null
  const { domain, networks = [] } = machine.spec.template.spec ?? {}
  const cards = domain?.devices?.interfaces ?? []
  const seen = instance?.status?.interfaces ?? []
  return (
    <Card title={t('machine.networks')}>
      <SmallTable
        label={t('machine.networks')}
        titles={[
          t('column.name'),
          t('networks.network'),
          t('networks.model'),
          t('networks.way'),
          t('networks.mac'),
          t('column.address'),
        ]}
        empty={t('networks.none')}
        rows={cards.map((card) => {
          const network = networks.find(({ name }) => name === card.name)
          const now = seen.find(({ name }) => name === card.name)
          const addresses = now?.ipAddresses ?? (now?.ipAddress ? [now.ipAddress] : [])
          return {
            key: card.name,
            cells: [
              <strong key="name">{card.name}</strong>,
              network?.multus?.networkName ?? t('networks.default'),
              card.model ?? 'virtio',
              card.bridge ? 'bridge' : card.masquerade ? 'masquerade' : card.sriov ? 'sriov' : '–',
              <span key="mac" className="mono">
                {now?.mac ?? card.macAddress ?? '–'}
              </span>,
              <span key="address" className="mono">
                {addresses.join(', ') || '–'}
              </span>,
            ],
          }
        })}
      />
    </Card>
  )
}
