// All addresses of the interface. The project and filters live in the address, so that a link shows what its sender saw.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { MachinesPage } from '../pages/machines/machines-page.tsx'
import { BrokenPage, NoSuchPage } from './fallback-pages.tsx'
import { Shell } from './shell.tsx'

export interface RootSearch {
  /** Namespace; absent means all. */
  readonly project?: string
}
export interface ListSearch {
  /** What the list is filtered by. */
  readonly q?: string
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NoSuchPage,
  errorComponent: BrokenPage,
  validateSearch: (search: Record<string, unknown>): RootSearch => {
    const project = text(search['project'])
    return project === undefined ? {} : { project }
  },
  search: { middlewares: [retainSearchParams(['project'])] },
})

const listSearch = (search: Record<string, unknown>): ListSearch => {
  const q = text(search['q'])
  return q === undefined ? {} : { q }
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/machines', replace: true })
  },
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
const machineYaml = createRoute({
  getParentRoute: () => machine,
  path: '/yaml',
  component: lazyRouteComponent(() => import('../pages/machines/yaml-tab.tsx'), 'YamlTab'),
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
  component: lazyRouteComponent(() => import('../pages/hosts/hosts-page.tsx'), 'HostsPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    machines,
    create,
    machine.addChildren([machineOverview, machineConsole, machineYaml]),
    images,
    hosts,
  ]),
  defaultErrorComponent: BrokenPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
