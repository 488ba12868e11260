// The snapshots of a machine as one, and those of each of its disks.
import { Link } from '@tanstack/react-router'
import { Camera } from 'lucide-react'
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { claimsOf } from '../../data/machine-actions.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { Button } from '../../parts/button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { Card, SmallTable } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { CLAIMS, type Claim } from '../kit/places.ts'
import { useServed } from '../kit/served.ts'
import { SNAPSHOTS, snapshotState } from '../snapshots/snapshot-kind.ts'
import { TakeSnapshot } from '../snapshots/take-snapshot.tsx'
import { MachineSnapshots } from './machine-snapshots.tsx'
import { useMachine } from './use-machine.ts'
import '../kit/kit.css'

export function SnapshotsTab() {
  const { t } = useWords()
  const { machine, namespace } = useMachine()
  const isServed = useServed(SNAPSHOTS)
  const may = useMay({ verb: 'create', place: SNAPSHOTS, namespace })
  const claims = useObjects(CLAIMS, { namespace })
  const [taking, setTaking] = useState<Claim>()
  if (!machine) return null
  const names = claimsOf(machine)
  const disks = claims.list.filter(({ metadata }) => names.includes(metadata.name ?? ''))
  return (
    <div className="stack">
      <MachineSnapshots machine={machine} />
      {isServed === false && <p className="card in muted">{t('machine.noSnapshotKind')}</p>}
      {disks.length === 0 && claims.liveness === 'live' && (
        <p className="card in muted">{t('machine.noDisks')}</p>
      )}
      {disks.map((claim) => (
        <DiskSnapshots
          key={claim.metadata.uid}
          claim={claim}
          isServed={isServed === true}
          onTake={may === true && isServed === true ? () => setTaking(claim) : undefined}
        />
      ))}
      <TakeSnapshot claim={taking} onClose={() => setTaking(undefined)} />
    </div>
  )
}

interface DiskProps {
  readonly claim: Claim
  readonly isServed: boolean
  readonly onTake: (() => void) | undefined
}

function DiskSnapshots({ claim, isServed, onTake }: DiskProps) {
  const { t, language } = useWords()
  const { namespace = '', name: disk = '' } = claim.metadata
  const { list } = useObjects(SNAPSHOTS, { namespace, skip: !isServed })
  const own = list.filter(({ spec }) => spec?.source?.persistentVolumeClaimName === disk)
  const take = onTake && (
    <Button onPress={onTake}>
      <Camera className="icon" aria-hidden />
      {t('volumes.snap')}
    </Button>
  )
  return (
    <Card title={disk} end={take}>
      <SmallTable
        label={disk}
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
