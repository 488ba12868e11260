// Two small kinds for tests of the client and the loop: a Rack that wants Parts.
import type { KubeObject } from '../base/object.ts'
import { s } from '../kinds/build.ts'
import { defineKind } from '../kinds/define.ts'
import type { KindOf } from '../kinds/kind.ts'

export const Rack = defineKind({
  group: 'test.croft.io',
  version: 'v1',
  kind: 'Rack',
  plural: 'racks',
  scope: 'Namespaced',
  doc: 'Wants parts.',
  status: true,
  body: () =>
    s.object({
      spec: s.object({ parts: s.integer() }),
      status: s.object({ ready: s.integer(), phase: s.string() }),
    }),
})
export type Rack = KindOf<typeof Rack>

export const Part = defineKind({
  group: 'test.croft.io',
  version: 'v1',
  kind: 'Part',
  plural: 'parts',
  scope: 'Namespaced',
  doc: 'A part of a rack.',
  body: () => s.object({ spec: s.object({ number: s.integer() }) }),
})
export type Part = KindOf<typeof Part>

export const TestEvent = defineKind({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
  doc: 'Stands for core/v1 Event.',
  body: () => s.object({ message: s.string(), reason: s.string(), count: s.integer() }),
})

export const TestLease = defineKind({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
  doc: 'Stands for the Lease.',
  body: () => s.object({ spec: s.anything() }),
})

export function rack(name: string, parts: number, more: Partial<KubeObject['metadata']> = {}): Rack {
  return {
    apiVersion: 'test.croft.io/v1',
    kind: 'Rack',
    metadata: { name, namespace: 'default', ...more },
    spec: { parts },
  } as unknown as Rack
}

export function part(name: string, number: number, owner?: KubeObject): Part {
  const ownerReferences = owner && [
    {
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      name: owner.metadata.name ?? '',
      uid: owner.metadata.uid ?? '',
      controller: true,
      blockOwnerDeletion: true,
    },
  ]
  return {
    apiVersion: 'test.croft.io/v1',
    kind: 'Part',
    metadata: { name, namespace: 'default', ...(ownerReferences ? { ownerReferences } : {}) },
    spec: { number },
  } as unknown as Part
}
