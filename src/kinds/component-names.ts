// Names of the schemas that OpenAPI documents share between kinds. Names are Kubernetes', so that generators and
// `kubectl explain` show the types people know.

import type { Schema } from '../base/schema.ts'
import * as claimBody from './core/claim-body.ts'
import * as endpointsBody from './core/endpoints-body.ts'
import * as metaTypes from './core/meta-types.ts'
import * as namespaceBody from './core/namespace-body.ts'
import * as nodeBody from './core/node-body.ts'
import * as volumeBody from './core/persistent-volume-body.ts'
import * as volumeSources from './core/persistent-volume-sources.ts'
import * as container from './core/pod/container.ts'
import * as environment from './core/pod/environment.ts'
import * as probes from './core/pod/probes.ts'
import * as scheduling from './core/pod/scheduling.ts'
import * as security from './core/pod/security.ts'
import * as podSpec from './core/pod/spec.ts'
import * as podStatus from './core/pod/status.ts'
import * as backends from './core/pod/volume-backends.ts'
import * as volumes from './core/pod/volumes.ts'
import * as quotaBodies from './core/quota-bodies.ts'
import * as references from './core/references.ts'
import * as resources from './core/resources.ts'
import * as serviceBody from './core/service-body.ts'
import * as topology from './core/topology.ts'
import { jsonSchemaProps } from './kubernetes/custom-resource-body.ts'
import { managedFieldsEntry, objectMetaSchema, ownerReference } from './meta.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const CORE = 'io.k8s.api.core.v1'
export const OBJECT_META = `${META}.ObjectMeta`
export const LIST_META = `${META}.ListMeta`
export const DELETE_OPTIONS = `${META}.DeleteOptions`
export const STATUS = `${META}.Status`
export const PATCH = `${META}.Patch`
export const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity'
export const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString'

/** Words that Kubernetes writes in capitals. */
const CAPITALS = /^(http|tcp|grpc|csi|nfs|iscsi|rbd|fc|gce|aws|seLinux|ip)(?=[A-Z]|$)/

function typeName(name: string): string {
  const upper = name.replace(CAPITALS, (word) => (word === 'seLinux' ? 'SELinux' : word.toUpperCase()))
  return (upper[0] ?? '').toUpperCase() + upper.slice(1)
}

let names: ReadonlyMap<object, string> | undefined

function buildNames(): ReadonlyMap<object, string> {
  const map = new Map<object, string>()
  const add = (name: string, schema: Schema): void => {
    if (schema.type === 'object' && schema.properties) map.set(schema.properties, name)
  }
  const core = [
    claimBody,
    endpointsBody,
    namespaceBody,
    nodeBody,
    volumeBody,
    volumeSources,
    container,
    environment,
    probes,
    scheduling,
    security,
    podSpec,
    podStatus,
    backends,
    volumes,
    quotaBodies,
    references,
    resources,
    serviceBody,
    topology,
  ]
  for (const module of core) {
    for (const [name, schema] of Object.entries(module as Readonly<Record<string, Schema>>)) {
      if (!name.endsWith('Body')) add(`${CORE}.${typeName(name)}`, schema)
    }
  }
  for (const [name, schema] of Object.entries(metaTypes)) add(`${META}.${typeName(name)}`, schema)
  add(OBJECT_META, objectMetaSchema)
  add(`${META}.OwnerReference`, ownerReference)
  add(`${META}.ManagedFieldsEntry`, managedFieldsEntry)
  add('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps', jsonSchemaProps)
  return map
}

/** The name of a shared schema; undefined for schemas that stand where they are used. */
export function componentName(schema: Schema): string | undefined {
  if (!schema.properties) return undefined
  names ??= buildNames()
  return names.get(schema.properties)
}

/** Name of a kind's own schema, for instance `io.k8s.api.core.v1.Pod` or `io.kubevirt.v1.VirtualMachine`. */
export function kindComponent(kind: {
  readonly group: string
  readonly version: string
  readonly kind: string
}): string {
  const { group, version } = kind
  if (group === '') return `${CORE}.${kind.kind}`
  if (group === 'apiextensions.k8s.io')
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind.kind}`
  if (group === 'apiregistration.k8s.io')
    return `io.k8s.kube-aggregator.pkg.apis.apiregistration.${version}.${kind.kind}`
  if (!group.includes('.') || group.endsWith('.k8s.io'))
    return `io.k8s.api.${group.split('.')[0] ?? ''}.${version}.${kind.kind}`
  return `${group.split('.').reverse().join('.')}.${version}.${kind.kind}`
}
