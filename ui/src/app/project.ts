// The project that the pages show: a namespace, or all of them where the user may see all.
import { useSearch } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { call } from '../data/api.ts'

interface Projects {
  /** Whether the user may look into all of them at once. */
  readonly all: boolean
  readonly names: readonly string[]
}

let known: Projects | undefined
const listeners = new Set<() => void>()

function set(next: Projects | undefined): void {
  known = next
  for (const listener of listeners) listener()
}

let first: Promise<void> | undefined

/** Asks unless that is known or asked already. */
export function ensureProjects(): Promise<void> {
  if (known) return Promise.resolve()
  first ??= loadProjects().finally(() => {
    first = undefined
  })
  return first
}

/** Asks again: after a login, and when a project has come or gone. */
export async function loadProjects(): Promise<void> {
  const { all, names } = await call<Projects>('/v1-croft/projects')
  const order = [...names].sort(
    (a, b) => Number(isSystemNamespace(a)) - Number(isSystemNamespace(b)) || a.localeCompare(b),
  )
  set({ all, names: order })
}

export function forgetProjects(): void {
  set(undefined)
}

/** Undefined until the server has answered. */
export function useProjects(): Projects | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => known,
  )
}

/** Undefined means all. Who may not see all sees one of theirs. */
export function useProject(): string | undefined {
  const named = useSearch({
    strict: false,
    select: ({ project }: { readonly project?: string }) => project,
  })
  const projects = useProjects()
  if (named !== undefined || !projects || projects.all) return named
  return projects.names[0] ?? 'default'
}

/** Namespaces of the system itself: shown last, and never chosen for something new. */
export function isSystemNamespace(name: string): boolean {
  return /^(kube-|cattle-|fleet-)|-system$/.test(name)
}
