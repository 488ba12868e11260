// Networks: the default one with its addresses, and those that are written down beside it.
import { Link } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { MACHINES } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import type { Column } from '../../parts/data-table.tsx'
import { actionsColumn, ageColumn, nameColumn, projectColumn, textColumn } from '../kit/columns.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { useHomeProject } from '../kit/name-fields.tsx'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { NETWORKS, type Network } from '../kit/places.ts'
import { DefaultNetwork } from './default-network.tsx'
import { machinesOn, wiringOf } from './network-facts.ts'
import { NetworkForm } from './network-form.tsx'

export function NetworksPage() {
  const { t } = useWords()
  const project = useProject()
  const networks = useObjects(NETWORKS, { namespace: project })
  const machines = useObjects(MACHINES, { namespace: project })
  const mayCreate = useMay({ verb: 'create', place: NETWORKS, namespace: useHomeProject() })
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<Network>()
  const create = useCallback(() => setCreating(true), [])
  const columns = useMemo((): readonly Column<Network>[] => {
    const vlanOf = (one: Network) => wiringOf(one).vlan
    return [
      nameColumn(t, ({ metadata: { namespace = '', name = '' } }) => (
        <Link to="/networks/$namespace/$name" params={{ namespace, name }}>
          <strong>{name}</strong>
        </Link>
      )),
      projectColumn(t),
      textColumn('type', t('networks.type'), (one) => wiringOf(one).type, { priority: 2 }),
      {
        id: 'vlan',
        title: t('networks.vlan'),
        isNumber: true,
        cell: (one) => vlanOf(one) || '–',
        sortKey: vlanOf,
      },
      {
        id: 'users',
        title: t('networks.users'),
        isNumber: true,
        priority: 2,
        cell: (one) => machinesOn(one, machines.list).length,
        sortKey: (one) => machinesOn(one, machines.list).length,
      },
      ageColumn(t),
      actionsColumn(t, (one) => (
        <DeleteButton place={NETWORKS} object={one} isSquare onPress={() => setDoomed(one)} />
      )),
    ]
  }, [t, machines.list])
  return (
    <ObjectsPage
      id="networks"
      title={t('page.networks')}
      objects={networks}
      columns={columns}
      filterHint={t('kit.filterName')}
      note={
        <>
          <DefaultNetwork />
          {networks.list.length > 0 && <p className="note">{t('networks.notYet')}</p>}
        </>
      }
      empty={{ title: t('networks.empty'), next: t('networks.empty.next') }}
      create={mayCreate ? { label: t('networks.create'), onPress: create } : undefined}
    >
      <NetworkForm isOpen={creating} onClose={() => setCreating(false)} />
      <DeleteDialog
        place={NETWORKS}
        object={doomed}
        note={t('networks.delete')}
        users={doomed ? machinesOn(doomed, machines.list) : []}
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}
