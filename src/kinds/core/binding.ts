// Bindings: the word of the scheduler.
import { defineKind } from '../define.ts'
import { bindingBody } from './binding-body.ts'

export const Binding = defineKind({
  group: '',
  version: 'v1',
  kind: 'Binding',
  plural: 'bindings',
  scope: 'Namespaced',
  doc: 'Binds a Pod to a node.',
  body: () => bindingBody,
  verbs: ['create'],
  virtual: true,
})
