// Volumes: the disks of machines, with their copies and who uses them.
import { Link } from '@tanstack/react-router'
import { Scaling } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { bytesText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { ageColumn, projectColumn, textColumn } from '../kit/columns.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { useHomeProject } from '../kit/name-fields.tsx'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { CLAIMS, type Claim } from '../kit/places.ts'
import { CreateVolume } from './create-volume.tsx'
import { ExpandVolume } from './expand-volume.tsx'
import { type Behind, useBehind } from './use-volumes.ts'
import { sizeOf, usableCopies, volumeState } from './volume-facts.ts'

export function VolumesPage() {
  const { t } = useWords()
  const project = useProject()
  const home = useHomeProject()
  const claims = useObjects(CLAIMS, { namespace: project })
  const behind = useBehind(project)
  const mayCreate = useMay({ verb: 'create', place: CLAIMS, namespace: home })
  const [creating, setCreating] = useState(false)
  const [growing, setGrowing] = useState<Claim>()
  const [doomed, setDoomed] = useState<Claim>()
  const create = useCallback(() => setCreating(true), [])
  const columns = useColumns(behind, setGrowing, setDoomed)
  return (
    <ObjectsPage
      id="volumes"
      title={t('page.volumes')}
      objects={claims}
      columns={columns}
      filterHint={t('kit.filterName')}
      empty={{ title: t('volumes.empty'), next: t('volumes.empty.next') }}
      create={mayCreate ? { label: t('volumes.create'), onPress: create } : undefined}
    >
      <CreateVolume isOpen={creating} onClose={() => setCreating(false)} />
      <ExpandVolume claim={growing} onClose={() => setGrowing(undefined)} />
      <DeleteDialog
        place={CLAIMS}
        object={doomed}
        note={t('volumes.delete')}
        users={doomed ? behind.machinesOf(doomed) : []}
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}

type Choose = (claim: Claim) => void

function useColumns(behind: Behind, onGrow: Choose, onDelete: Choose): readonly Column<Claim>[] {
  const { t, language } = useWords()
  return useMemo(() => {
    const stateOf = (claim: Claim) => volumeState(language, claim, behind.volumeOf(claim))
    const columns: readonly (Column<Claim> | false)[] = [
      {
        id: 'state',
        title: t('column.state'),
        cell: (claim) => <StateMark shown={stateOf(claim)} />,
        sortKey: (claim) => stateOf(claim).word,
      },
      {
        id: 'name',
        title: t('column.name'),
        cell: ({ metadata: { namespace = '', name = '' } }) => (
          <Link to="/volumes/$namespace/$name" params={{ namespace, name }}>
            <strong>{name}</strong>
          </Link>
        ),
        sortKey: ({ metadata }) => metadata.name ?? '',
      },
      projectColumn(t),
      {
        id: 'machine',
        title: t('volumes.machine'),
        priority: 2,
        cell: (claim) => <Machines claim={claim} names={behind.machinesOf(claim)} />,
        sortKey: (claim) => behind.machinesOf(claim).join(', '),
      },
      {
        id: 'size',
        title: t('column.size'),
        isNumber: true,
        cell: (claim) => bytesText(language, sizeOf(claim)),
        sortKey: sizeOf,
      },
      behind.isOpen && {
        id: 'copies',
        title: t('volumes.copies'),
        priority: 2,
        isNumber: true,
        cell: (claim) => <Copies claim={claim} behind={behind} />,
        sortKey: (claim) => usableCopies(behind.copiesOf(claim)),
      },
      textColumn('class', t('volumes.class'), ({ spec }) => spec?.storageClassName ?? '', { priority: 3 }),
      ageColumn(t),
      {
        id: 'actions',
        title: t('column.actions'),
        isNumber: true,
        cell: (claim) => (
          <span className="btns">
            <GrowButton claim={claim} onPress={() => onGrow(claim)} />
            <DeleteButton place={CLAIMS} object={claim} isSquare onPress={() => onDelete(claim)} />
          </span>
        ),
      },
    ]
    return columns.filter((column) => column !== false)
  }, [t, language, behind, onGrow, onDelete])
}

function Machines({ claim, names }: { readonly claim: Claim; readonly names: readonly string[] }) {
  const { namespace = '' } = claim.metadata
  if (names.length === 0) return '–'
  return names.map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <Link to="/machines/$namespace/$name" params={{ namespace, name }}>
        {name}
      </Link>
    </span>
  ))
}

function Copies({ claim, behind }: { readonly claim: Claim; readonly behind: Behind }) {
  const { t } = useWords()
  const want = behind.volumeOf(claim)?.spec?.numberOfReplicas
  if (want === undefined) return '–'
  return t('volumes.copiesOf', { have: usableCopies(behind.copiesOf(claim)), want })
}

function GrowButton({ claim, onPress }: { readonly claim: Claim; readonly onPress: () => void }) {
  const { t } = useWords()
  const { namespace, name = '' } = claim.metadata
  const may = useMay({ verb: 'patch', place: CLAIMS, namespace })
  if (!may) return null
  return (
    <Button
      square
      kind="quiet"
      label={t('volumes.expand')}
      longLabel={t('action.of', { action: t('volumes.expand'), name })}
      isDisabled={claim.status?.phase !== 'Bound' || claim.metadata.deletionTimestamp !== undefined}
      onPress={onPress}
    >
      <Scaling className="icon" aria-hidden />
    </Button>
  )
}
