// Speeds come from two samples of the same process; whatever began anew has none until the next one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiskFigures, MachineFigures, NodeSample } from '../base/metrics-port.ts'
import { METRICS } from './metrics.ts'
import { pointsOf } from './rates.ts'

const DISK: DiskFigures = {
  name: 'root',
  volume: 'pvc-1',
  readBytes: 0,
  writeBytes: 0,
  readOperations: 0,
  writeOperations: 0,
  flushOperations: 0,
  readSeconds: 0,
  writeSeconds: 0,
  flushSeconds: 0,
}
const NIC = {
  name: 'default',
  receiveBytes: 100,
  receivePackets: 1,
  receiveErrors: 0,
  receiveDropped: 0,
  transmitBytes: 0,
  transmitPackets: 0,
  transmitErrors: 0,
  transmitDropped: 0,
}
const MACHINE: MachineFigures = {
  uid: 'u1',
  namespace: 'default',
  name: 'web',
  podName: 'virt-launcher-web',
  userSeconds: 10,
  systemSeconds: 1,
  guestSeconds: 0,
  residentBytes: 2 ** 20,
  domainBytes: 2 ** 28,
  nics: [NIC],
  disks: [DISK],
}

function sample(at: number, machines: readonly MachineFigures[], host: object = {}): NodeSample {
  return {
    node: 'n1',
    at,
    host: {
      cpus: 2,
      busySeconds: 100,
      load1: 0.5,
      memoryBytes: 1000,
      memoryAvailableBytes: 400,
      diskBytes: 50,
      diskFreeBytes: 20,
      diskReadBytes: 0,
      diskWriteBytes: 0,
      receiveBytes: 0,
      transmitBytes: 0,
      ownSeconds: 1,
      ownResidentBytes: 7,
      ...host,
    },
    machines,
  }
}

function valuesOf(points: ReturnType<typeof pointsOf>, type: 'machine' | 'volume' | 'node') {
  const point = points.find(({ subject }) => subject.type === type)
  if (!point) return undefined
  return Object.fromEntries(METRICS[type].map(({ name }, index) => [name, point.values[index]]))
}

test('speeds, latencies and levels of ten seconds', () => {
  const later: MachineFigures = {
    ...MACHINE,
    userSeconds: 14,
    systemSeconds: 2,
    balloon: { actualBytes: 2 ** 28, availableBytes: 200, usableBytes: 150 },
    nics: [{ ...NIC, receiveBytes: 1100, receivePackets: 11 }],
    disks: [{ ...DISK, writeBytes: 40_960, writeOperations: 10, writeSeconds: 0.02 }],
  }
  const points = pointsOf(sample(0, [MACHINE]), sample(10_000, [later], { busySeconds: 105 }))
  const machine = valuesOf(points, 'machine')
  assert.equal(machine?.['cpu'], 0.5)
  assert.equal(machine?.['memoryUsed'], 50)
  assert.equal(machine?.['networkReceive'], 100)
  assert.equal(machine?.['networkReceivePackets'], 1)
  assert.equal(machine?.['diskWrite'], 4096)
  const volume = valuesOf(points, 'volume')
  assert.equal(volume?.['writeOperations'], 1)
  assert.equal(volume?.['writeLatency'], 0.002)
  assert.equal(volume?.['readLatency'], undefined)
  const node = valuesOf(points, 'node')
  assert.equal(node?.['cpu'], 0.5)
  assert.equal(node?.['memoryUsed'], 600)
  assert.equal(node?.['diskUsed'], 30)
})

test('the first sample, one after a long silence and another run of a machine have levels only', () => {
  const levels = valuesOf(pointsOf(undefined, sample(0, [MACHINE])), 'machine')
  assert.equal(levels?.['cpu'], undefined)
  assert.equal(levels?.['memory'], 2 ** 20)
  const silence = pointsOf(sample(0, [MACHINE]), sample(600_000, [{ ...MACHINE, userSeconds: 20 }]))
  assert.equal(valuesOf(silence, 'machine')?.['cpu'], undefined)
  assert.equal(valuesOf(silence, 'volume'), undefined)
  const again = pointsOf(sample(0, [MACHINE]), sample(10_000, [{ ...MACHINE, uid: 'u2', userSeconds: 0 }]))
  assert.equal(valuesOf(again, 'machine')?.['cpu'], undefined)
})

test('a counter that went back is no negative speed', () => {
  const later = { ...MACHINE, nics: [{ ...NIC, receiveBytes: 5 }] }
  assert.equal(
    valuesOf(pointsOf(sample(0, [MACHINE]), sample(10_000, [later])), 'machine')?.['networkReceive'],
    undefined,
  )
})

test('a QEMU that did not tell its disks has no speed of disks, not one of zero', () => {
  const { disks: _disks, ...later } = MACHINE
  const points = pointsOf(sample(0, [MACHINE]), sample(10_000, [later]))
  assert.equal(valuesOf(points, 'machine')?.['diskRead'], undefined)
  assert.equal(valuesOf(points, 'machine')?.['cpu'], 0)
})
