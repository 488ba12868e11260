// One snapshot of a volume, and a new volume from it.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { quantityBytes, quantityText, timeText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { Facts } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectPage } from '../kit/object-page.tsx'
import { CLAIMS } from '../kit/places.ts'
import { CreateVolume } from '../volumes/create-volume.tsx'
import { gibFor } from '../volumes/volume-facts.ts'
import { SNAPSHOTS, type Snapshot, snapshotState } from './snapshot-kind.ts'

export function SnapshotPage() {
  const { t, language } = useWords()
  const { namespace, name } = useParams({ from: '/snapshots/$namespace/$name' })
  const snapshots = useObjects(SNAPSHOTS, { namespace, name })
  return (
    <ObjectPage
      place={SNAPSHOTS}
      objects={snapshots}
      name={name}
      about={namespace}
      back={<Link to="/snapshots">{t('kit.backToList')}</Link>}
      shown={(snapshot) => snapshotState(language, snapshot)}
      why={(snapshot) => {
        const { message, word, tone } = snapshotState(language, snapshot)
        return message ? (
          <section className={`note ${tone}`} aria-label={t('machine.why')}>
            <strong>{word}</strong>
            {message}
          </section>
        ) : null
      }}
      actions={(snapshot) => <Actions snapshot={snapshot} />}
      overview={(snapshot) => (
        <Facts
          title={t('snapshots.facts')}
          facts={[
            [
              t('snapshots.of'),
              <Link
                key="of"
                to="/volumes/$namespace/$name"
                params={{ namespace, name: snapshot.spec?.source?.persistentVolumeClaimName ?? '' }}
              >
                {snapshot.spec?.source?.persistentVolumeClaimName}
              </Link>,
            ],
            [t('column.size'), quantityText(language, snapshot.status?.restoreSize)],
            [
              t('snapshots.takenAt'),
              timeText(language, snapshot.status?.creationTime ?? snapshot.metadata.creationTimestamp),
            ],
          ]}
        />
      )}
    />
  )
}

function Actions({ snapshot }: { readonly snapshot: Snapshot }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { namespace = '', name = '' } = snapshot.metadata
  const [open, setOpen] = useState<'restore' | 'delete'>()
  const mayCreate = useMay({ verb: 'create', place: CLAIMS, namespace })
  const claims = useObjects(CLAIMS, { namespace })
  const origin = claims.list.find(
    ({ metadata }) => metadata.name === snapshot.spec?.source?.persistentVolumeClaimName,
  )
  return (
    <>
      {mayCreate && snapshot.status?.readyToUse && (
        <Button kind="primary" onPress={() => setOpen('restore')}>
          {t('snapshots.restore')}
        </Button>
      )}
      <DeleteButton place={SNAPSHOTS} object={snapshot} onPress={() => setOpen('delete')} />
      <CreateVolume
        isOpen={open === 'restore'}
        onClose={() => setOpen(undefined)}
        from={{
          namespace,
          source: 'snapshot',
          from: name,
          storageClass: origin?.spec?.storageClassName ?? '',
          size: String(gibFor(quantityBytes(snapshot.status?.restoreSize))),
        }}
      />
      <DeleteDialog
        place={SNAPSHOTS}
        object={open === 'delete' ? snapshot : undefined}
        note={t('snapshots.delete')}
        onClose={() => setOpen(undefined)}
        onDeleted={() => void navigate({ to: '/snapshots' })}
      />
    </>
  )
}
