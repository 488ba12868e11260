// The route that all others stand under: the shell, and the project that every address may name.
import { createRootRoute, retainSearchParams } from '@tanstack/react-router'
import { BrokenPage, NoSuchPage } from './fallback-pages.tsx'
import { Shell } from './shell.tsx'

export interface RootSearch {
  /** Namespace; absent means all. */
  readonly project?: string
}
export interface ListSearch {
  /** What the list is filtered by. */
  readonly q?: string
  /** The column it is sorted by; from the top down behind a minus. */
  readonly sort?: string
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const root = createRootRoute({
  component: Shell,
  notFoundComponent: NoSuchPage,
  errorComponent: BrokenPage,
  validateSearch: (search: Record<string, unknown>): RootSearch => {
    const project = text(search['project'])
    return project === undefined ? {} : { project }
  },
  search: { middlewares: [retainSearchParams(['project'])] },
})

export const listSearch = (search: Record<string, unknown>): ListSearch => {
  const q = text(search['q'])
  const sort = text(search['sort'])
  return { ...(q === undefined ? {} : { q }), ...(sort === undefined ? {} : { sort }) }
}
