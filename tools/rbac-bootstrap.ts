// Makes src/api/bootstrap/rbac.json: the default roles and bindings of Kubernetes in a compact form.
// Usage: node tools/rbac-bootstrap.ts PATH-OF-rbac-bootstrap.json > src/api/bootstrap/rbac.json
// Roles of kube-controller-manager's own controllers are left out: croft runs none of them.
import { readFileSync } from 'node:fs'

interface Item {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Record<string, string>
  }
  readonly rules?: readonly unknown[] | null
  readonly aggregationRule?: unknown
  readonly roleRef?: unknown
  readonly subjects?: readonly unknown[]
}

const { files } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  files: Readonly<Record<string, readonly Item[]>>
}

function compact({ metadata, rules, aggregationRule, roleRef, subjects }: Item) {
  const { 'kubernetes.io/bootstrapping': _same, ...labels } = metadata.labels ?? {}
  return {
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(rules ? { rules } : {}),
    ...(aggregationRule ? { aggregationRule } : {}),
    ...(roleRef ? { roleRef } : {}),
    ...(subjects ? { subjects } : {}),
  }
}

const parts = {
  ClusterRole: files['cluster-roles'] ?? [],
  ClusterRoleBinding: files['cluster-role-bindings'] ?? [],
  Role: files['namespace-roles'] ?? [],
  RoleBinding: files['namespace-role-bindings'] ?? [],
}
const texts = Object.entries(parts).map(
  ([kind, items]) =>
    `${JSON.stringify(kind)}:[\n${items.map((item) => JSON.stringify(compact(item))).join(',\n')}\n]`,
)
process.stdout.write(`{${texts.join(',\n')}}\n`)
