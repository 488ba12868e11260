// Decides one VolumeAttachment of Longhorn: which of the tickets that others put into it are fulfilled. Whether the
// volume follows them is the volume's own decision.
import { formatTime } from '../base/time.ts'
import type { Decider, Decision } from '../kinds/decide.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { VolumeAttachment } from '../kinds/longhorn/volume-attachment.ts'

export interface SeenAttachment {
  readonly attachment: VolumeAttachment
  readonly volume: Volume | undefined
}

export function decideVolumeAttachment({ attachment, volume }: SeenAttachment, now: number): Decision {
  const before = attachment.status?.attachmentTicketStatuses ?? {}
  const statuses = Object.fromEntries(
    Object.entries(attachment.spec?.attachmentTickets ?? {}).map(([id, ticket]) => {
      const { state, currentNodeID } = volume?.status ?? {}
      const isOn = state === 'attached'
      const satisfied = isOn && (!ticket.nodeID || ticket.nodeID === currentNodeID)
      const old = before[id]?.conditions?.find(({ type }) => type === 'Satisfied')
      const status = satisfied ? 'True' : 'False'
      const message =
        satisfied || !isOn || !currentNodeID
          ? ''
          : `volume ${volume?.metadata.name} is attached to node ${currentNodeID}`
      const condition = {
        type: 'Satisfied',
        status,
        reason: '',
        message,
        lastProbeTime: '',
        lastTransitionTime: old?.status === status ? old.lastTransitionTime : formatTime(now),
      }
      return [id, { id, satisfied, generation: ticket.generation ?? 0, conditions: [condition] }]
    }),
  )
  return { actions: [], status: { attachmentTicketStatuses: statuses } as never }
}

export const volumeAttachmentDecider: Decider<typeof VolumeAttachment, SeenAttachment> = {
  name: 'volume-attachment',
  kind: VolumeAttachment,
  watches: [{ kind: Volume, keys: ({ metadata }) => [`${metadata.namespace}/${metadata.name}`] }],
  gather: (attachment, look) => ({
    attachment,
    volume: look.get(Volume, attachment.metadata.namespace, attachment.spec?.volume ?? ''),
  }),
  decide: decideVolumeAttachment,
}
