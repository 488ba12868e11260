// Addresses of the pages beside machines, images and hosts: a list of each kind, and a page for each object of it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { type ListSearch, listSearch, root, text } from './root-route.tsx'

export interface TabSearch {
  /** The open view of an object's page; absent means the first. */
  readonly tab?: string
}

export const tabSearch = (search: Record<string, unknown>): TabSearch => {
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

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
})
const key = createRoute({
  getParentRoute: () => root,
  path: '/keys/$namespace/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/keys/key-page.tsx'), 'KeyPage'),
})
const secrets = createRoute({
  getParentRoute: () => root,
  path: '/secrets',
  validateSearch: (search: Record<string, unknown>): ListSearch & { readonly kind?: 'config' } => ({
    ...listSearch(search),
    ...(search['kind'] === 'config' ? { kind: 'config' } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/secrets/secrets-page.tsx'), 'SecretsPage'),
})
const secret = createRoute({
  getParentRoute: () => root,
  path: '/secrets/$namespace/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/secrets/secret-page.tsx'), 'SecretPage'),
})
const config = createRoute({
  getParentRoute: () => root,
  path: '/configs/$namespace/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/secrets/secret-page.tsx'), 'ConfigPage'),
})

const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/projects/projects-page.tsx'), 'ProjectsPage'),
})
const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/projects/project-page.tsx'), 'ProjectPage'),
})

const users = createRoute({
  getParentRoute: () => root,
  path: '/users',
  validateSearch: (search: Record<string, unknown>): ListSearch & { readonly kind?: 'roles' } => ({
    ...listSearch(search),
    ...(search['kind'] === 'roles' ? { kind: 'roles' } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/users/users-page.tsx'), 'UsersPage'),
})
const user = createRoute({
  getParentRoute: () => root,
  path: '/users/$name',
  component: lazyRouteComponent(() => import('../pages/users/user-page.tsx'), 'UserPage'),
})
const role = createRoute({
  getParentRoute: () => root,
  path: '/roles/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/users/role-page.tsx'), 'RolePage'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
})
const storageClasses = createRoute({
  getParentRoute: () => root,
  path: '/storage-classes',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/storage-classes/classes-page.tsx'), 'ClassesPage'),
})
const storageClass = createRoute({
  getParentRoute: () => root,
  path: '/storage-classes/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/storage-classes/class-page.tsx'), 'ClassPage'),
})

const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/templates/templates-page.tsx'), 'TemplatesPage'),
})
const template = createRoute({
  getParentRoute: () => root,
  path: '/templates/$namespace/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/templates/template-page.tsx'), 'TemplatePage'),
})

const networks = createRoute({
  getParentRoute: () => root,
  path: '/networks',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/networks/networks-page.tsx'), 'NetworksPage'),
})
const network = createRoute({
  getParentRoute: () => root,
  path: '/networks/$namespace/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/networks/network-page.tsx'), 'NetworkPage'),
})
const support = createRoute({
  getParentRoute: () => root,
  path: '/support',
  component: lazyRouteComponent(() => import('../pages/support/support-page.tsx'), 'SupportPage'),
})

export const pageRoutes = [
  volumes,
  volume,
  snapshots,
  snapshot,
  keys,
  key,
  secrets,
  secret,
  config,
  projects,
  project,
  users,
  user,
  role,
  settings,
  storageClasses,
  storageClass,
  templates,
  template,
  networks,
  network,
  support,
] as const
