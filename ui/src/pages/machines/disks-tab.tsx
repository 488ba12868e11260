// The disks of a machine, in the order it boots from them: their volumes, how these are, and adding or removing one.
import { Link } from '@tanstack/react-router'
import { HardDrive, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { messageOf } from '../../data/api.ts'
import { save } from '../../data/changes.ts'
import { MACHINES, type Machine } from '../../data/kinds.ts'
import { bytesText } from '../../data/measures.ts'
import { useMay } from '../../data/rights.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { QuickButton } from '../../parts/quick-button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { Card, SmallTable } from '../kit/facts.tsx'
import { CLAIMS } from '../kit/places.ts'
import { useBehind } from '../volumes/use-volumes.ts'
import { sizeOf, volumeState } from '../volumes/volume-facts.ts'
import { AddDisk } from './add-disk.tsx'
import { disksOf, withoutDisk } from './machine-disks.ts'
import { useMachine } from './use-machine.ts'
import '../kit/kit.css'

export function DisksTab() {
  const { t, language } = useWords()
  const { machine, instance, namespace } = useMachine()
  const claims = useObjects(CLAIMS, { namespace })
  const behind = useBehind(namespace)
  const may = useMay(namespace)
  const mayEdit = may({ verb: 'patch', group: 'kubevirt.io', resource: 'virtualmachines' })
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<string>()
  if (!machine) return null
  const needsRestart = instance !== undefined
  return (
    <>
      <Card
        title={t('machine.disks')}
        end={
          mayEdit && (
            <Button onPress={() => setAdding(true)}>
              <HardDrive className="icon" aria-hidden />
              {t('disks.add')}
            </Button>
          )
        }
      >
        <SmallTable
          label={t('machine.disks')}
          titles={[
            t('column.state'),
            t('column.name'),
            t('disks.kind'),
            t('disks.bus'),
            t('disks.boot'),
            t('page.volumes'),
            t('column.size'),
            t('column.actions'),
          ]}
          empty={t('machine.noDisks')}
          rows={disksOf(machine).map(({ name, kind, bus, bootOrder, claimName }) => {
            const claim = claims.objects.get(`${namespace}/${claimName}`)
            return {
              key: name,
              cells: [
                claim ? (
                  <StateMark key="state" shown={volumeState(language, claim, behind.volumeOf(claim))} />
                ) : (
                  '–'
                ),
                <strong key="name">{name}</strong>,
                t(`disks.kind.${kind}`),
                bus,
                bootOrder ?? '–',
                claimName === undefined ? (
                  '–'
                ) : (
                  <Link key="claim" to="/volumes/$namespace/$name" params={{ namespace, name: claimName }}>
                    {claimName}
                  </Link>
                ),
                claim ? bytesText(language, sizeOf(claim)) : '–',
                mayEdit ? (
                  <QuickButton
                    key="remove"
                    icon={Trash2}
                    label={t('disks.remove')}
                    longLabel={t('action.of', { action: t('disks.remove'), name })}
                    onPress={() => setDoomed(name)}
                  />
                ) : (
                  ''
                ),
              ],
            }
          })}
        />
      </Card>
      {adding && <AddDisk machine={machine} needsRestart={needsRestart} onClose={() => setAdding(false)} />}
      {doomed !== undefined && (
        <RemoveDisk
          machine={machine}
          name={doomed}
          needsRestart={needsRestart}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </>
  )
}

interface RemoveProps {
  readonly machine: Machine
  readonly name: string
  readonly needsRestart: boolean
  readonly onClose: () => void
}

function RemoveDisk({ machine, name, needsRestart, onClose }: RemoveProps) {
  const { t } = useWords()
  const [refusal, setRefusal] = useState<string>()
  const remove = async () => {
    try {
      const { is } = await save(MACHINES, machine, withoutDisk(machine, name))
      if (is === 'conflict') return setRefusal(t('edit.conflict'))
      tell('ok', t('disks.removed', { name }))
      onClose()
    } catch (error) {
      setRefusal(messageOf(error))
    }
  }
  return (
    <Dialog title={t('disks.removeTitle', { name })} isOpen onClose={onClose} isGrave>
      <p>{t('disks.removeWhat')}</p>
      {needsRestart && <p className="muted">{t('edit.needsRestart')}</p>}
      {refusal && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
      <div className="dialog-end">
        <Button autoFocus onPress={onClose}>
          {t('app.cancel')}
        </Button>
        <Button kind="danger" onPress={() => void remove()}>
          {t('disks.remove')}
        </Button>
      </div>
    </Dialog>
  )
}
