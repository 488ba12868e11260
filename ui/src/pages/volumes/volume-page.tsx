// One volume: what it is, where its copies lie, its snapshots, and what can be done to it.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { bytesText, timeText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { Card, Facts, SmallTable } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectPage } from '../kit/object-page.tsx'
import { CLAIMS, type Claim, type Replica } from '../kit/places.ts'
import { useServed } from '../kit/served.ts'
import { WhyNote } from '../kit/why-note.tsx'
import { SNAPSHOTS } from '../snapshots/snapshot-kind.ts'
import { TakeSnapshot } from '../snapshots/take-snapshot.tsx'
import { CreateVolume } from './create-volume.tsx'
import { ExpandVolume } from './expand-volume.tsx'
import { type Behind, useBehind } from './use-volumes.ts'
import { gibFor, sizeOf, volumeState } from './volume-facts.ts'
import { VolumeSnapshots } from './volume-snapshots.tsx'

export function VolumePage() {
  const { t, language } = useWords()
  const { namespace, name } = useParams({ from: '/volumes/$namespace/$name' })
  const claims = useObjects(CLAIMS, { namespace, name })
  const behind = useBehind(namespace)
  const snapshots = useServed(SNAPSHOTS) === true
  return (
    <ObjectPage
      place={CLAIMS}
      objects={claims}
      name={name}
      about={namespace}
      back={<Link to="/volumes">{t('kit.backToList')}</Link>}
      shown={(claim) => volumeState(language, claim, behind.volumeOf(claim))}
      actions={(claim) => <Actions claim={claim} behind={behind} snapshots={snapshots} />}
      why={(claim) => {
        const shown = volumeState(language, claim, behind.volumeOf(claim))
        const isFine = shown.tone === 'ok' || shown.tone === 'off'
        return <WhyNote kind="pvc" namespace={namespace} name={name} shown={shown} isFine={isFine} />
      }}
      overview={(claim) => <Overview claim={claim} behind={behind} />}
      more={(claim) =>
        snapshots
          ? [
              {
                id: 'snapshots',
                title: t('page.snapshots'),
                content: <VolumeSnapshots claim={claim} />,
              },
            ]
          : []
      }
    />
  )
}

interface ActionsProps {
  readonly claim: Claim
  readonly behind: Behind
  readonly snapshots: boolean
}

function Actions({ claim, behind, snapshots }: ActionsProps) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { namespace = '', name = '' } = claim.metadata
  const [open, setOpen] = useState<'expand' | 'snapshot' | 'clone' | 'delete'>()
  const close = () => setOpen(undefined)
  const mayChange = useMay({ verb: 'patch', place: CLAIMS, namespace })
  const mayCreate = useMay({ verb: 'create', place: CLAIMS, namespace })
  const maySnap = useMay({ verb: 'create', place: SNAPSHOTS, namespace })
  const isBound = claim.status?.phase === 'Bound'
  return (
    <>
      {mayChange && isBound && <Button onPress={() => setOpen('expand')}>{t('volumes.expand')}</Button>}
      {snapshots && maySnap && isBound && (
        <Button onPress={() => setOpen('snapshot')}>{t('volumes.snap')}</Button>
      )}
      {snapshots && mayCreate && isBound && (
        <Button onPress={() => setOpen('clone')}>{t('volumes.clone')}</Button>
      )}
      <DeleteButton place={CLAIMS} object={claim} onPress={() => setOpen('delete')} />
      <ExpandVolume claim={open === 'expand' ? claim : undefined} onClose={close} />
      <TakeSnapshot claim={open === 'snapshot' ? claim : undefined} onClose={close} />
      <CreateVolume
        isOpen={open === 'clone'}
        onClose={close}
        from={{
          namespace,
          source: 'clone',
          from: name,
          storageClass: claim.spec?.storageClassName ?? '',
          size: String(gibFor(sizeOf(claim))),
        }}
      />
      <DeleteDialog
        place={CLAIMS}
        object={open === 'delete' ? claim : undefined}
        note={t('volumes.delete')}
        users={behind.machinesOf(claim)}
        onClose={close}
        onDeleted={() => void navigate({ to: '/volumes' })}
      />
    </>
  )
}

function Overview({ claim, behind }: { readonly claim: Claim; readonly behind: Behind }) {
  const { t, language } = useWords()
  const volume = behind.volumeOf(claim)
  const machines = behind.machinesOf(claim)
  const { namespace = '' } = claim.metadata
  const mode = claim.spec?.volumeMode === 'Filesystem' ? 'Filesystem' : 'Block'
  return (
    <div className="columns">
      <Facts
        title={t('volumes.facts')}
        facts={[
          [t('column.size'), bytesText(language, sizeOf(claim))],
          [t('volumes.stored'), volume ? bytesText(language, volume.status?.actualSize ?? 0) : '–'],
          [
            t('volumes.machine'),
            machines.length === 0
              ? t('volumes.noneUsing')
              : machines.map((name, index) => (
                  <span key={name}>
                    {index > 0 && ', '}
                    <Link to="/machines/$namespace/$name" params={{ namespace, name }}>
                      {name}
                    </Link>
                  </span>
                )),
          ],
          [t('volumes.host'), volume?.status?.currentNodeID || '–'],
          [t('volumes.class'), claim.spec?.storageClassName ?? '–'],
          [t('volumes.mode'), t(`volumes.mode.${mode}`)],
          [
            t('volumes.access'),
            (claim.spec?.accessModes ?? []).map((one) => <Access key={one} mode={one} />),
          ],
          [t('machine.created'), timeText(language, claim.metadata.creationTimestamp)],
        ]}
      />
      {behind.isOpen && <Copies copies={behind.copiesOf(claim)} />}
    </div>
  )
}

function Access({ mode }: { readonly mode: string }) {
  const { t } = useWords()
  const known = ['ReadWriteMany', 'ReadWriteOnce', 'ReadOnlyMany'] as const
  const word = known.find((one) => one === mode)
  return <div>{word ? t(`volumes.access.${word}`) : mode}</div>
}

function Copies({ copies }: { readonly copies: readonly Replica[] }) {
  const { t } = useWords()
  return (
    <Card title={t('volumes.copies')}>
      <SmallTable
        label={t('volumes.copies')}
        titles={[t('column.state'), t('column.host'), t('volumes.disk')]}
        empty={t('volumes.noCopies')}
        rows={copies.map((copy) => ({
          key: copy.metadata.name ?? '',
          cells: [
            <CopyState key="state" copy={copy} />,
            copy.spec?.nodeID || '–',
            <span key="disk" className="mono">
              {copy.spec?.diskPath || '–'}
            </span>,
          ],
        }))}
      />
    </Card>
  )
}

function CopyState({ copy: { spec, status } }: { readonly copy: Replica }) {
  const { t } = useWords()
  if (!spec?.nodeID) return <StateMark shown={{ tone: 'warn', word: t('volumes.copy.none') }} />
  if (spec.failedAt || status?.currentState === 'error')
    return <StateMark shown={{ tone: 'bad', word: t('volumes.copy.failed') }} />
  return status?.currentState === 'running' ? (
    <StateMark shown={{ tone: 'ok', word: t('volumes.copy.fine') }} />
  ) : (
    <StateMark shown={{ tone: 'off', word: t('volumes.copy.idle') }} />
  )
}
