// Decides one Namespace on its way out: everything in it is deleted, and when the API itself says that nothing is
// left, the namespace goes.
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { Namespace } from '../kinds/core/namespace.ts'
import type { Action, Decider, Decision } from '../kinds/decide.ts'
import type { AnyKind } from '../kinds/kind.ts'
import { type ConditionLike, withConditions } from './conditions.ts'

export const NAMESPACE_FINALIZER = 'kubernetes'

export interface Content {
  readonly kind: AnyKind
  readonly objects: readonly KubeObject[]
}

export interface SeenNamespace {
  readonly namespace: Namespace
  /** Everything in it, by kind; only looked up while it is terminating. */
  readonly contents: readonly Content[]
  /** All kinds of objects that a namespace can hold. */
  readonly kinds: readonly AnyKind[]
}

const NOTHING: Decision = { actions: [] }
/** Objects deleted in one decision: a namespace of a hundred thousand goes in steps. */
const DELETIONS_MAX = 500

export function decideNamespace(seen: SeenNamespace, now: number): Decision {
  const { namespace, contents } = seen
  if (namespace.metadata.deletionTimestamp === undefined) return NOTHING
  const finalizers = namespace.spec?.finalizers ?? []
  const remaining = contents.filter(({ objects }) => objects.length > 0)
  if (remaining.length === 0) return finish(seen, finalizers)
  const actions: Action[] = remaining
    .flatMap(({ kind, objects }) => objects.map((object) => ({ kind, object })))
    .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
    .slice(0, DELETIONS_MAX)
    .map(({ kind, object: { metadata } }) => ({
      do: 'delete',
      target: {
        kind,
        namespace: namespace.metadata.name ?? '',
        name: metadata.name ?? '',
        uid: metadata.uid ?? '',
      },
      propagation: 'Background',
    }))
  return { actions, status: statusWhile(namespace, remaining, now) }
}

function finish({ namespace, kinds }: SeenNamespace, finalizers: readonly string[]): Decision {
  if (!finalizers.includes(NAMESPACE_FINALIZER)) return NOTHING
  const rest = finalizers.filter((word) => word !== NAMESPACE_FINALIZER)
  return {
    actions: [
      {
        do: 'update',
        kind: Namespace,
        object: { ...namespace, spec: { ...namespace.spec, finalizers: rest } },
        subresource: 'finalize',
        onlyIf: { empty: { namespace: namespace.metadata.name ?? '', kinds } },
      },
    ],
  }
}

/** Conditions in the words of Kubernetes, so that whoever waits sees what holds the namespace. */
function statusWhile(namespace: Namespace, remaining: readonly Content[], now: number): JsonObject {
  const present = (namespace.status?.conditions ?? []) as readonly ConditionLike[]
  const amounts = remaining.map(
    ({ kind, objects }) => `${nameOf(kind)} has ${objects.length} resource instances`,
  )
  const held = remaining.flatMap(({ objects }) =>
    objects.flatMap(({ metadata }) => (metadata.deletionTimestamp ? (metadata.finalizers ?? []) : [])),
  )
  const counts = new Map<string, number>()
  for (const word of held) counts.set(word, (counts.get(word) ?? 0) + 1)
  const words = [...counts].sort().map(([word, count]) => `${word} in ${count} resource instances`)
  return {
    ...(namespace.status as JsonObject | undefined),
    phase: 'Terminating',
    conditions: withConditions(
      present,
      [
        {
          type: 'NamespaceContentRemaining',
          status: 'True',
          reason: 'SomeResourcesRemain',
          message: `Some resources are remaining: ${amounts.join(', ')}`,
        },
        words.length > 0
          ? {
              type: 'NamespaceFinalizersRemaining',
              status: 'True',
              reason: 'SomeFinalizersRemain',
              message: `Some content in the namespace has finalizers remaining: ${words.join(', ')}`,
            }
          : {
              type: 'NamespaceFinalizersRemaining',
              status: 'False',
              reason: 'ContentHasNoFinalizers',
              message: 'All content-preserving finalizers finished',
            },
      ],
      now,
    ) as never,
  }
}

function nameOf(kind: AnyKind): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
}

export function namespaceDecider(allKinds: readonly AnyKind[]): Decider<typeof Namespace, SeenNamespace> {
  const kinds = [
    ...new Map(
      allKinds
        .filter((kind) => kind.scope === 'Namespaced' && !kind.virtual)
        .filter((kind) => ['delete', 'list', 'watch'].every((verb) => kind.verbs.includes(verb)))
        // events.k8s.io is a second view of the core Events.
        .filter((kind) => kind.kind !== 'Event' || kind.group === '')
        .map((kind) => [nameOf(kind), kind] as const),
    ).values(),
  ]
  return {
    name: 'namespace',
    kind: Namespace,
    watches: kinds.map((kind) => ({
      kind,
      keys: ({ metadata }, look) => {
        const { namespace = '' } = metadata
        return look.get(Namespace, undefined, namespace)?.metadata.deletionTimestamp === undefined
          ? []
          : [namespace]
      },
    })),
    gather: (namespace, look) => ({
      namespace,
      contents:
        namespace.metadata.deletionTimestamp === undefined
          ? []
          : kinds.map((kind) => ({ kind, objects: look.list(kind, namespace.metadata.name ?? '') })),
      kinds,
    }),
    decide: decideNamespace,
  }
}
