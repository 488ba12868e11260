// What search finds: pages, actions that the user may do, and objects of the kinds that people look for.
import {
  Contrast,
  Disc3,
  type LucideIcon,
  Monitor,
  Play,
  Plus,
  Power,
  Server,
  SquareTerminal,
} from 'lucide-react'
import { useMemo } from 'react'
import { messageOf } from '../data/api.ts'
import { HOSTS, IMAGES, INSTANCES, MACHINES, type Machine } from '../data/kinds.ts'
import { type Action, act, canDo } from '../data/machine-actions.ts'
import { hostState, imageState, machineState, type Shown } from '../data/machine-state.ts'
import { useMay } from '../data/rights.ts'
import { useObjects } from '../data/use-objects.ts'
import { tell } from './messages.ts'
import { PAGES } from './pages.ts'
import { setPreferences } from './preferences.ts'
import { useProject } from './project.ts'
import { type Say, useWords } from './words.ts'

interface Common {
  readonly id: string
  readonly text: string
  /** What it is, where it lies. */
  readonly about: string
  readonly icon: LucideIcon
  readonly shown?: Shown
  /** Offered before anything is typed. */
  readonly isFirst?: boolean
}
export type Found = (Common & { readonly to: string }) | (Common & { readonly does: () => void })

export function useFindings(): readonly Found[] {
  const pages = usePlaces()
  const objects = useFoundObjects()
  const machines = useMachineFindings()
  return useMemo(() => [...pages, ...objects, ...machines], [pages, objects, machines])
}

function usePlaces(): readonly Found[] {
  const { t } = useWords()
  const may = useMay(useProject())
  const mayCreate = may({ verb: 'create', group: 'kubevirt.io', resource: 'virtualmachines' })
  return useMemo(() => {
    const create: Found = {
      id: 'create',
      text: t('create.title'),
      about: t('search.action'),
      icon: Plus,
      to: '/machines/create',
      isFirst: true,
    }
    const themes = (['light', 'dark', 'contrast'] as const).map(
      (theme): Found => ({
        id: `theme-${theme}`,
        text: `${t('app.theme')}: ${t(`app.theme.${theme}`)}`,
        about: t('search.action'),
        icon: Contrast,
        does: () => setPreferences({ theme }),
      }),
    )
    return [
      ...(mayCreate ? [create] : []),
      ...PAGES.map(
        ({ to, word, icon }): Found => ({
          id: to,
          text: t(word),
          about: t('search.page'),
          icon,
          to,
          isFirst: true,
        }),
      ),
      ...themes,
    ]
  }, [t, mayCreate])
}

function useFoundObjects(): readonly Found[] {
  const { t, language } = useWords()
  const namespace = useProject()
  const images = useObjects(IMAGES, { namespace }).list
  const hosts = useObjects(HOSTS).list
  return useMemo(
    () => [
      ...images.map(
        (image): Found => ({
          id: image.metadata.uid ?? '',
          text: image.spec.displayName || (image.metadata.name ?? ''),
          about: `${t('page.images')} · ${image.metadata.namespace}`,
          icon: Disc3,
          shown: imageState(language, image),
          to: `/images?q=${encodeURIComponent(image.spec.displayName ?? '')}`,
        }),
      ),
      ...hosts.map(
        (host): Found => ({
          id: host.metadata.uid ?? '',
          text: host.metadata.name ?? '',
          about: t('page.hosts'),
          icon: Server,
          shown: hostState(language, host),
          to: `/hosts/${host.metadata.name}`,
        }),
      ),
    ],
    [images, hosts, t, language],
  )
}

/** Actions on more machines than these are left to the list. */
const ACTED_MAX = 200

function useMachineFindings(): readonly Found[] {
  const { t, language } = useWords()
  const namespace = useProject()
  const may = useMay(namespace)
  const mayAct = may({ verb: 'update', group: 'subresources.kubevirt.io', resource: 'virtualmachines/start' })
  const { list } = useObjects(MACHINES, { namespace })
  const { objects: instances } = useObjects(INSTANCES, { namespace })
  return useMemo(() => {
    const found: Found[] = []
    for (const machine of list) {
      const place = `${machine.metadata.namespace}/${machine.metadata.name}`
      const common = {
        text: machine.metadata.name ?? '',
        about: `${t('page.machines')} · ${machine.metadata.namespace}`,
        shown: machineState(language, machine),
      }
      found.push({ ...common, id: place, icon: Monitor, to: `/machines/${place}` })
      if (list.length > ACTED_MAX) continue
      const instance = instances.get(place)
      if (instance?.status?.phase === 'Running')
        found.push({
          ...actionOf(t('action.console'), machine, t),
          icon: SquareTerminal,
          to: `/machines/${place}/console`,
        })
      if (!mayAct) continue
      for (const action of ['start', 'stop'] as const)
        if (canDo(action, machine, instance))
          found.push({
            ...actionOf(t(`action.${action}`), machine, t),
            icon: action === 'start' ? Play : Power,
            does: () => doIt(t, action, machine),
          })
    }
    return found
  }, [list, instances, t, language, mayAct])
}

function actionOf(action: string, { metadata }: Machine, t: Say) {
  return {
    id: `${action} ${metadata.uid}`,
    text: t('action.of', { action, name: metadata.name ?? '' }),
    about: `${t('search.action')} · ${metadata.namespace}`,
  }
}

function doIt(t: Say, action: Action, { metadata }: Machine): void {
  const { namespace = '', name = '' } = metadata
  act(action, namespace, name).then(
    () => tell('ok', t(`action.asked.${action}`, { name })),
    (error: unknown) => tell('bad', messageOf(error)),
  )
}
