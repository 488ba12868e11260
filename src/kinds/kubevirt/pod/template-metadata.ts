// Metadata of a template: the part of ObjectMeta that a person writes, kept as it was written.
import { type Infer, s } from '../../build.ts'
import { objectMetaSchema } from '../../meta.ts'

/** ObjectMeta without its life cycle: KubeVirt allows null and keeps what it finds. */
export const templateMetadata: typeof objectMetaSchema = {
  ...s.doc(objectMetaSchema, 'Name, labels and annotations of what is made from this template.'),
  nullable: true,
}
export type TemplateMetadata = Infer<typeof templateMetadata>
