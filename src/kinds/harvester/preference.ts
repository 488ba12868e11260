// Preference: something a person chose in the web page; Harvester's harvesterhci.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'

export const Preference = defineKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'Preference',
  plural: 'preferences',
  shortNames: ['preference', 'preferences'],
  scope: 'Namespaced',
  doc: 'Something a person chose in the web page.',
  body: () => s.object({ value: s.string('What was chosen, as text.') }, undefined, { required: ['value'] }),
})
export type Preference = KindOf<typeof Preference>
