// PartialObjectMetadata: objects by their metadata alone, for clients that only follow identity and owners.
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'

export function metadataOf(object: KubeObject): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: object.metadata as unknown as JsonObject,
  }
}

export function metadataListOf(objects: readonly KubeObject[], metadata: JsonObject): JsonObject {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    items: objects.map(metadataOf),
  }
}
