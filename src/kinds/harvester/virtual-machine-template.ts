// VirtualMachineTemplate: a name under which versions of a machine's blueprint are kept; Harvester's
// harvesterhci.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { templateRule } from './rules/template.ts'

export const VirtualMachineTemplate = defineKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'VirtualMachineTemplate',
  plural: 'virtualmachinetemplates',
  shortNames: ['vmtemplate', 'vmtemplates'],
  scope: 'Namespaced',
  doc: 'A blueprint of machines; what it says lies in its versions.',
  body: () =>
    s.object({
      spec: s.object(
        {
          defaultVersionId: s.string('Version used when none is chosen, as namespace/name.'),
          description: s.string('What the template is for.'),
        },
        'Which version counts.',
      ),
      status: s.object(
        {
          defaultVersion: s.integer('Number of the default version.'),
          latestVersion: s.integer('Highest number given so far.'),
        },
        'Numbers of the versions.',
      ),
    }),
  status: true,
  columns: [
    { name: 'VERSION_ID', type: 'string', description: 'Default version.', value: '.spec.defaultVersionId' },
    {
      name: 'DESCRIPTION',
      type: 'string',
      description: 'What it is for.',
      priority: 10,
      value: '.spec.description',
    },
    {
      name: 'VERSION_DEFAULT',
      type: 'integer',
      description: 'Number of the default version.',
      priority: 8,
      value: '.status.defaultVersion',
    },
    {
      name: 'VERSION_LATEST',
      type: 'integer',
      description: 'Highest number given so far.',
      priority: 8,
      value: '.status.latestVersion',
    },
    { name: 'AGE', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
  rules: [templateRule],
})
export type VirtualMachineTemplate = KindOf<typeof VirtualMachineTemplate>
