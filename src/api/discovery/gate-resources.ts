// subresources.kubevirt.io: resources that have nothing but actions and streams, as virtctl looks for them.
import type { ResourceEntry, SubresourceEntry } from './resources.ts'

export const GATE_GROUP = 'subresources.kubevirt.io'

const NOTHING = { group: '', version: '', kind: '' }

function actions(names: readonly string[], verbs: readonly string[]): readonly SubresourceEntry[] {
  return names.map((name) => ({ name, kind: NOTHING, verbs }))
}

function resource(name: string, singular: string, subresources: readonly SubresourceEntry[]): ResourceEntry {
  return {
    name,
    singular,
    kind: NOTHING,
    namespaced: true,
    verbs: [],
    shortNames: [],
    categories: [],
    subresources,
  }
}

export const GATE_RESOURCES: readonly ResourceEntry[] = [
  resource('virtualmachines', 'virtualmachine', [
    ...actions(['addvolume', 'evacuate', 'memorydump', 'migrate', 'removememorydump'], ['update']),
    ...actions(['removevolume', 'restart', 'start', 'stop'], ['update']),
    ...actions(['expand-spec', 'objectgraph', 'portforward'], ['get']),
  ]),
  resource('virtualmachineinstances', 'virtualmachineinstance', [
    ...actions(['addvolume', 'backup', 'freeze', 'pause', 'removevolume', 'reset'], ['update']),
    ...actions(['softreboot', 'unfreeze', 'unpause'], ['update']),
    ...actions(['console', 'filesystemlist', 'guestosinfo', 'objectgraph', 'portforward'], ['get']),
    ...actions(['screenshot', 'usbredir', 'userlist', 'vnc', 'vsock'], ['get']),
  ]),
]
