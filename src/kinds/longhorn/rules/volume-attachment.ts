// Tickets of a volume: each under its own identity, for the one volume that the object is for.
import type { Cause } from '../../../base/errors.ts'
import type { Rule } from '../../kind.ts'
import { invalid, required } from '../../kubevirt/rules/causes.ts'

interface AttachmentSpec {
  readonly volume?: string
  readonly attachmentTickets?: Readonly<Record<string, { readonly id?: string; readonly type?: string }>>
}

export const volumeAttachmentRule: Rule = (next, previous) => {
  if (!next) return {}
  const spec = (next['spec'] ?? {}) as AttachmentSpec
  const old = previous?.['spec'] as AttachmentSpec | undefined
  const causes: Cause[] = []
  if (!spec.volume) causes.push(required('spec.volume', 'Required value: name the volume'))
  if (old && old.volume !== spec.volume)
    causes.push(invalid('spec.volume', 'spec.volume cannot be changed: an attachment is of one volume'))
  if (spec.volume && spec.volume !== next.metadata.name)
    causes.push(invalid('metadata.name', `the attachment of volume ${spec.volume} must have its name`))
  for (const [key, ticket] of Object.entries(spec.attachmentTickets ?? {})) {
    const at = `spec.attachmentTickets[${key}]`
    if (ticket.id !== key) causes.push(invalid(`${at}.id`, `the ticket under ${key} must have the id ${key}`))
    if (!ticket.type)
      causes.push(required(`${at}.type`, 'Required value: say who wishes, for instance longhorn-api'))
  }
  return { causes }
}
