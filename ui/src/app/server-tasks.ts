// What the server is doing, read from its objects: images that arrive, machines that come and go, machines that
// are kept or put back, copies of volumes that are made anew. Nothing is kept: a task ends when its object rests.
import { useEffect, useMemo, useState } from 'react'
import type { KubeObject } from '../../../src/base/object.ts'
import { ENGINES, IMAGES, KEPT_MACHINES, MACHINES, RETURNS } from '../data/kinds.ts'
import { imageState, machineState } from '../data/machine-state.ts'
import { useObjects } from '../data/use-objects.ts'
import { useProject } from './project.ts'
import type { Task } from './tasks.ts'
import { useWords } from './words.ts'

/** What a page is about comes first: what is only told at its foot is asked for when that is there. */
const LATER_MS = 1_000
/** More are only counted. */
const SHOWN_MAX = 100

export function useServerTasks(): readonly Task[] {
  const { language } = useWords()
  const namespace = useProject()
  const images = useObjects(IMAGES, { namespace }).list
  const machines = useObjects(MACHINES, { namespace }).list
  const skip = !useLater()
  const rebuilds = useRebuilds(skip)
  const returns = useReturns(namespace, skip)
  return useMemo(() => {
    const tasks: Task[] = [...rebuilds, ...returns]
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
  }, [images, machines, rebuilds, returns, language])
}

function useLater(): boolean {
  const [isLater, setLater] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), LATER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLater
}

function useRebuilds(skip: boolean): readonly Task[] {
  const { t } = useWords()
  const engines = useObjects(ENGINES, { namespace: 'longhorn-system', skip }).list
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

/** Machines that are being kept, and those that are brought back from what was kept. */
function useReturns(namespace: string | undefined, skip: boolean): readonly Task[] {
  const { t } = useWords()
  const kept = useObjects(KEPT_MACHINES, { namespace, skip }).list
  const returns = useObjects(RETURNS, { namespace, skip }).list
  return useMemo(() => {
    const task = (one: KubeObject, title: string, detail: string | undefined): Task => ({
      id: one.metadata.uid ?? '',
      title,
      state: 'runs',
      ...(detail ? { detail } : {}),
      startedMs: Date.parse(one.metadata.creationTimestamp ?? ''),
      log: [],
    })
    return [
      ...kept
        .filter(({ status }) => status?.readyToUse !== true && status?.phase !== 'Failed')
        .map((one) =>
          task(one, t('tasks.keep', { name: one.spec?.source?.name ?? '' }), one.status?.error?.message),
        ),
      ...returns
        .filter(({ status }) => status?.complete !== true && !hasFailed(status?.conditions))
        .map((one) => {
          const { target, virtualMachineSnapshotName: snapshot = '' } = one.spec ?? {}
          const ready = one.status?.conditions?.find(({ type }) => type === 'Ready')
          return task(one, t('tasks.bringBack', { name: target?.name ?? '', snapshot }), ready?.reason)
        }),
    ]
  }, [kept, returns, t])
}

function hasFailed(
  conditions: readonly { readonly type?: string; readonly status?: string }[] = [],
): boolean {
  return conditions.some(({ type, status }) => type === 'Failure' && status === 'True')
}
