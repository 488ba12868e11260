// VirtualMachineTemplateVersion: one version of a blueprint, whole and never changed; Harvester's
// harvesterhci.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { virtualMachineSpec } from '../kubevirt/machine-spec.ts'
import { templateMetadata } from '../kubevirt/pod/template-metadata.ts'
import { templateVersionRule } from './rules/template.ts'
import { harvesterCondition } from './schema/condition.ts'

export const VirtualMachineTemplateVersion = defineKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'VirtualMachineTemplateVersion',
  plural: 'virtualmachinetemplateversions',
  shortNames: ['vmtemplateversion', 'vmtemplateversions'],
  scope: 'Namespaced',
  doc: 'One version of a blueprint of machines.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            templateId: s.string('Template that this is a version of, as namespace/name.'),
            description: s.string('What is new in it.'),
            imageId: s.string('Image of the first disk, as namespace/name.'),
            keyPairIds: s.list(s.string(), 'KeyPairs put into the machine, each as namespace/name.'),
            vm: s.object(
              { metadata: templateMetadata, spec: virtualMachineSpec },
              'The machine as it would be created.',
            ),
          },
          'The blueprint.',
          { required: ['templateId'] },
        ),
        status: s.object(
          {
            version: s.integer('Number of this version; given once.'),
            conditions: s.list(harvesterCondition, 'Assigned says whether the number is given.'),
          },
          'Number of this version.',
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
  status: true,
  columns: [
    { name: 'TEMPLATE_ID', type: 'string', description: 'Its template.', value: '.spec.templateId' },
    {
      name: 'DESCRIPTION',
      type: 'string',
      description: 'What is new.',
      priority: 10,
      value: '.spec.description',
    },
    { name: 'VERSION', type: 'integer', description: 'Its number.', value: '.status.version' },
    { name: 'AGE', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
  rules: [templateVersionRule],
})
export type VirtualMachineTemplateVersion = KindOf<typeof VirtualMachineTemplateVersion>
