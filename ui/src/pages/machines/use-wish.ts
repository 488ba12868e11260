// From the fields of the form and what is there on the server to the machine that would be made, and the server's
// verdict on it.
import { useEffect, useMemo, useRef, useState } from 'react'
import { useProject } from '../../app/project.ts'
import { ApiFailure, call, messageOf } from '../../data/api.ts'
import { IMAGES, type Image, MACHINES, type Machine, pathOf } from '../../data/kinds.ts'
import { isImageReady } from '../../data/machine-state.ts'
import { useObjects } from '../../data/use-objects.ts'
import { CLASSES, KEYS, type KeyPair, type TemplateVersion, VERSIONS } from '../kit/places.ts'
import { type Form, numbersOf } from './create-form.ts'
import type { Verdict } from './create-plan.tsx'
import { machineFromTemplate } from './from-template.ts'
import { isIsoImage, machineFor, type Wish } from './new-machine.ts'

export interface Offer {
  readonly images: readonly Image[]
  readonly versions: readonly TemplateVersion[]
  readonly keys: readonly KeyPair[]
  readonly isLoading: boolean
}

export function useOffer(): Offer {
  const images = useObjects(IMAGES)
  const versions = useObjects(VERSIONS)
  const keys = useObjects(KEYS)
  return useMemo(
    () => ({
      images: images.list
        .filter(isImageReady)
        .sort((a, b) => (a.spec.displayName ?? '').localeCompare(b.spec.displayName ?? '')),
      versions: versions.list.filter(({ spec }) => spec?.vm?.spec !== undefined),
      keys: keys.list,
      isLoading: images.liveness === 'loading',
    }),
    [images.list, images.liveness, versions.list, keys.list],
  )
}

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'

export interface Wished {
  readonly namespace: string
  /** Absent for a template, which says all but the name itself. */
  readonly wish: Wish | undefined
  readonly machine: ((start: boolean) => Machine) | undefined
}

export function useWish(form: Form, offer: Offer): Wished {
  const project = useProject()
  const classes = useObjects(CLASSES)
  return useMemo(() => {
    const namespace = form.namespace ?? project ?? 'default'
    const { name } = form
    if (form.from === 'template') {
      const version =
        offer.versions.find(({ metadata }) => metadata.uid === form.template) ?? offer.versions[0]
      return {
        namespace,
        wish: undefined,
        machine: version && ((start) => machineFromTemplate({ namespace, name, version, start })),
      }
    }
    const image = offer.images.find(({ metadata }) => metadata.uid === form.image) ?? offer.images[0]
    if (!image) return { namespace, wish: undefined, machine: undefined }
    const standard = classes.list.find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true')
    const wish: Wish = {
      namespace,
      name,
      image,
      ...numbersOf(form),
      sshKey: form.sshKey,
      userData: form.userData,
      start: true,
      isIso: isIsoImage(image),
      className: standard?.metadata.name,
      runStrategy: form.runStrategy,
      description: form.description,
      keys: offer.keys.flatMap(({ metadata, spec }) => {
        const id = `${metadata.namespace}/${metadata.name}`
        return form.keys.includes(id) && spec?.publicKey ? [{ name: id, publicKey: spec.publicKey }] : []
      }),
      ...(form.network === '' ? {} : { network: form.network }),
      ...(form.host === '' ? {} : { host: form.host }),
    }
    return { namespace, wish, machine: (start) => machineFor({ ...wish, start }) }
  }, [form, offer, project, classes.list])
}

/** Keys come faster than the server should be asked. */
const ASK_AFTER_MS = 350

export function asFailure(error: unknown): ApiFailure {
  return error instanceof ApiFailure ? error : new ApiFailure(0, '', messageOf(error))
}

/** What the server would say to the machine, by a dry run. `text` is its JSON; empty: nothing is asked. */
export function useVerdict(namespace: string, text: string): Verdict {
  const [verdict, setVerdict] = useState<Verdict>({ is: 'waits' })
  const asked = useRef(0)
  useEffect(() => {
    const own = ++asked.current
    if (text === '') {
      setVerdict({ is: 'waits' })
      return
    }
    setVerdict({ is: 'asks' })
    const timer = setTimeout(() => {
      const path = `${pathOf(MACHINES, namespace)}?dryRun=All&fieldValidation=Strict`
      call(path, { method: 'POST', body: JSON.parse(text) }).then(
        () => own === asked.current && setVerdict({ is: 'fits' }),
        (error: unknown) => own === asked.current && setVerdict({ is: 'refused', failure: asFailure(error) }),
      )
    }, ASK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [namespace, text])
  return verdict
}
