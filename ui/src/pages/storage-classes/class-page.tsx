// One storage class.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { timeText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { isUsual } from '../kit/default-class.ts'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { Card, Facts, SmallTable } from '../kit/facts.tsx'
import { ObjectPage } from '../kit/object-page.tsx'
import { CLASSES, type StorageClass } from '../kit/places.ts'
import { reclaimText, useClassUsers } from './classes-page.tsx'

export function ClassPage() {
  const { t } = useWords()
  const { name } = useParams({ from: '/storage-classes/$name' })
  const classes = useObjects(CLASSES, { name })
  const users = useClassUsers()(name)
  return (
    <ObjectPage
      place={CLASSES}
      objects={classes}
      name={name}
      back={<Link to="/storage-classes">{t('kit.backToList')}</Link>}
      actions={(one) => <Actions one={one} users={users} />}
      overview={(one) => <Overview one={one} users={users} />}
    />
  )
}

interface PartProps {
  readonly one: StorageClass
  readonly users: readonly string[]
}

function Actions({ one, users }: PartProps) {
  const { t } = useWords()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  return (
    <>
      <DeleteButton place={CLASSES} object={one} onPress={() => setDeleting(true)} />
      <DeleteDialog
        place={CLASSES}
        object={deleting ? one : undefined}
        note={t('classes.delete')}
        users={users}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: '/storage-classes' })}
      />
    </>
  )
}

function Overview({ one, users }: PartProps) {
  const { t, language } = useWords()
  const waits = one.volumeBindingMode === 'WaitForFirstConsumer'
  return (
    <div className="columns">
      <Facts
        title={t('classes.facts')}
        facts={[
          [t('classes.provisioner'), one.provisioner ?? '–'],
          [t('classes.reclaim'), reclaimText(t, one)],
          [t('classes.binding'), t(`classes.binding.${waits ? 'WaitForFirstConsumer' : 'Immediate'}`)],
          [t('classes.expand'), t(one.allowVolumeExpansion ? 'kit.yes' : 'kit.no')],
          [t('classes.usual'), t(isUsual(one) ? 'kit.yes' : 'kit.no')],
          [t('classes.uses'), users.length],
          [t('machine.created'), timeText(language, one.metadata.creationTimestamp)],
        ]}
      />
      <Card title={t('classes.parameters')}>
        <SmallTable
          label={t('classes.parameters')}
          titles={[t('secrets.key'), t('secrets.value')]}
          empty={t('kit.none')}
          rows={Object.entries(one.parameters ?? {}).map(([key, value]) => ({
            key,
            cells: [
              <span key="key" className="mono">
                {key}
              </span>,
              value,
            ],
          }))}
        />
        <p className="in muted small">{t('classes.fixed')}</p>
      </Card>
    </div>
  )
}
