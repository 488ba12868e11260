// Whether the server serves a kind, by its discovery: what is not there yet is not offered.
import { useEffect, useState } from 'react'
import { call } from '../../data/api.ts'

interface ResourceList {
  readonly resources?: readonly { readonly name: string }[]
}

const known = new Map<string, Promise<readonly string[]>>()

function resourcesOf(group: string, version: string): Promise<readonly string[]> {
  const key = `${group}/${version}`
  const asked =
    known.get(key) ??
    call<{ readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[] }>(
      '/apis',
    )
      .then(({ groups }) =>
        groups.some(({ versions }) => versions.some(({ groupVersion }) => groupVersion === key))
          ? call<ResourceList>(`/apis/${key}`)
          : {},
      )
      .then(({ resources = [] }: ResourceList) => resources.map(({ name }) => name))
      .catch(() => {
        known.delete(key)
        return []
      })
  known.set(key, asked)
  return asked
}

export interface ServedKind {
  readonly group: string
  readonly version: string
  readonly plural: string
}

/** Undefined until the answer is there. */
export function useServed({ group, version, plural }: ServedKind): boolean | undefined {
  const [served, setServed] = useState<boolean>()
  useEffect(() => {
    let left = false
    void resourcesOf(group, version).then((names) => {
      if (!left) setServed(names.includes(plural))
    })
    return () => {
      left = true
    }
  }, [group, version, plural])
  return served
}
