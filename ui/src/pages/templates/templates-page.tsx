// Templates: machines that are written down, in versions.
import { Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { MACHINES } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { actionsColumn, ageColumn, nameColumn, projectColumn, textColumn } from '../kit/columns.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { useHomeProject } from '../kit/name-fields.tsx'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { TEMPLATES, type Template, type TemplateVersion, VERSIONS } from '../kit/places.ts'
import { Launch } from './launch.tsx'
import { TemplateForm } from './template-form.tsx'

export function TemplatesPage() {
  const { t } = useWords()
  const project = useProject()
  const home = useHomeProject()
  const templates = useObjects(TEMPLATES, { namespace: project })
  const versions = useObjects(VERSIONS, { namespace: project })
  const mayCreate = useMay({ verb: 'create', place: TEMPLATES, namespace: home })
  const mayLaunch = useMay({ verb: 'create', place: MACHINES, namespace: home })
  const [creating, setCreating] = useState(false)
  const [launching, setLaunching] = useState<TemplateVersion>()
  const [doomed, setDoomed] = useState<Template>()
  const create = useCallback(() => setCreating(true), [])
  const columns = useMemo((): readonly Column<Template>[] => {
    const number = (id: 'defaultVersion' | 'latestVersion') => (one: Template) => one.status?.[id] ?? 0
    return [
      nameColumn(t, ({ metadata: { namespace = '', name = '' } }) => (
        <Link to="/templates/$namespace/$name" params={{ namespace, name }}>
          <strong>{name}</strong>
        </Link>
      )),
      projectColumn(t),
      textColumn('description', t('kit.description'), ({ spec }) => spec?.description ?? '', {
        priority: 2,
        wraps: true,
      }),
      {
        id: 'default',
        title: t('templates.default'),
        isNumber: true,
        priority: 2,
        cell: (one) => number('defaultVersion')(one) || '–',
        sortKey: number('defaultVersion'),
      },
      {
        id: 'latest',
        title: t('templates.latest'),
        isNumber: true,
        priority: 2,
        cell: (one) => number('latestVersion')(one) || '–',
        sortKey: number('latestVersion'),
      },
      ageColumn(t),
      actionsColumn(t, (one) => {
        const version = versions.objects.get(one.spec?.defaultVersionId ?? '')
        return (
          <>
            {mayLaunch && version && (
              <Button
                square
                kind="quiet"
                label={t('templates.launch')}
                longLabel={t('action.of', {
                  action: t('templates.launch'),
                  name: one.metadata.name ?? '',
                })}
                onPress={() => setLaunching(version)}
              >
                <Play className="icon" aria-hidden />
              </Button>
            )}
            <DeleteButton place={TEMPLATES} object={one} isSquare onPress={() => setDoomed(one)} />
          </>
        )
      }),
    ]
  }, [t, versions.objects, mayLaunch])
  return (
    <ObjectsPage
      id="templates"
      title={t('page.templates')}
      objects={templates}
      columns={columns}
      filterHint={t('kit.filterName')}
      empty={{ title: t('templates.empty'), next: t('templates.empty.next') }}
      create={mayCreate ? { label: t('templates.create'), onPress: create } : undefined}
    >
      <TemplateForm isOpen={creating} onClose={() => setCreating(false)} />
      <Launch version={launching} onClose={() => setLaunching(undefined)} />
      <DeleteDialog
        place={TEMPLATES}
        object={doomed}
        note={t('templates.delete')}
        onClose={() => setDoomed(undefined)}
      />
    </ObjectsPage>
  )
}
