// Records of texts kept as Secrets in kube-system: users and sessions. Secrets, because nothing else in the API is kept
// from those who may read everything else.
import { Buffer } from 'node:buffer'
import type { Client } from '../../client/client.ts'
import { Secret } from '../../kinds/core/secret.ts'
import { absentAsUndefined } from '../ask.ts'

export const NAMESPACE = 'kube-system'

export type Fields = Readonly<Record<string, string>>

export interface SecretRecord {
  readonly name: string
  readonly fields: Fields
  readonly resourceVersion: string
}

export interface RecordType {
  /** `type` of the Secret. */
  readonly type: string
  /** Label that finds them all. */
  readonly label: string
}

function encoded(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('base64')]),
  )
}

function recordOf(secret: Secret): SecretRecord {
  const fields = Object.entries(secret.data ?? {}).map(([name, value]) => [
    name,
    Buffer.from(String(value), 'base64').toString('utf8'),
  ])
  return {
    name: secret.metadata.name ?? '',
    fields: Object.fromEntries(fields) as Fields,
    resourceVersion: secret.metadata.resourceVersion ?? '',
  }
}

/** Undefined also where a Secret of that name is something else. */
export async function readRecord(
  client: Client,
  { type }: RecordType,
  name: string,
): Promise<SecretRecord | undefined> {
  const secret = await absentAsUndefined(client.get(Secret, name, { namespace: NAMESPACE }))
  return secret && secret.type === type ? recordOf(secret) : undefined
}

export async function listRecords(
  client: Client,
  { type, label }: RecordType,
): Promise<readonly SecretRecord[]> {
  const { items } = await client.list(Secret, { namespace: NAMESPACE, labelSelector: label })
  return items.filter((secret) => secret.type === type).map(recordOf)
}

export async function createRecord(
  client: Client,
  { type, label }: RecordType,
  name: string,
  fields: Fields,
): Promise<void> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: NAMESPACE, labels: { [label]: 'true' } },
    type,
    data: encoded(fields),
  }
  await client.create(Secret, secret as Secret, { namespace: NAMESPACE })
}

/** Refused as a conflict when somebody else wrote since it was read. */
export async function changeRecord(client: Client, record: SecretRecord, fields: Fields): Promise<void> {
  const { resourceVersion } = record
  await client.patch(
    Secret,
    record.name,
    { metadata: { resourceVersion }, data: encoded(fields) },
    { namespace: NAMESPACE },
  )
}

export async function removeRecord(client: Client, name: string): Promise<void> {
  await absentAsUndefined(client.delete(Secret, name, { namespace: NAMESPACE }))
}
