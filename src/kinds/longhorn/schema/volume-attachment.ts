// Spec and status of a VolumeAttachment of Longhorn.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const volumeAttachmentSpec = s.object(
  {
    attachmentTickets: s.map(
      s.object({
        generation: s.integer(undefined, { format: 'int64' }),
        id: s.string(),
        nodeID: s.string(),
        parameters: s.map(s.string()),
        type: s.string(),
      }),
    ),
    volume: s.string(),
  },
  undefined,
  { required: ['volume'] },
)

export const volumeAttachmentStatus = s.object({
  attachmentTicketStatuses: s.map(
    s.object(
      {
        conditions: s.list(condition, 'What holds for this object now.', { nullable: true }),
        generation: s.integer(undefined, { format: 'int64' }),
        id: s.string(),
        satisfied: s.boolean(),
      },
      undefined,
      { required: ['conditions', 'satisfied'] },
    ),
  ),
})
