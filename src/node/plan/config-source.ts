// The objects of the namespace that configuration disks are made from, and how an absent one is told.

export type FileData = Readonly<Record<string, Uint8Array>>

export interface ConfigSources {
  /** Decoded data of a Secret of the machine's namespace. */
  secret(name: string): FileData | undefined
  /** data and binaryData of a ConfigMap. */
  configMap(name: string): FileData | undefined
  /** Files of a service account: namespace, token, ca.crt. */
  serviceAccount(name: string): FileData | undefined
}

/** What the machine waits for; it goes on by itself once that is there. */
export interface ConfigWait {
  readonly reason:
    | 'MissingSecret'
    | 'SecretKeyMissing'
    | 'MissingConfigMap'
    | 'MissingServiceAccount'
    | 'MissingUnattendFile'
    | 'InvalidBase64'
    | 'FieldRefUnsupported'
  readonly message: string
}

export interface ConfigDisk {
  readonly label: string
  readonly files: readonly { readonly path: string; readonly content: Uint8Array }[]
}

export type ConfigAnswer =
  | { readonly ok: true; readonly disk: ConfigDisk }
  | { readonly ok: false; readonly wait: ConfigWait }

export function wait(
  reason: ConfigWait['reason'],
  message: string,
): { readonly ok: false; readonly wait: ConfigWait } {
  return { ok: false, wait: { reason, message } }
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
