// Creating: identity and times are given by the server, the name too where only a prefix is sent.
import { ApiError, refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import type { AnyKind } from '../../kinds/kind.ts'
import type { Outcome, Work } from '../core.ts'
import { resourceOf } from '../core.ts'
import { keyFor, type Served } from '../served.ts'
import { readBody } from './body.ts'
import { type Committed, commitCreate } from './commit.ts'
import { generatedName, timestamp } from './metadata.ts'
import { trackCreate } from './ownership.ts'
import { check, complete } from './prepare.ts'

/** Fresh names tried when a generated one is taken, as kube-apiserver does. */
const GENERATE_ATTEMPTS = 8

/** Kinds of Kubernetes whose generation is counted; all custom kinds have one. */
const GENERATION_KINDS = new Set([
  'pods',
  'deployments',
  'replicasets',
  'statefulsets',
  'daemonsets',
  'jobs',
  'cronjobs',
  'poddisruptionbudgets',
  'ingresses',
  'networkpolicies',
  'customresourcedefinitions',
  'priorityclasses',
  'endpointslices',
  'replicationcontrollers',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
])
/** Kinds of Kubernetes whose creator also writes the status: a Node registers itself whole. */
const STATUS_ON_CREATE = new Set(['nodes', 'apiservices'])

export function hasGeneration(kind: AnyKind): boolean {
  return kind.habit === 'custom' || GENERATION_KINDS.has(kind.plural)
}

export async function createOne(work: Work): Promise<Outcome> {
  const body = readBody(work)
  return createObject(work, body)
}

export async function createObject(work: Work, body: KubeObject): Promise<Outcome> {
  const { served, core } = work
  if (body.metadata.resourceVersion)
    throw refuse.badRequest('resourceVersion should not be set on objects to be created')
  const prefix = body.metadata.name ? '' : (body.metadata.generateName ?? '')
  const attempts = prefix === '' ? 1 : GENERATE_ATTEMPTS
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const name = prefix === '' ? (body.metadata.name ?? '') : generatedName(served.kind, prefix, core.random)
    const object = newObject(work, body, name)
    if (name !== '' && core.store.get(keyFor(served, object.metadata.namespace, name))) continue
    const completed = complete(work, object, undefined)
    check(work, completed, undefined)
    const committed = await commitCreate(work, trackCreate(work, completed))
    if (committed) return committed
  }
  throw taken(served, body, prefix)
}

/** Creates what a first apply makes; its ownership is already kept. */
export async function createApplied(work: Work, applied: KubeObject): Promise<Committed> {
  const { managedFields } = applied.metadata
  const completed = complete(work, newObject(work, applied, applied.metadata.name ?? ''), undefined)
  check(work, completed, undefined)
  return commitCreate(work, {
    ...completed,
    metadata: { ...completed.metadata, ...(managedFields ? { managedFields } : {}) },
  })
}

function taken(served: Served, body: KubeObject, prefix: string): ApiError {
  const resource = resourceOf(served)
  if (prefix === '') return refuse.alreadyExists(resource, body.metadata.name ?? '')
  return new ApiError(
    409,
    'AlreadyExists',
    `${refuse.alreadyExists(resource, prefix).message}, the server was not able to generate a unique name for the object`,
    { name: prefix, kind: served.kind.plural },
  )
}

function newObject(work: Work, body: KubeObject, name: string): KubeObject {
  const { served, core, now } = work
  const { labels, annotations, generateName, ownerReferences, finalizers } = body.metadata
  const namespace = namespaceOf(work, body)
  const hasStatus = served.kind.subresources['status'] !== undefined
  const { status: _status, ...withoutStatus } = body
  const kept = hasStatus && !STATUS_ON_CREATE.has(served.kind.plural) ? withoutStatus : body
  return {
    ...(kept as KubeObject),
    metadata: {
      name,
      ...(generateName === undefined ? {} : { generateName }),
      ...(namespace === undefined ? {} : { namespace }),
      uid: core.random.uuid(),
      ...(hasGeneration(served.kind) ? { generation: 1 } : {}),
      creationTimestamp: timestamp(now),
      ...(isEmpty(labels) ? {} : { labels }),
      ...(isEmpty(annotations) ? {} : { annotations }),
      ...(isEmpty(ownerReferences) ? {} : { ownerReferences }),
      ...(isEmpty(finalizers) ? {} : { finalizers }),
    } as KubeObject['metadata'],
  }
}

function isEmpty(value: object | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0
}

/** The namespace of the URL; one in the body must be the same. */
export function namespaceOf(work: Work, body: KubeObject): string | undefined {
  const { served, call } = work
  const given = body.metadata.namespace
  if (!served.namespaced) return undefined
  const wanted = call.namespace ?? ''
  if (given && given !== wanted)
    throw refuse.badRequest(
      `the namespace of the provided object does not match the namespace sent on the request (${given} and ${wanted})`,
    )
  return wanted
}
