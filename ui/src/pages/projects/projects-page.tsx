// Projects: what belongs together, with its members and its share of the cluster.
import { Link } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { isSystemNamespace } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { MACHINES } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import type { Column } from '../../parts/data-table.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { actionsColumn, ageColumn, nameColumn, textColumn } from '../kit/columns.tsx'
import { DeleteButton } from '../kit/delete-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { PROJECTS, type Project } from '../kit/places.ts'
import { DeleteProject } from './delete-project.tsx'
import { DESCRIPTION, ProjectForm } from './project-form.tsx'
import { projectState } from './project-state.ts'
import { useProjectList } from './use-projects.ts'

export function ProjectsPage() {
  const { t } = useWords()
  const projects = useProjectList()
  const mayCreate = useMay({ verb: 'create', place: PROJECTS })
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<Project>()
  const create = useCallback(() => setCreating(true), [])
  const columns = useColumns(setDoomed)
  return (
    <ObjectsPage
      id="projects"
      title={t('page.projects')}
      objects={projects}
      columns={columns}
      filterHint={t('kit.filterName')}
      empty={{ title: t('projects.empty'), next: t('projects.empty.next') }}
      create={mayCreate ? { label: t('projects.create'), onPress: create } : undefined}
    >
      <ProjectForm isOpen={creating} onClose={() => setCreating(false)} />
      <DeleteProject project={doomed} onClose={() => setDoomed(undefined)} />
    </ObjectsPage>
  )
}

function useColumns(onDelete: (project: Project) => void): readonly Column<Project>[] {
  const { t, language } = useWords()
  const mayAll = useMay({ verb: 'list', place: MACHINES })
  const machines = useObjects(MACHINES, { skip: mayAll !== true })
  const counts = useMemo(() => {
    const found = new Map<string, number>()
    for (const { metadata } of machines.list) {
      const { namespace = '' } = metadata
      found.set(namespace, (found.get(namespace) ?? 0) + 1)
    }
    return found
  }, [machines.list])
  return useMemo(() => {
    const columns: readonly (Column<Project> | false)[] = [
      {
        id: 'state',
        title: t('column.state'),
        cell: (project) => <StateMark shown={projectState(language, project)} />,
        sortKey: (project) => projectState(language, project).word,
      },
      nameColumn(t, ({ metadata: { name = '' } }) => (
        <Link to="/projects/$name" params={{ name }}>
          <strong>{name}</strong>
        </Link>
      )),
      textColumn(
        'description',
        t('kit.description'),
        ({ metadata }) => metadata.annotations?.[DESCRIPTION] ?? '',
        { priority: 2, wraps: true },
      ),
      mayAll === true && {
        id: 'machines',
        title: t('projects.machines'),
        isNumber: true,
        priority: 2,
        cell: ({ metadata }) => counts.get(metadata.name ?? '') ?? 0,
        sortKey: ({ metadata }) => counts.get(metadata.name ?? '') ?? 0,
      },
      ageColumn(t),
      actionsColumn(t, (project) =>
        isSystemNamespace(project.metadata.name ?? '') || project.metadata.name === 'default' ? null : (
          <DeleteButton place={PROJECTS} object={project} isSquare onPress={() => onDelete(project)} />
        ),
      ),
    ]
    return columns.filter((column) => column !== false)
  }, [t, language, counts, mayAll, onDelete])
}
