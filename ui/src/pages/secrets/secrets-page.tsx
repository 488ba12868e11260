// Secrets and ConfigMaps: values that machines are given by name.
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { isSystemNamespace, useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { MACHINES } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import type { Column } from '../../parts/data-table.tsx'
import { Segments } from '../../parts/tiles.tsx'
import { actionsColumn, ageColumn, nameColumn, projectColumn, textColumn } from '../kit/columns.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { useHomeProject } from '../kit/name-fields.tsx'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { CONFIGS, type ConfigMap, SECRETS, type Secret } from '../kit/places.ts'
import { machinesWithConfig, machinesWithSecret } from '../kit/users-of.ts'
import { type Holds, ValueForm } from './value-form.tsx'

export function SecretsPage() {
  const { kind = 'secret' } = useSearch({ from: '/secrets' })
  return kind === 'config' ? <Configs /> : <Secrets />
}

function Choice({ holds }: { readonly holds: Holds }) {
  const { t } = useWords()
  const navigate = useNavigate()
  return (
    <div>
      <Segments
        label={t('secrets.which')}
        chosen={holds}
        onChoose={(id) =>
          void navigate({ to: '/secrets', search: id === 'config' ? { kind: 'config' } : {} })
        }
        tiles={[
          { id: 'secret', title: t('secrets.secrets'), what: '' },
          { id: 'config', title: t('secrets.configs'), what: '' },
        ]}
      />
    </div>
  )
}

/** The system's own stay out of sight until its namespace is chosen. */
function useShown<T extends Secret | ConfigMap>(
  list: readonly T[],
  project: string | undefined,
): readonly T[] {
  return useMemo(
    () =>
      list.filter(
        ({ metadata: { namespace = '', name = '' } }) =>
          (project !== undefined || !isSystemNamespace(namespace)) && name !== 'kube-root-ca.crt',
      ),
    [list, project],
  )
}

function Secrets() {
  const { t } = useWords()
  const project = useProject()
  const secrets = useObjects(SECRETS, { namespace: project })
  const machines = useObjects(MACHINES, { namespace: project })
  const list = useShown(secrets.list, project)
  const mayCreate = useMay({ verb: 'create', place: SECRETS, namespace: useHomeProject() })
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<Secret>()
  const create = useCallback(() => setCreating(true), [])
  const columns = useMemo(
    (): readonly Column<Secret>[] => [
      nameColumn(t, ({ metadata: { namespace = '', name = '' } }) => (
        <Link to="/secrets/$namespace/$name" params={{ namespace, name }}>
          <strong>{name}</strong>
        </Link>
      )),
      projectColumn(t),
      textColumn('type', t('secrets.type'), ({ type = '' }) => type, { priority: 2 }),
      textColumn('values', t('secrets.values'), ({ data }) => Object.keys(data ?? {}).join(', '), {
        priority: 2,
        wraps: true,
      }),
      ageColumn(t),
      actionsColumn(t, (secret) => (
        <DeleteButton place={SECRETS} object={secret} isSquare onPress={() => setDoomed(secret)} />
      )),
    ],
    [t],
  )
  return (
    <ObjectsPage
      id="secrets"
      title={t('page.secrets')}
      objects={{ ...secrets, list }}
      columns={columns}
      filterHint={t('kit.filterName')}
      note={<Choice holds="secret" />}
      empty={{ title: t('secrets.empty'), next: t('secrets.empty.next') }}
      create={mayCreate ? { label: t('secrets.create'), onPress: create } : undefined}
    >
      <ValueForm holds="secret" isOpen={creating} onClose={() => setCreating(false)} />
      <DeleteDialog
        place={SECRETS}
        object={doomed}
        note={t('secrets.delete')}
        users={
          doomed
            ? machinesWithSecret(machines.list, doomed.metadata.namespace, doomed.metadata.name ?? '')
            : []
        }
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}

function Configs() {
  const { t } = useWords()
  const project = useProject()
  const configs = useObjects(CONFIGS, { namespace: project })
  const machines = useObjects(MACHINES, { namespace: project })
  const list = useShown(configs.list, project)
  const mayCreate = useMay({ verb: 'create', place: CONFIGS, namespace: useHomeProject() })
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<ConfigMap>()
  const create = useCallback(() => setCreating(true), [])
  const columns = useMemo(
    (): readonly Column<ConfigMap>[] => [
      nameColumn(t, ({ metadata: { namespace = '', name = '' } }) => (
        <Link to="/configs/$namespace/$name" params={{ namespace, name }}>
          <strong>{name}</strong>
        </Link>
      )),
      projectColumn(t),
      textColumn('values', t('secrets.values'), ({ data }) => Object.keys(data ?? {}).join(', '), {
        priority: 2,
        wraps: true,
      }),
      ageColumn(t),
      actionsColumn(t, (config) => (
        <DeleteButton place={CONFIGS} object={config} isSquare onPress={() => setDoomed(config)} />
      )),
    ],
    [t],
  )
  return (
    <ObjectsPage
      id="configs"
      title={t('page.secrets')}
      objects={{ ...configs, list }}
      columns={columns}
      filterHint={t('kit.filterName')}
      note={<Choice holds="config" />}
      empty={{ title: t('configs.empty'), next: t('configs.empty.next') }}
      create={mayCreate ? { label: t('configs.create'), onPress: create } : undefined}
    >
      <ValueForm holds="config" isOpen={creating} onClose={() => setCreating(false)} />
      <DeleteDialog
        place={CONFIGS}
        object={doomed}
        note={t('secrets.delete')}
        users={
          doomed
            ? machinesWithConfig(machines.list, doomed.metadata.namespace, doomed.metadata.name ?? '')
            : []
        }
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}
