// Who may do what, by Roles and their bindings. Kept as an index over the stored RBAC objects, refreshed by a store
// watch; decisions are remembered until any RBAC object changes.
import type { UserInfo } from '../../base/call.ts'
import { parseJson } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Store, StoreEvent } from '../../store/store.ts'
import type { Attributes, PolicyRule } from './rules.ts'
import { ruleAllows } from './rules.ts'

const PREFIX = '/registry/rbac.authorization.k8s.io/'
/** Remembered decisions; at about 200 bytes each. */
const DECISIONS_MAX = 20_000
const SUPERUSERS = 'system:masters'

export interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

interface Binding {
  /** Name of the binding, for reasons. */
  readonly name: string
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string
  readonly role: string
  readonly roleText: string
}

interface RoleRef {
  readonly kind?: string
  readonly name?: string
}
interface Subject {
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
}

export class Rbac {
  /** `ClusterRole/name` or `Role/namespace/name`. */
  #roles = new Map<string, readonly PolicyRule[]>()
  #bindings = new Map<string, readonly { readonly subject: string; readonly binding: Binding }[]>()
  #bySubject = new Map<string, readonly Binding[]>()
  #decisions = new Map<string, Decision>()
  readonly #stop: () => void

  constructor(store: Store) {
    const page = store.range(PREFIX)
    for (const entry of page.entries) this.#put(entry.key, entry.value)
    this.#rebuildSubjects()
    this.#stop = store.watch(PREFIX, page.revision, (event) => this.#on(event))
  }

  close(): void {
    this.#stop()
  }

  decide(user: UserInfo, wanted: Attributes): Decision {
    if (user.groups.includes(SUPERUSERS)) return { allowed: true, reason: '' }
    const key = decisionKey(user, wanted)
    const known = this.#decisions.get(key)
    if (known) return known
    const decision = this.#evaluate(user, wanted)
    if (this.#decisions.size >= DECISIONS_MAX) this.#decisions.clear()
    this.#decisions.set(key, decision)
    return decision
  }

  /** All rules that apply to a user in a namespace, cluster-wide ones first. */
  rulesFor(user: UserInfo, namespace: string): readonly PolicyRule[] {
    if (user.groups.includes(SUPERUSERS))
      return [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ]
    return this.#applicable(user, namespace).flatMap((binding) =>
      this.#rulesOf(binding).map((rule) => {
        const { nonResourceURLs: _urls, ...inNamespace } = rule
        return binding.namespace === '' ? rule : inNamespace
      }),
    )
  }

  roleRules(kind: string, namespace: string, name: string): readonly PolicyRule[] | undefined {
    return this.#roles.get(kind === 'ClusterRole' ? `ClusterRole/${name}` : `Role/${namespace}/${name}`)
  }

  #evaluate(user: UserInfo, wanted: Attributes): Decision {
    const missing: string[] = []
    for (const binding of this.#applicable(user, wanted.namespace)) {
      if (wanted.path !== undefined && binding.namespace !== '') continue
      const rules = this.#roles.get(binding.role)
      if (!rules) {
        missing.push(`${binding.roleText} not found`)
        continue
      }
      if (rules.some((rule) => ruleAllows(rule, wanted)))
        return { allowed: true, reason: allowedReason(binding, user) }
    }
    return { allowed: false, reason: missing.length > 0 ? `RBAC: ${missing.join(', ')}` : '' }
  }

  #rulesOf(binding: Binding): readonly PolicyRule[] {
    return this.#roles.get(binding.role) ?? []
  }

  #applicable(user: UserInfo, namespace: string): readonly Binding[] {
    const subjects = [`User/${user.username}`, ...user.groups.map((group) => `Group/${group}`)]
    const all = subjects.flatMap((subject) => this.#bySubject.get(subject) ?? [])
    const cluster = all.filter((binding) => binding.namespace === '')
    return namespace === ''
      ? cluster
      : [...cluster, ...all.filter((binding) => binding.namespace === namespace)]
  }

  #on(event: StoreEvent): void {
    if (event.value) this.#put(event.key, event.value)
    else {
      this.#bindings.delete(event.key)
      this.#roles.delete(roleKey(event.key))
    }
    if (event.key.includes('bindings/')) this.#rebuildSubjects()
    this.#decisions.clear()
  }

  #put(key: string, value: Uint8Array): void {
    const object = parseJson(new TextDecoder().decode(value)) as unknown as KubeObject
    if (key.includes('bindings/')) this.#bindings.set(key, bindingsOf(object))
    else this.#roles.set(roleKey(key), (object['rules'] as readonly PolicyRule[] | undefined) ?? [])
  }

  #rebuildSubjects(): void {
    const bySubject = new Map<string, Binding[]>()
    for (const list of this.#bindings.values())
      for (const { subject, binding } of list) {
        const known = bySubject.get(subject)
        if (known) known.push(binding)
        else bySubject.set(subject, [binding])
      }
    this.#bySubject = bySubject
  }
}

function roleKey(key: string): string {
  const [kind = '', ...rest] = key.slice(PREFIX.length).split('/')
  return `${kind === 'clusterroles' ? 'ClusterRole' : 'Role'}/${rest.join('/')}`
}

function bindingsOf(object: KubeObject): readonly { readonly subject: string; readonly binding: Binding }[] {
  const namespace = object.kind === 'RoleBinding' ? (object.metadata.namespace ?? '') : ''
  const ref = (object['roleRef'] as RoleRef | undefined) ?? {}
  const cluster = ref.kind === 'ClusterRole'
  const binding: Binding = {
    name: object.metadata.name ?? '',
    namespace,
    role: cluster ? `ClusterRole/${ref.name ?? ''}` : `Role/${namespace}/${ref.name ?? ''}`,
    roleText: `${cluster ? 'clusterrole.rbac.authorization.k8s.io' : 'role.rbac.authorization.k8s.io'} "${ref.name ?? ''}"`,
  }
  return ((object['subjects'] as readonly Subject[] | undefined) ?? []).map((subject) => ({
    subject: subjectKey(subject, namespace),
    binding,
  }))
}

function subjectKey(subject: Subject, bindingNamespace: string): string {
  if (subject.kind === 'ServiceAccount')
    return `User/system:serviceaccount:${subject.namespace || bindingNamespace}:${subject.name ?? ''}`
  return `${subject.kind ?? ''}/${subject.name ?? ''}`
}

function allowedReason(binding: Binding, user: UserInfo): string {
  const kind = binding.namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding'
  const name = binding.namespace === '' ? binding.name : `${binding.name}/${binding.namespace}`
  return `RBAC: allowed by ${kind} "${name}" of ${binding.roleText} to User "${user.username}"`
}

function decisionKey(user: UserInfo, wanted: Attributes): string {
  return JSON.stringify([
    user.username,
    user.groups,
    wanted.verb,
    wanted.group,
    wanted.resource,
    wanted.subresource,
    wanted.namespace,
    wanted.name,
    wanted.path,
  ])
}
