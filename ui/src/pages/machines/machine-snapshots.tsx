// The snapshots of a machine as one: taken with all its disks at one moment, and the ways back.
import { Camera, CopyPlus, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { KEPT_MACHINES, type KeptMachine, type Machine, RETURNS } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { Button } from '../../parts/button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { Card, SmallTable } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { isOff, keptState } from './kept.ts'
import { BringBack, NewFrom, TakeKept } from './kept-forms.tsx'

type Asked = { readonly to: 'take' } | { readonly to: 'back' | 'new' | 'delete'; readonly kept: KeptMachine }

export function MachineSnapshots({ machine }: { readonly machine: Machine }) {
  const { t, language } = useWords()
  const { namespace, name: machineName = '' } = machine.metadata
  const mayTake = useMay({ verb: 'create', place: KEPT_MACHINES, namespace }) === true
  const mayReturn = useMay({ verb: 'create', place: RETURNS, namespace }) === true
  const { list } = useObjects(KEPT_MACHINES, { namespace })
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const own = list
    .filter(({ spec }) => spec?.source?.name === machineName)
    .sort((a, b) => timeOf(b).localeCompare(timeOf(a)))
  const kept = asked && asked.to !== 'take' ? asked.kept : undefined
  const take = mayTake && (
    <Button onPress={() => setAsked({ to: 'take' })}>
      <Camera className="icon" aria-hidden />
      {t('kept.take')}
    </Button>
  )
  return (
    <Card title={t('kept.title')} end={take}>
      <SmallTable
        label={t('kept.title')}
        titles={[t('column.state'), t('column.name'), t('column.age'), t('column.actions')]}
        empty={t('kept.none')}
        rows={own.map((one) => ({
          key: one.metadata.uid ?? '',
          cells: [
            <StateMark key="state" shown={keptState(language, one)} />,
            one.metadata.name,
            <Age key="age" since={timeOf(one)} />,
            <Ways
              key="ways"
              kept={one}
              mayReturn={mayReturn}
              isOff={isOff(machine)}
              onAsk={(to) => setAsked({ to, kept: one })}
            />,
          ],
        }))}
      />
      <TakeKept machine={asked?.to === 'take' ? machine : undefined} onClose={close} />
      <BringBack kept={asked?.to === 'back' ? kept : undefined} machine={machineName} onClose={close} />
      <NewFrom
        from={asked?.to === 'new' && kept ? { name: kept.metadata.name ?? '', kept } : undefined}
        onClose={close}
      />
      <DeleteDialog
        place={KEPT_MACHINES}
        object={asked?.to === 'delete' ? kept : undefined}
        note={t('kept.delete')}
        onClose={close}
      />
    </Card>
  )
}

function timeOf({ metadata, status }: KeptMachine): string {
  return status?.creationTime ?? metadata.creationTimestamp ?? ''
}

interface WaysProps {
  readonly kept: KeptMachine
  readonly mayReturn: boolean
  readonly isOff: boolean
  readonly onAsk: (to: 'back' | 'new' | 'delete') => void
}

function Ways({ kept, mayReturn, isOff: off, onAsk }: WaysProps) {
  const { t } = useWords()
  const name = kept.metadata.name ?? ''
  const isReady = kept.status?.readyToUse === true && kept.metadata.deletionTimestamp === undefined
  return (
    <span className="btns">
      {mayReturn && isReady && (
        <>
          <Button
            square
            kind="quiet"
            label={off ? t('kept.back') : t('kept.stopFirst')}
            longLabel={t('action.of', { action: t('kept.back'), name })}
            isDisabled={!off}
            onPress={() => onAsk('back')}
          >
            <Undo2 className="icon" aria-hidden />
          </Button>
          <Button
            square
            kind="quiet"
            label={t('kept.asNew')}
            longLabel={t('action.of', { action: t('kept.asNew'), name })}
            onPress={() => onAsk('new')}
          >
            <CopyPlus className="icon" aria-hidden />
          </Button>
        </>
      )}
      <DeleteButton place={KEPT_MACHINES} object={kept} isSquare onPress={() => onAsk('delete')} />
    </span>
  )
}
