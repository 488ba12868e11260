// What the server is doing, read from its objects: images that arrive, machines that come and go, copies of volumes that
// are made anew. Nothing is kept: a task ends when its object rests.
import { useMemo } from 'react'
import { ENGINES, IMAGES, MACHINES } from '../data/kinds.ts'
import { imageState, machineState } from '../data/machine-state.ts'
import { useObjects } from '../data/use-objects.ts'
import { useProject } from './project.ts'
import type { Task } from './tasks.ts'
import { useWords } from './words.ts'

/** More are only counted. */
const SHOWN_MAX = 100

export function useServerTasks(): readonly Task[] {
  const { language } = useWords()
  const namespace = useProject()
  const images = useObjects(IMAGES, { namespace }).list
  const machines = useObjects(MACHINES, { namespace }).list
  const rebuilds = useRebuilds()
  return useMemo(() => {
    const tasks: Task[] = [...rebuilds]
    for (const image of images) {
      const shown = imageState(language, image)
      if (shown.tone !== 'busy') continue
      const { uid = '', creationTimestamp, name = '' } = image.metadata
      tasks.push({
        id: uid,
        title: `${image.spec.displayName || name}: ${shown.word}`,
        state: 'runs',
        ...(image.status?.progress ? { progress: image.status.progress / 100 } : {}),
        startedMs: Date.parse(creationTimestamp ?? ''),
        log: [],
        link: '/images',
      })
    }
    for (const machine of machines) {
      const shown = machineState(language, machine)
      if (shown.tone !== 'busy') continue
      const { uid = '', name = '', namespace: place = '', creationTimestamp } = machine.metadata
      tasks.push({
        id: uid,
        title: `${name}: ${shown.word}`,
        state: 'runs',
        ...(shown.message === undefined ? {} : { detail: shown.message }),
        startedMs: Date.parse(creationTimestamp ?? ''),
        log: [],
        link: `/machines/${place}/${name}`,
      })
      if (tasks.length >= SHOWN_MAX) break
    }
    return tasks
  }, [images, machines, rebuilds, language])
}

function useRebuilds(): readonly Task[] {
  const { t } = useWords()
  const engines = useObjects(ENGINES, { namespace: 'longhorn-system' }).list
  return useMemo(
    () =>
      engines.flatMap(({ metadata, spec, status }) =>
        Object.entries(status?.rebuildStatus ?? {})
          .filter(([, rebuild]) => rebuild?.isRebuilding === true)
          .map(
            ([replica, rebuild]): Task => ({
              id: `${metadata.uid} ${replica}`,
              title: t('tasks.rebuild', { volume: spec?.volumeName ?? metadata.name ?? '' }),
              state: 'runs',
              progress: Number(rebuild?.progress ?? 0) / 100,
              detail: replica,
              startedMs: 0,
              log: [],
            }),
          ),
      ),
    [engines, t],
  )
}
