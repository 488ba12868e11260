// Which machines name a thing: found in what they are made of, never in a note about it.
import { isObject, type Json } from '../../../../src/base/json.ts'
import type { Machine } from '../../data/kinds.ts'

/** Fields of a machine that name a Secret in a field `name` of their own. */
const SECRET_REFS = new Set(['secretRef', 'networkDataSecretRef', 'secret'])
const CONFIG_REFS = new Set(['configMap'])

function names(value: Json, refs: ReadonlySet<string>, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => names(item, refs, name))
  if (!isObject(value)) return false
  return Object.entries(value).some(([field, inner]) => {
    if (inner === undefined) return false
    if (field === 'secretName' && refs === SECRET_REFS && inner === name) return true
    if (refs.has(field) && isObject(inner) && inner['name'] === name) return true
    return names(inner, refs, name)
  })
}

function machinesNaming(
  machines: readonly Machine[],
  namespace: string | undefined,
  test: (template: Json) => boolean,
): readonly string[] {
  return machines
    .filter(({ metadata }) => metadata.namespace === namespace)
    .filter(({ spec }) => test((spec.template.spec ?? {}) as Json))
    .map(({ metadata }) => metadata.name ?? '')
}

export function machinesWithSecret(
  machines: readonly Machine[],
  namespace: string | undefined,
  name: string,
) {
  return machinesNaming(machines, namespace, (template) => names(template, SECRET_REFS, name))
}

export function machinesWithConfig(
  machines: readonly Machine[],
  namespace: string | undefined,
  name: string,
) {
  return machinesNaming(machines, namespace, (template) => names(template, CONFIG_REFS, name))
}

/** Harvester's note of the keys that were put into a machine: a JSON list of `namespace/name`. */
const KEY_NAMES = 'harvesterhci.io/sshNames'

export function machinesWithKey(machines: readonly Machine[], id: string): readonly string[] {
  return machines
    .filter(({ metadata, spec }) =>
      [metadata.annotations, spec.template.metadata?.annotations].some((notes) =>
        keyNames(notes?.[KEY_NAMES]).includes(id),
      ),
    )
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
}

function keyNames(text: string | undefined): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
