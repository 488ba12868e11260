// The wishes that others keep in a VolumeAttachment of Longhorn: people (`longhorn-api`), import tools, scripts.
import type { VolumeAttachment } from '../../kinds/longhorn/volume-attachment.ts'
import type { Wish } from './wishes.ts'

export function ticketWishes(attachment: VolumeAttachment | undefined): readonly Wish[] {
  if (!attachment || attachment.metadata.deletionTimestamp) return []
  return Object.entries(attachment.spec?.attachmentTickets ?? {}).map(([id, ticket]) => ({
    id,
    type: ticket.type ?? '',
    nodeID: ticket.nodeID || undefined,
  }))
}
