// The pages of the rail, in the order of their use; search offers them, too.
import {
  Camera,
  Disc3,
  FileLock,
  FolderOpen,
  HardDrive,
  House,
  KeyRound,
  Layers,
  LayoutTemplate,
  LifeBuoy,
  type LucideIcon,
  Monitor,
  Network,
  Server,
  Settings,
  Users,
} from 'lucide-react'
import type { Key } from '../words/catalogue.ts'

export interface PageLink {
  readonly to: string
  readonly word: Extract<Key, `page.${string}`>
  readonly icon: LucideIcon
  /** 1 is what people do every day, 2 what stands below the line. */
  readonly group: 1 | 2
}

export const PAGES: readonly PageLink[] = [
  { to: '/', word: 'page.home', icon: House, group: 1 },
  { to: '/machines', word: 'page.machines', icon: Monitor, group: 1 },
  { to: '/volumes', word: 'page.volumes', icon: HardDrive, group: 1 },
  { to: '/images', word: 'page.images', icon: Disc3, group: 1 },
  { to: '/networks', word: 'page.networks', icon: Network, group: 1 },
  { to: '/snapshots', word: 'page.snapshots', icon: Camera, group: 1 },
  { to: '/templates', word: 'page.templates', icon: LayoutTemplate, group: 1 },
  { to: '/keys', word: 'page.keys', icon: KeyRound, group: 1 },
  { to: '/secrets', word: 'page.secrets', icon: FileLock, group: 1 },
  { to: '/hosts', word: 'page.hosts', icon: Server, group: 2 },
  { to: '/storage-classes', word: 'page.storageClasses', icon: Layers, group: 2 },
  { to: '/projects', word: 'page.projects', icon: FolderOpen, group: 2 },
  { to: '/users', word: 'page.users', icon: Users, group: 2 },
  { to: '/settings', word: 'page.settings', icon: Settings, group: 2 },
  { to: '/support', word: 'page.support', icon: LifeBuoy, group: 2 },
]
