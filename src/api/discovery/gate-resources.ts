// Groups that are no stored objects and that gate/ answers: subresources.kubevirt.io, resources that have nothing but
// actions and streams, as virtctl looks for them, and metrics.k8s.io, as `kubectl top` does.
import type { ResourceEntry, SubresourceEntry } from './resources.ts'

const GATE_GROUP = 'subresources.kubevirt.io'

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

const GATE_RESOURCES: readonly ResourceEntry[] = [
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

function measured(name: string, kind: string, namespaced: boolean): ResourceEntry {
  return {
    name,
    singular: '',
    kind: { group: METRICS_GROUP, version: 'v1beta1', kind },
    namespaced,
    verbs: ['get', 'list'],
    shortNames: [],
    categories: [],
    subresources: [],
  }
}

const METRICS_GROUP = 'metrics.k8s.io'

/** Whole groups that gate/ answers, with the version that each has. */
export const GATE_GROUPS: ReadonlyMap<
  string,
  { readonly version: string; readonly resources: readonly ResourceEntry[] }
> = new Map([
  [GATE_GROUP, { version: 'v1', resources: GATE_RESOURCES }],
  [
    METRICS_GROUP,
    {
      version: 'v1beta1',
      resources: [measured('nodes', 'NodeMetrics', false), measured('pods', 'PodMetrics', true)],
    },
  ],
])
