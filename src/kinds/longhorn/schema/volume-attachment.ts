// Spec and status of a VolumeAttachment of Longhorn.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const volumeAttachmentSpec = s.object(
  {
    attachmentTickets: s.map(
      s.object({
        generation: s.integer('Rises when the wish changes.', { format: 'int64' }),
        id: s.string('Identity of the wish.'),
        nodeID: s.string('Node that is wished for.'),
        parameters: s.map(s.string(), 'Details, for instance disableFrontend.'),
        type: s.string('Who wishes; the more important wins.'),
      }),
      'Wishes, by their identity.',
    ),
    volume: s.string('Volume that is meant.'),
  },
  'Who wants the volume where.',
  { required: ['volume'] },
)

export const volumeAttachmentStatus = s.object(
  {
    attachmentTicketStatuses: s.map(
      s.object(
        {
          conditions: s.list(condition, 'What holds for the wish now.', { nullable: true }),
          generation: s.integer('Wish that this answers.', { format: 'int64' }),
          id: s.string('Identity of the wish.'),
          satisfied: s.boolean('Whether it is fulfilled.'),
        },
        undefined,
        { required: ['conditions', 'satisfied'] },
      ),
      'Answers, by the identity of the wish.',
    ),
  },
  'Which wishes are fulfilled.',
)
