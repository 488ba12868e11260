// Addresses of the pages beside machines, images and hosts: a list of each kind, and a page for each object of it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { listSearch, root, text } from './root-route.tsx'

export interface TabSearch {
  /** The open view of an object's page; absent means the first. */
  readonly tab?: string
}

const tabSearch = (search: Record<string, unknown>): TabSearch => {
  const tab = text(search['tab'])
  return tab === undefined ? {} : { tab }
}

const volumes = createRoute({
  getParentRoute: () => root,
  path: '/volumes',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/volumes/volumes-page.tsx'), 'VolumesPage'),
})
const volume = createRoute({
  getParentRoute: () => root,
  path: '/volumes/$namespace/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/volumes/volume-page.tsx'), 'VolumePage'),
})
const snapshots = createRoute({
  getParentRoute: () => root,
  path: '/snapshots',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/snapshots/snapshots-page.tsx'), 'SnapshotsPage'),
})
const snapshot = createRoute({
  getParentRoute: () => root,
  path: '/snapshots/$namespace/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/snapshots/snapshot-page.tsx'), 'SnapshotPage'),
})

export const pageRoutes = [volumes, volume, snapshots, snapshot] as const
