// The values of a Secret or ConfigMap while they are edited, and the patch that they come to: only what was changed is
// sent, so that values nobody touched are neither read nor rewritten.

export interface ValueRow {
  /** Stays with the row while its key is typed. */
  readonly id: string
  readonly key: string
  /** Undefined: left as it is. */
  readonly text: string | undefined
  /** It is there already, so that its key is fixed. */
  readonly isOld: boolean
}

export interface ValuesPatch {
  /** A text to set, null to remove. */
  readonly [key: string]: string | null
}

/** What changed from the keys that there were. */
export function patchOf(before: readonly string[], rows: readonly ValueRow[]): ValuesPatch {
  const removed = before.filter((key) => rows.every((row) => row.key !== key))
  return {
    ...Object.fromEntries(removed.map((key) => [key, null])),
    ...Object.fromEntries(rows.flatMap(({ key, text }) => (text === undefined ? [] : [[key, text]]))),
  }
}

/** Keys that are missing or given twice. */
export function hasBadKeys(rows: readonly ValueRow[]): boolean {
  const keys = rows.map(({ key }) => key)
  return keys.includes('') || new Set(keys).size !== keys.length
}

/** The text of a value, or undefined where it is no text. */
export function textOf(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Bytes of a value. */
export function sizeOfBase64(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

/** Types that a new secret may have, with the keys that they need. */
export const SECRET_TYPES = [
  { id: 'Opaque', word: 'secrets.type.Opaque', keys: [''] },
  { id: 'kubernetes.io/basic-auth', word: 'secrets.type.basic', keys: ['username', 'password'] },
  { id: 'kubernetes.io/tls', word: 'secrets.type.tls', keys: ['tls.crt', 'tls.key'] },
  { id: 'kubernetes.io/ssh-auth', word: 'secrets.type.ssh', keys: ['ssh-privatekey'] },
  { id: 'kubernetes.io/dockerconfigjson', word: 'secrets.type.registry', keys: ['.dockerconfigjson'] },
] as const

/** Harvester's mark of a guest set-up that forms offer. */
export const CLOUD_TEMPLATE = 'harvesterhci.io/cloud-init-template'
export const CONFIG_TYPES = [
  { id: 'plain', word: 'configs.type.plain', keys: [''] },
  { id: 'user', word: 'configs.type.user', keys: ['cloudInit'] },
  { id: 'network', word: 'configs.type.network', keys: ['cloudInit'] },
] as const

let nextId = 0
export function rowsFor(keys: readonly string[], isOld: boolean): readonly ValueRow[] {
  return keys.map((key) => ({ id: `row-${nextId++}`, key, text: isOld ? undefined : '', isOld }))
}
