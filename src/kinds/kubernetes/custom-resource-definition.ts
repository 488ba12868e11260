// CustomResourceDefinitions: kinds that users bring.
import { s } from '../build.ts'
import { createdAtColumn, nameColumn } from '../cells.ts'
import { completeDefinition } from '../custom/definition-defaults.ts'
import { checkDefinition } from '../custom/definition-rules.ts'
import { defineKind } from '../define.ts'
import { customResourceDefinitionSpec, customResourceDefinitionStatus } from './custom-resource-body.ts'

export const CustomResourceDefinition = defineKind({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'Cluster',
  doc: 'A kind that a user brings, or that croft itself brings.',
  body: () =>
    s.object({
      spec: s.write(customResourceDefinitionSpec),
      status: s.write(customResourceDefinitionStatus),
    }),
  status: true,
  mutators: [completeDefinition],
  rules: [checkDefinition],
  columns: [nameColumn, createdAtColumn],
})
