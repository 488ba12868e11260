import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Volume } from '../kinds/longhorn/volume.ts'
import type { VolumeAttachment } from '../kinds/longhorn/volume-attachment.ts'
import { ticketWishes } from './volume/tickets.ts'
import { decideVolumeAttachment } from './volume-attachment.ts'

const attachment = {
  metadata: { name: 'v', namespace: 'longhorn-system' },
  spec: {
    volume: 'v',
    attachmentTickets: {
      mine: { id: 'mine', type: 'longhorn-api', nodeID: 'n1', generation: 2 },
      other: { id: 'other', type: 'longhorn-api', nodeID: 'n2' },
    },
  },
} as unknown as VolumeAttachment
const volume = (state: string): Volume =>
  ({
    metadata: { name: 'v' },
    status: { state, currentNodeID: state === 'attached' ? 'n1' : '' },
  }) as unknown as Volume

test('a ticket is fulfilled where the volume is, and the others say where that is', () => {
  const { status } = decideVolumeAttachment({ attachment, volume: volume('attached') }, 0)
  const told = (
    status as {
      attachmentTicketStatuses: Record<
        string,
        { satisfied: boolean; generation: number; conditions: { message: string }[] }
      >
    }
  ).attachmentTicketStatuses
  assert.equal(told['mine']?.satisfied, true)
  assert.equal(told['mine']?.generation, 2)
  assert.equal(told['other']?.satisfied, false)
  assert.match(told['other']?.conditions[0]?.message ?? '', /attached to node n1/)
  assert.match(
    JSON.stringify(decideVolumeAttachment({ attachment, volume: volume('detached') }, 0)),
    /"satisfied":false/,
  )
})

test('tickets are wishes of the volume as long as the object stands', () => {
  assert.deepEqual(
    ticketWishes(attachment).map(({ id, nodeID }) => `${id} ${nodeID}`),
    ['mine n1', 'other n2'],
  )
  const metadata = { ...attachment.metadata, deletionTimestamp: '2026-12-01T00:00:00Z' }
  assert.deepEqual(ticketWishes({ ...attachment, metadata }), [])
})
