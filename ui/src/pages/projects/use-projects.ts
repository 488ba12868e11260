// The projects that the user may see: all of them as they are, or for whoever may not list them those by name.
import { useEffect, useState } from 'react'
import { useProjects } from '../../app/project.ts'
import { ApiFailure, call, messageOf } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { type Objects, useObjects } from '../../data/use-objects.ts'
import { useMay } from '../kit/may.ts'
import { PROJECTS, type Project } from '../kit/places.ts'

export type SeenProjects = Pick<Objects<Project>, 'list' | 'liveness' | 'failure'>

export function useProjectList(): SeenProjects {
  const may = useMay({ verb: 'list', place: PROJECTS })
  const all = useObjects(PROJECTS, { skip: may !== true })
  const own = useProjects()
  if (may !== false) return all
  const list = (own?.names ?? []).map(
    (name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }) as Project,
  )
  return { list, liveness: own ? 'live' : 'loading', failure: undefined }
}

/** One project: live for whoever may list them, read once for whoever may only look at their own. */
export function useOneProject(name: string): SeenProjects {
  const may = useMay({ verb: 'list', place: PROJECTS })
  const all = useObjects(PROJECTS, { name, skip: may !== true })
  const [read, setRead] = useState<SeenProjects>({ list: [], liveness: 'loading', failure: undefined })
  useEffect(() => {
    if (may !== false) return
    call<Project>(pathOf(PROJECTS, undefined, name)).then(
      (project) => setRead({ list: [project], liveness: 'live', failure: undefined }),
      (error: unknown) => {
        const failure = error instanceof ApiFailure ? error : new ApiFailure(0, '', messageOf(error))
        setRead({ list: [], liveness: 'failed', failure })
      },
    )
  }, [may, name])
  return may === false ? read : all
}
