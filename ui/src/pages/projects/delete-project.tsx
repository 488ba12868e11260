// Asks before a project goes, with what goes with it.
import { loadProjects } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { MACHINES } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { DeleteDialog } from '../kit/delete-dialog.tsx'
import { CLAIMS, PROJECTS, type Project } from '../kit/places.ts'

export interface DeleteProjectProps {
  readonly project: Project | undefined
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export function DeleteProject({ project, onClose, onDeleted }: DeleteProjectProps) {
  const { t } = useWords()
  const namespace = project?.metadata.name ?? ''
  const skip = project === undefined
  const machines = useObjects(MACHINES, { namespace, skip })
  const volumes = useObjects(CLAIMS, { namespace, skip })
  return (
    <DeleteDialog
      place={PROJECTS}
      object={project}
      note={t('projects.delete', { machines: machines.list.length, volumes: volumes.list.length })}
      isHeavy
      onClose={onClose}
      onDeleted={() => {
        loadProjects().catch(() => undefined)
        onDeleted?.()
      }}
    />
  )
}
