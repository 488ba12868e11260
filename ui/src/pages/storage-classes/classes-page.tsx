// Storage classes: the ways in which volumes are made.
import { Link } from '@tanstack/react-router'
import { Star } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { messageOf } from '../../data/api.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { actionsColumn, ageColumn, nameColumn, textColumn } from '../kit/columns.tsx'
import { isUsual, makeUsual } from '../kit/default-class.ts'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { CLAIMS, CLASSES, type StorageClass } from '../kit/places.ts'
import { ClassForm } from './class-form.tsx'

export function ClassesPage() {
  const { t } = useWords()
  const classes = useObjects(CLASSES)
  const mayCreate = useMay({ verb: 'create', place: CLASSES })
  const users = useClassUsers()
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<StorageClass>()
  const create = useCallback(() => setCreating(true), [])
  const columns = useColumns(classes.list, users, setDoomed)
  return (
    <ObjectsPage
      id="storage-classes"
      title={t('page.storageClasses')}
      objects={classes}
      columns={columns}
      filterHint={t('kit.filterName')}
      empty={{ title: t('classes.empty'), next: t('classes.empty.next') }}
      create={mayCreate ? { label: t('classes.create'), onPress: create } : undefined}
    >
      <ClassForm isOpen={creating} classes={classes.list} onClose={() => setCreating(false)} />
      <DeleteDialog
        place={CLASSES}
        object={doomed}
        note={t('classes.delete')}
        users={users(doomed?.metadata.name ?? '')}
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}

/** Names of the claims of a class, for whoever may see them all. */
export function useClassUsers(): (name: string) => readonly string[] {
  const may = useMay({ verb: 'list', place: CLAIMS })
  const claims = useObjects(CLAIMS, { skip: may !== true })
  return useMemo(() => {
    const byClass = Map.groupBy(claims.list, ({ spec }) => spec?.storageClassName ?? '')
    return (name) => (byClass.get(name) ?? []).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  }, [claims.list])
}

function useColumns(
  classes: readonly StorageClass[],
  users: (name: string) => readonly string[],
  onDelete: (one: StorageClass) => void,
): readonly Column<StorageClass>[] {
  const { t } = useWords()
  const mayChange = useMay({ verb: 'patch', place: CLASSES })
  return useMemo(
    () => [
      nameColumn(t, (one) => (
        <>
          <Link to="/storage-classes/$name" params={{ name: one.metadata.name ?? '' }}>
            <strong>{one.metadata.name}</strong>
          </Link>{' '}
          {isUsual(one) && <span className="tag">{t('classes.usual')}</span>}
        </>
      )),
      {
        id: 'copies',
        title: t('classes.copies'),
        isNumber: true,
        cell: ({ parameters }) => parameters?.['numberOfReplicas'] ?? '–',
        sortKey: ({ parameters }) => Number(parameters?.['numberOfReplicas'] ?? 0),
      },
      textColumn('reclaim', t('classes.reclaim'), (one) => reclaimText(t, one), { priority: 2 }),
      textColumn('provisioner', t('classes.provisioner'), ({ provisioner = '' }) => provisioner, {
        priority: 3,
      }),
      {
        id: 'uses',
        title: t('classes.uses'),
        isNumber: true,
        priority: 2,
        cell: ({ metadata }) => users(metadata.name ?? '').length,
        sortKey: ({ metadata }) => users(metadata.name ?? '').length,
      },
      ageColumn(t),
      actionsColumn(t, (one) => (
        <>
          {mayChange && !isUsual(one) && !one.parameters?.['backingImage'] && (
            <UsualButton one={one} classes={classes} />
          )}
          <DeleteButton place={CLASSES} object={one} isSquare onPress={() => onDelete(one)} />
        </>
      )),
    ],
    [t, mayChange, classes, users, onDelete],
  )
}

type Words = ReturnType<typeof useWords>['t']

export function reclaimText(t: Words, { reclaimPolicy }: StorageClass): string {
  return t(reclaimPolicy === 'Retain' ? 'classes.reclaim.Retain' : 'classes.reclaim.Delete')
}

interface UsualProps {
  readonly one: StorageClass
  readonly classes: readonly StorageClass[]
}

function UsualButton({ one, classes }: UsualProps) {
  const { t } = useWords()
  const { name = '' } = one.metadata
  const mark = () =>
    makeUsual(name, classes).then(
      () => tell('ok', t('classes.madeUsual', { name })),
      (error: unknown) => tell('bad', messageOf(error)),
    )
  return (
    <Button
      square
      kind="quiet"
      label={t('classes.makeUsual')}
      longLabel={t('action.of', { action: t('classes.makeUsual'), name })}
      onPress={() => void mark()}
    >
      <Star className="icon" aria-hidden />
    </Button>
  )
}
