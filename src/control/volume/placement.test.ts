import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type DiskFacts,
  hasRoom,
  type PlacementRules,
  type PlacementWish,
  placeReplicas,
} from './placement.ts'

const GIB = 1024n ** 3n
const RULES: PlacementRules = { overProvisioningPercent: 100n, minimalAvailablePercent: 25n }

function disk(nodeID: string, more: Partial<DiskFacts> = {}): DiskFacts {
  return {
    nodeID,
    zone: 'z1',
    diskUUID: `disk-${nodeID}`,
    diskPath: '/d',
    nodeTags: [],
    diskTags: [],
    usable: true,
    availableBytes: 100n * GIB,
    maximumBytes: 100n * GIB,
    reservedBytes: 0n,
    scheduledBytes: 0n,
    ...more,
  }
}

function wish(more: Partial<PlacementWish> = {}): PlacementWish {
  return {
    sizeBytes: 10n * GIB,
    count: 1,
    nodeSelector: [],
    diskSelector: [],
    softNodeAntiAffinity: false,
    present: [],
    ...more,
  }
}

const nodesOf = (answer: { disks: readonly DiskFacts[] }): readonly string[] =>
  answer.disks.map((d) => d.nodeID)

test('three replicas on one node: one is placed, and the shortage says why', () => {
  const answer = placeReplicas(wish({ count: 3 }), [disk('n1')], RULES)
  assert.deepEqual(nodesOf(answer), ['n1'])
  assert.equal(answer.shortage, 'hard affinity cannot be satisfied')
})

test('zones are spread before nodes, and the emptier disk wins', () => {
  const disks = [
    disk('n1'),
    disk('n2'),
    disk('n3', { zone: 'z2', scheduledBytes: 50n * GIB }),
    disk('n4', { usable: false }),
  ]
  assert.deepEqual(nodesOf(placeReplicas(wish({ count: 3 }), disks, RULES)), ['n1', 'n3', 'n2'])
})

test('a tag that nobody has is named', () => {
  const answer = placeReplicas(wish({ diskSelector: ['ssd'] }), [disk('n1')], RULES)
  assert.deepEqual(answer, { disks: [], shortage: 'tags not fulfilled: no usable disk has disk tags ssd' })
})

test('a disk without room is not used, by promise and by what is left', () => {
  assert.equal(
    placeReplicas(wish({ sizeBytes: 101n * GIB }), [disk('n1')], RULES).shortage,
    'insufficient storage',
  )
  const full = disk('n1', { availableBytes: 20n * GIB })
  assert.equal(placeReplicas(wish({ sizeBytes: GIB }), [full], RULES).shortage, 'insufficient storage')
})

test('whatever the disks: places are allowed, apart, with room, and the answer is the same twice', () => {
  const anyDisk = fc.record({
    node: fc.integer({ min: 0, max: 4 }),
    usable: fc.boolean(),
    scheduled: fc.bigInt({ min: 0n, max: 100n }),
    tags: fc.subarray(['ssd', 'fast']),
  })
  fc.assert(
    fc.property(fc.array(anyDisk, { maxLength: 8 }), fc.integer({ min: 1, max: 5 }), (raw, count) => {
      const disks = raw.map((one, index) =>
        disk(`n${one.node}`, {
          diskUUID: `d${index}`,
          usable: one.usable,
          scheduledBytes: one.scheduled * GIB,
          diskTags: one.tags,
        }),
      )
      const asked = wish({ count, diskSelector: ['ssd'] })
      const answer = placeReplicas(asked, disks, RULES)
      assert.deepEqual(placeReplicas(asked, disks, RULES), answer)
      assert.equal(new Set(nodesOf(answer)).size, answer.disks.length)
      assert.equal(answer.disks.length === count, answer.shortage === undefined)
      for (const place of answer.disks) {
        assert.ok(place.usable && place.diskTags.includes('ssd'))
        assert.ok(hasRoom(place, asked.sizeBytes, RULES))
      }
    }),
  )
})
