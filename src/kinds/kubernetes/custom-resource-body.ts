// Fields of a CustomResourceDefinition.
import type { Schema } from '../../base/schema.ts'
import { s, type Typed } from '../build.ts'

const anyJson: Typed<unknown> = { description: 'Any JSON value.' }
const rule = s.object(
  {
    rule: s.write(s.string('Expression that must be true.')),
    message: s.string('What is told when it is not.'),
    messageExpression: s.string('Expression that makes the message.'),
    reason: s.keep(s.string('Reason of the refusal.')),
    fieldPath: s.string('Field that is blamed.'),
    optionalOldSelf: s.keep(s.boolean('The rule also holds on creation.')),
  },
  'A rule in CEL.',
)

/** A JSON schema is made of JSON schemas: the fields are added after the schema itself exists. */
const schemaFields: Record<string, Typed<unknown>> = {}
const schemaShape: Schema = {
  type: 'object',
  description: 'A schema in the form of OpenAPI v3.',
  properties: schemaFields,
}
export const jsonSchemaProps: Typed<Schema> = schemaShape
/** A schema, or a plain yes or no. */
const schemaOrBoolShape: Schema = { properties: schemaFields }
const schemaOrBool: Typed<Schema | boolean> = schemaOrBoolShape
Object.assign(schemaFields, {
  id: s.string(),
  $schema: s.string(),
  $ref: s.keep(s.string()),
  description: s.string('What the value is.'),
  type: s.string('Type of the value.'),
  format: s.string('Format of the value.'),
  title: s.string(),
  default: anyJson,
  maximum: s.keep(s.number()),
  exclusiveMaximum: s.boolean(),
  minimum: s.keep(s.number()),
  exclusiveMinimum: s.boolean(),
  maxLength: s.keep(s.int64()),
  minLength: s.keep(s.int64()),
  pattern: s.string(),
  maxItems: s.keep(s.int64()),
  minItems: s.keep(s.int64()),
  uniqueItems: s.boolean(),
  multipleOf: s.keep(s.number()),
  enum: s.list(anyJson),
  maxProperties: s.keep(s.int64()),
  minProperties: s.keep(s.int64()),
  required: s.list(s.string()),
  items: jsonSchemaProps,
  allOf: s.list(jsonSchemaProps),
  oneOf: s.list(jsonSchemaProps),
  anyOf: s.list(jsonSchemaProps),
  not: jsonSchemaProps,
  properties: s.map(jsonSchemaProps),
  additionalProperties: schemaOrBool,
  patternProperties: s.map(jsonSchemaProps),
  dependencies: s.map(anyJson),
  additionalItems: schemaOrBool,
  definitions: s.map(jsonSchemaProps),
  externalDocs: s.object({ description: s.string(), url: s.string() }),
  example: anyJson,
  nullable: s.boolean(),
  'x-kubernetes-preserve-unknown-fields': s.keep(s.boolean()),
  'x-kubernetes-embedded-resource': s.boolean(),
  'x-kubernetes-int-or-string': s.boolean(),
  'x-kubernetes-list-map-keys': s.list(s.string()),
  'x-kubernetes-list-type': s.keep(s.string()),
  'x-kubernetes-map-type': s.keep(s.string()),
  'x-kubernetes-validations': s.keyedList(rule, ['rule'], undefined, {
    patchMergeKey: 'rule',
    patchStrategy: 'merge',
  }),
})

const names = s.object(
  {
    plural: s.write(s.string('Plural name, as it stands in URLs.')),
    singular: s.string('Singular name; the kind in lower case where it is absent.'),
    shortNames: s.list(s.string(), 'Short names for the command line.'),
    kind: s.write(s.string('Name of the kind.')),
    listKind: s.string('Name of the list; the kind and List where it is absent.'),
    categories: s.list(s.string(), 'Groups of kinds it belongs to, such as all.'),
  },
  'Names of a kind.',
)

const printerColumn = s.object({
  name: s.write(s.string('Heading.')),
  type: s.write(s.string('Type of the cells.')),
  format: s.string('Format of the cells.'),
  description: s.string('What the column tells.'),
  priority: s.integer('0 shows always, higher only with -o wide.'),
  jsonPath: s.write(s.string('Where the value is.')),
})

const subresources = s.object({
  status: s.object({}, 'The status is written on its own.', { open: true }),
  scale: s.object({
    specReplicasPath: s.write(s.string('Where the wanted number is.')),
    statusReplicasPath: s.write(s.string('Where the observed number is.')),
    labelSelectorPath: s.keep(s.string('Where the selector is.')),
  }),
})

const version = s.object({
  name: s.write(s.string('Name of the version.')),
  served: s.write(s.boolean('The version is served.')),
  storage: s.write(s.boolean('Objects are stored in this version.')),
  deprecated: s.boolean('Users are warned.'),
  deprecationWarning: s.keep(s.string('Words of the warning.')),
  schema: s.object({ openAPIV3Schema: jsonSchemaProps }, 'Schema of the objects.'),
  subresources: s.doc(subresources, 'Subresources of the objects.'),
  additionalPrinterColumns: s.list(printerColumn, 'Columns of tables.'),
  selectableFields: s.list(
    s.object({ jsonPath: s.write(s.string()) }),
    'Fields that lists can be filtered by.',
  ),
})

const conversion = s.object({
  strategy: s.write(s.string('None or Webhook.')),
  webhook: s.object({
    clientConfig: s.object({
      url: s.keep(s.string()),
      service: s.object({
        namespace: s.write(s.string()),
        name: s.write(s.string()),
        path: s.keep(s.string()),
        port: s.keep(s.integer(undefined, { default: 443 })),
      }),
      caBundle: s.bytes(),
    }),
    conversionReviewVersions: s.write(s.list(s.string())),
  }),
})

export const customResourceDefinitionSpec = s.object(
  {
    group: s.write(s.string('Group of the kind.')),
    names: s.write(s.doc(names, 'Names of the kind.')),
    scope: s.write(s.string('Namespaced or Cluster.')),
    versions: s.write(s.list(version, 'Versions of the kind.')),
    conversion: s.doc(conversion, 'How versions are converted.'),
    preserveUnknownFields: s.boolean('Must be false.'),
  },
  'Wanted state of a CustomResourceDefinition.',
)

export const customResourceDefinitionStatus = s.object(
  {
    conditions: s.write(
      s.keyedList(
        s.object({
          type: s.write(s.string()),
          status: s.write(s.string()),
          lastTransitionTime: s.time(),
          reason: s.string(),
          message: s.string(),
          observedGeneration: s.int64(),
        }),
        ['type'],
        'Observations such as Established.',
      ),
    ),
    acceptedNames: s.write(s.doc(names, 'Names in use.')),
    storedVersions: s.write(s.list(s.string(), 'Versions that objects may still be stored in.')),
    observedGeneration: s.int64('Generation that this status speaks of.'),
  },
  'Observed state of a CustomResourceDefinition.',
)
