// All addresses of the interface. The project and filters live in the address, so that a link shows what its sender saw.
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { MachinesPage } from '../pages/machines/machines-page.tsx'
import { BrokenPage } from './fallback-pages.tsx'
import { pageRoutes, tabSearch } from './page-routes.tsx'
import { listSearch, root } from './root-route.tsx'

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home/home-page.tsx'), 'HomePage'),
})
const machines = createRoute({
  getParentRoute: () => root,
  path: '/machines',
  validateSearch: listSearch,
  component: MachinesPage,
})
const create = createRoute({
  getParentRoute: () => root,
  path: '/machines/create',
  component: lazyRouteComponent(() => import('../pages/machines/create-page.tsx'), 'CreatePage'),
})
const machine = createRoute({
  getParentRoute: () => root,
  path: '/machines/$namespace/$name',
  component: lazyRouteComponent(() => import('../pages/machines/machine-page.tsx'), 'MachinePage'),
})
const machineOverview = createRoute({
  getParentRoute: () => machine,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/machines/overview.tsx'), 'Overview'),
})
const machineConsole = createRoute({
  getParentRoute: () => machine,
  path: '/console',
  validateSearch: (search: Record<string, unknown>): { readonly kind?: 'serial' } =>
    search['kind'] === 'serial' ? { kind: 'serial' } : {},
  component: lazyRouteComponent(() => import('../pages/machines/console-tab.tsx'), 'ConsoleTab'),
})
const machineTab = <const Path extends string>(
  path: Path,
  component: ReturnType<typeof lazyRouteComponent>,
) => createRoute({ getParentRoute: () => machine, path, component })
const machineDisks = machineTab(
  '/disks',
  lazyRouteComponent(() => import('../pages/machines/disks-tab.tsx'), 'DisksTab'),
)
const machineNetworks = machineTab(
  '/networks',
  lazyRouteComponent(() => import('../pages/machines/networks-tab.tsx'), 'NetworksTab'),
)
const machineSnapshots = machineTab(
  '/snapshots',
  lazyRouteComponent(() => import('../pages/machines/snapshots-tab.tsx'), 'SnapshotsTab'),
)
const machineLoad = machineTab(
  '/load',
  lazyRouteComponent(() => import('../pages/machines/load-tab.tsx'), 'LoadTab'),
)
const machineEvents = machineTab(
  '/events',
  lazyRouteComponent(() => import('../pages/machines/lately.tsx'), 'EventsTab'),
)
const machineYaml = createRoute({
  getParentRoute: () => machine,
  path: '/yaml',
  component: lazyRouteComponent(() => import('../pages/machines/yaml-tab.tsx'), 'YamlTab'),
})
const consoleWindow = createRoute({
  getParentRoute: () => root,
  path: '/console/$namespace/$name',
  validateSearch: (search: Record<string, unknown>): { readonly kind?: 'serial' } =>
    search['kind'] === 'serial' ? { kind: 'serial' } : {},
  component: lazyRouteComponent(() => import('../pages/machines/console-window.tsx'), 'ConsoleWindow'),
})
const images = createRoute({
  getParentRoute: () => root,
  path: '/images',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/images/images-page.tsx'), 'ImagesPage'),
})
const hosts = createRoute({
  getParentRoute: () => root,
  path: '/hosts',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/hosts/hosts-page.tsx'), 'HostsPage'),
})
const host = createRoute({
  getParentRoute: () => root,
  path: '/hosts/$name',
  validateSearch: tabSearch,
  component: lazyRouteComponent(() => import('../pages/hosts/host-page.tsx'), 'HostPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    machines,
    create,
    machine.addChildren([
      machineOverview,
      machineConsole,
      machineDisks,
      machineNetworks,
      machineSnapshots,
      machineLoad,
      machineEvents,
      machineYaml,
    ]),
    consoleWindow,
    images,
    hosts,
    host,
    ...pageRoutes,
  ]),
  defaultErrorComponent: BrokenPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
