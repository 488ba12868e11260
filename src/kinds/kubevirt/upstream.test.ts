// Our schemas beside the upstream ones: no field of a user may be missing or of another type.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { Schema } from '../../base/schema.ts'
import { findByKind } from '../index.ts'

const crds = new URL('../../../../shared/reference/crds/', import.meta.url)

interface Upstream {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, Upstream>>
  readonly items?: Upstream
  readonly additionalProperties?: Upstream | boolean
  readonly required?: readonly string[]
  readonly enum?: readonly string[]
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}
type Definitions = Readonly<Record<string, Upstream>>

/** Kinds of definitions that have no properties of their own. */
const LEAVES = /\.(Quantity|Time|Duration|IntOrString|FieldsV1|RawExtension|ObjectMeta)$/

function compare(
  ours: Schema | undefined,
  theirs: Upstream,
  path: string,
  definitions: Definitions,
): readonly string[] {
  if (!ours) return [`${path}: missing`]
  const name = theirs.$ref?.slice('#/definitions/'.length)
  if (name !== undefined) {
    if (LEAVES.test(name) || ours['x-kubernetes-preserve-unknown-fields']) return []
    return compare(ours, definitions[name] ?? {}, path, definitions)
  }
  if (theirs['x-kubernetes-int-or-string'])
    return ours['x-kubernetes-int-or-string'] ? [] : [`${path}: not an amount`]
  const type = typeof theirs.type === 'string' ? theirs.type : undefined
  if (type !== undefined && ours.type !== undefined && ours.type !== type)
    return [`${path}: ${ours.type}, not ${type}`]
  const lost = (theirs.required ?? []).filter(
    (field) => theirs.properties?.[field] && !ours.required?.includes(field),
  )
  const keys = theirs['x-kubernetes-list-map-keys'] ?? []
  return [
    ...lost.map((field) => `${path}.${field}: not required`),
    ...(keys.join() === (ours['x-kubernetes-list-map-keys'] ?? []).join() ? [] : [`${path}: other keys`]),
    ...Object.entries(theirs.properties ?? {}).flatMap(([field, inner]) =>
      compare(ours.properties?.[field], inner, `${path}.${field}`, definitions),
    ),
    ...(theirs.items ? compare(ours.items, theirs.items, `${path}[]`, definitions) : []),
    ...(typeof theirs.additionalProperties === 'object'
      ? compare(ours.additionalProperties as Schema, theirs.additionalProperties, `${path}{}`, definitions)
      : []),
  ]
}

/** Spec and status of one of our kinds beside upstream's. */
function differences(
  apiVersion: string,
  kind: string,
  theirs: Upstream,
  definitions: Definitions,
): readonly string[] {
  const [group = '', version = ''] = apiVersion.split('/')
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...parts } = theirs.properties ?? {}
  const schema = findByKind(group, version, kind)?.schema
  return Object.entries(parts).flatMap(([name, part]) =>
    compare(schema?.properties?.[name], part, `${kind}.${name}`, definitions),
  )
}

test('KubeVirt: nothing of upstream is missing', (t) => {
  const file = new URL('kubevirt.io/definitions.json', crds)
  if (!existsSync(file)) return t.skip('shared tables absent')
  const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Definitions }
  for (const kind of [
    'VirtualMachine',
    'VirtualMachineInstance',
    'VirtualMachineInstanceMigration',
    'KubeVirt',
  ])
    assert.deepEqual(differences('kubevirt.io/v1', kind, definitions[`v1.${kind}`] ?? {}, definitions), [])
})

test('CDI: nothing of upstream is missing', (t) => {
  const file = new URL('cdi.kubevirt.io/definitions.json', crds)
  if (!existsSync(file)) return t.skip('shared tables absent')
  const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Definitions }
  for (const kind of ['DataVolume', 'DataSource', 'CDI', 'CDIConfig'])
    assert.deepEqual(
      differences('cdi.kubevirt.io/v1beta1', kind, definitions[`v1beta1.${kind}`] ?? {}, definitions),
      [],
    )
})

interface Definition {
  readonly spec: {
    readonly group: string
    readonly names: {
      readonly kind: string
      readonly plural: string
      readonly shortNames?: readonly string[]
    }
    readonly scope: string
    readonly versions: readonly {
      readonly name: string
      readonly schema: { readonly openAPIV3Schema: Upstream }
      readonly additionalPrinterColumns?: readonly {
        readonly name: string
        readonly jsonPath: string
        readonly priority?: number
      }[]
    }[]
  }
}

test('Longhorn, Harvester and whereabouts: fields, columns and names are upstream’s', (t) => {
  const files = [
    'longhorn.io/crds.yaml',
    ...[
      'virtualmachineimages',
      'keypairs',
      'settings',
      'preferences',
      'resourcequotas',
      'virtualmachinetemplates',
    ].map((name) => `harvesterhci.io/harvesterhci.io_${name}.yaml`),
    'whereabouts.cni.cncf.io/whereabouts.cni.cncf.io_ippools-1.16.0.yaml',
    'whereabouts.cni.cncf.io/whereabouts.cni.cncf.io_overlappingrangeipreservations-1.16.0.yaml',
  ]
  let seen = 0
  for (const path of files) {
    const file = new URL(path, crds)
    if (!existsSync(file)) return t.skip('shared tables absent')
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
      const { group, names, scope, versions } = (document.toJSON() as Definition).spec
      const version = versions.at(-1)
      const kind = version && findByKind(group, version.name, names.kind)
      if (!kind) continue
      seen++
      assert.deepEqual(
        differences(`${group}/${version.name}`, names.kind, version.schema.openAPIV3Schema, {}),
        [],
      )
      assert.deepEqual(
        [kind.plural, kind.scope, kind.shortNames],
        [names.plural, scope, names.shortNames ?? []],
      )
      const columns = (version.additionalPrinterColumns ?? []).map(({ name, jsonPath, priority = 0 }) => [
        name,
        jsonPath,
        priority,
      ])
      assert.deepEqual(
        kind.columns.map(({ name, value, priority = 0 }) => [name, value, priority]),
        columns,
        names.kind,
      )
    }
  }
  assert.ok(seen >= 16, `${seen} kinds compared`)
})
