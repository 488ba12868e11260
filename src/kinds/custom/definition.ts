// The type of CustomResourceDefinition objects, taken from their schema.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import type {
  customResourceDefinitionSpec,
  customResourceDefinitionStatus,
} from '../kubernetes/custom-resource-body.ts'

export type DefinitionSpec = Infer<typeof customResourceDefinitionSpec>
export type DefinitionVersion = NonNullable<DefinitionSpec['versions']>[number]
export type DefinitionNames = NonNullable<DefinitionSpec['names']>
export type Definition = KubeObject & {
  readonly spec?: DefinitionSpec
  readonly status?: Infer<typeof customResourceDefinitionStatus>
}
