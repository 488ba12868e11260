import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addressNumber,
  addressText,
  chooseRange,
  gatewayOf,
  inRange,
  overlap,
  parseRange,
  probeOrder,
} from './address-range.ts'

const range = (text: string) => parseRange(text) ?? assert.fail(text)

test('addresses and ranges are read as they are written, and nothing else is', () => {
  assert.equal(addressText(addressNumber('10.52.255.7') ?? 0), '10.52.255.7')
  assert.equal(range('10.52.3.4/16').cidr, '10.52.0.0/16')
  assert.equal(range('0.0.0.0/0').size, 2 ** 32)
  assert.equal(range('192.0.2.1').cidr, '192.0.2.1/32')
  for (const text of ['', '10.52.0/16', '10.52.0.256/16', '10.52.0.0/33', 'fd00::/8', '10.52.0.0/x'])
    assert.equal(parseRange(text), undefined, text)
  assert.equal(gatewayOf(range('10.52.0.0/16')), '10.52.0.1')
  assert.ok(inRange(range('10.52.0.0/16'), '10.52.255.255'))
  assert.ok(!inRange(range('10.52.0.0/16'), '10.53.0.0'))
})

test('the range meets nothing that is in use', () => {
  assert.equal(chooseRange(['192.0.2.0/24', '172.17.0.0/16'])?.cidr, '10.52.0.0/16')
  assert.equal(chooseRange(['10.52.7.0/24', '10.53.1.1'])?.cidr, '10.54.0.0/16')
  const taken = ['10.0.0.0/8', '172.16.0.0/12']
  const chosen = chooseRange(taken)
  assert.ok(chosen && taken.every((text) => !overlap(chosen, range(text))))
  assert.equal(chooseRange(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']), undefined)
})

test('every usable address is tried once, first the same one for the same machine', () => {
  const small = range('10.52.0.0/28')
  const order = [...probeOrder(small, 'default/vm/default')]
  assert.deepEqual(order, [...probeOrder(small, 'default/vm/default')])
  assert.equal(new Set(order).size, 13)
  for (const address of ['10.52.0.0', '10.52.0.1', '10.52.0.15']) assert.ok(!order.includes(address))
  assert.deepEqual([...probeOrder(range('10.52.0.0/31'), 'x')], [])
  assert.deepEqual([...probeOrder(range('10.52.0.0/30'), 'x')], ['10.52.0.2'])
})
