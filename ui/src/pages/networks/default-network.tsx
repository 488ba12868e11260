// The network that every machine has without being asked: which addresses are given out, and to whom.
import { useWords } from '../../app/words.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Card, SmallTable } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { ADDRESSES, SYSTEM_NAMESPACE } from '../kit/places.ts'

export function DefaultNetwork() {
  const { t } = useWords()
  const may = useMay({ verb: 'list', place: ADDRESSES, namespace: SYSTEM_NAMESPACE })
  const addresses = useObjects(ADDRESSES, { namespace: SYSTEM_NAMESPACE, skip: may !== true })
  const taken = [...addresses.list].sort((a, b) => numberOf(a.metadata.name) - numberOf(b.metadata.name))
  return (
    <Card title={t('networks.default')}>
      <p className="in">{t('networks.default.what')}</p>
      {may && (
        <details className="addresses">
          <summary>
            {t('networks.addresses')}: {taken.length}
          </summary>
          <SmallTable
            label={t('networks.addresses')}
            titles={[t('networks.address'), t('networks.holder')]}
            empty={t('networks.noAddresses')}
            rows={taken.map(({ metadata: { name = '' }, spec }) => ({
              key: name,
              cells: [
                <span key="address" className="mono">
                  {name.replaceAll('-', '.')}
                </span>,
                spec.podref,
              ],
            }))}
          />
        </details>
      )}
    </Card>
  )
}

/** Addresses in their own order, not that of their letters. */
function numberOf(name = ''): number {
  return name.split('-').reduce((sum, part) => sum * 256 + Number(part), 0)
}
