// The snapshots of one volume.
import { Link } from '@tanstack/react-router'
import { useWords } from '../../app/words.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { Card, SmallTable } from '../kit/facts.tsx'
import type { Claim } from '../kit/places.ts'
import { SNAPSHOTS, snapshotState } from '../snapshots/snapshot-kind.ts'

export function VolumeSnapshots({ claim: { metadata } }: { readonly claim: Claim }) {
  const { t, language } = useWords()
  const { namespace = '' } = metadata
  const { list } = useObjects(SNAPSHOTS, { namespace })
  const own = list.filter(({ spec }) => spec?.source?.persistentVolumeClaimName === metadata.name)
  return (
    <Card title={t('page.snapshots')}>
      <SmallTable
        label={t('page.snapshots')}
        titles={[t('column.state'), t('column.name'), t('column.age')]}
        empty={t('volumes.noSnapshots')}
        rows={own.map((snapshot) => {
          const { name = '', creationTimestamp } = snapshot.metadata
          return {
            key: name,
            cells: [
              <StateMark key="state" shown={snapshotState(language, snapshot)} />,
              <Link key="name" to="/snapshots/$namespace/$name" params={{ namespace, name }}>
                {name}
              </Link>,
              <Age key="age" since={creationTimestamp} />,
            ],
          }
        })}
      />
    </Card>
  )
}
