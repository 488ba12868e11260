// Fields of Secrets, ConfigMaps and ServiceAccounts.
import { s } from '../build.ts'
import { localObjectReference, objectReference } from './references.ts'

export const secretBody = s.object({
  immutable: s.keep(s.boolean('When true, the data can no longer be changed.')),
  data: s.map(s.bytes(), 'Values by key, base64.'),
  stringData: s.map(s.string(), 'Values in plain text; they are moved to data when written.'),
  type: s.string('Kind of secret, which says what keys are expected.', { default: 'Opaque' }),
})

export const configMapBody = s.object({
  immutable: s.keep(s.boolean('When true, the data can no longer be changed.')),
  data: s.map(s.string(), 'Texts by key.'),
  binaryData: s.map(s.bytes(), 'Bytes by key, base64.'),
})

export const serviceAccountBody = s.object({
  secrets: s.keyedList(objectReference, ['name'], 'Secrets that Pods of this account may use.', {
    patchMergeKey: 'name',
    patchStrategy: 'merge',
  }),
  imagePullSecrets: s.list(localObjectReference, 'Secrets for fetching images.'),
  automountServiceAccountToken: s.keep(s.boolean('Whether Pods get a token mounted by themselves.')),
})
