// kubeconfig files: what kubectl reads to find a cluster and prove who the user is. Parses the one context that is
// asked for; prints one cluster with one user.
import { parse, stringify } from 'yaml'
import { isObject, type JsonObject } from '../base/json.ts'
import { failed, ok, type Result } from '../base/result.ts'

export interface Kubeconfig {
  /** For instance `https://10.0.0.1:6443`, without a slash at the end. */
  readonly server: string
  /** Namespace of the context, `default` where it names none. */
  readonly namespace: string
  readonly cluster: string
  readonly user: string
  readonly caPem?: string
  readonly certificatePem?: string
  readonly keyPem?: string
  readonly token?: string
  /** Files that the config refers to instead of holding the data; the caller reads them. */
  readonly files: {
    readonly ca?: string
    readonly certificate?: string
    readonly key?: string
    readonly token?: string
  }
}

/** `contextName` left out means the current context. */
export function parseKubeconfig(text: string, contextName?: string): Result<Kubeconfig> {
  let root: unknown
  try {
    root = parse(text)
  } catch (error) {
    return broken(`it is not YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isObject(root)) return broken('it is empty or not a mapping')
  const name = contextName ?? textOf(root, 'current-context')
  if (name === undefined) return broken('it names no current-context; name one with --context')
  const context = named(root, 'contexts', 'context', name)
  if (context === undefined) return broken(`it has no context ${name}`)
  const clusterName = textOf(context, 'cluster') ?? ''
  const userName = textOf(context, 'user') ?? ''
  const cluster = named(root, 'clusters', 'cluster', clusterName)
  const server = cluster && textOf(cluster, 'server')
  if (cluster === undefined || server === undefined) return broken(`cluster ${clusterName} has no server`)
  const user = named(root, 'users', 'user', userName) ?? {}
  if (user['exec'] !== undefined || user['auth-provider'] !== undefined) {
    return broken(`user ${userName} needs a credential program, which is not supported; use a token`)
  }
  return ok({
    server: server.replace(/\/+$/, ''),
    namespace: textOf(context, 'namespace') ?? 'default',
    cluster: clusterName,
    user: userName,
    ...optional('caPem', decoded(cluster, 'certificate-authority-data')),
    ...optional('certificatePem', decoded(user, 'client-certificate-data')),
    ...optional('keyPem', decoded(user, 'client-key-data')),
    ...optional('token', textOf(user, 'token')),
    files: {
      ...optional('ca', textOf(cluster, 'certificate-authority')),
      ...optional('certificate', textOf(user, 'client-certificate')),
      ...optional('key', textOf(user, 'client-key')),
      ...optional('token', textOf(user, 'tokenFile')),
    },
  })
}

/** One cluster, one user, one context named after the cluster. */
export function printKubeconfig(config: Omit<Kubeconfig, 'files'>): string {
  const { cluster, user, server, namespace } = config
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: cluster,
        cluster: { server, ...optional('certificate-authority-data', encoded(config.caPem)) },
      },
    ],
    users: [
      {
        name: user,
        user: {
          ...optional('client-certificate-data', encoded(config.certificatePem)),
          ...optional('client-key-data', encoded(config.keyPem)),
          ...optional('token', config.token),
        },
      },
    ],
    contexts: [{ name: cluster, context: { cluster, user, namespace } }],
    'current-context': cluster,
  })
}

function broken(why: string): Result<never> {
  return failed({ reason: 'KubeconfigInvalid', message: `kubeconfig: ${why}`, retry: 'never' })
}

function named(root: JsonObject, list: string, part: string, name: string): JsonObject | undefined {
  const entries = root[list]
  if (!Array.isArray(entries)) return undefined
  const entry: unknown = entries.find((candidate) => isObject(candidate) && candidate['name'] === name)
  const value = isObject(entry) ? entry[part] : undefined
  return isObject(value) ? value : undefined
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = object[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function decoded(object: JsonObject, key: string): string | undefined {
  const data = textOf(object, key)
  if (data === undefined) return undefined
  try {
    return atob(data)
  } catch {
    return undefined
  }
}

/** PEM is ASCII, which is what btoa takes. */
function encoded(pem: string | undefined): string | undefined {
  return pem === undefined ? undefined : btoa(pem)
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V }
}
