import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { judge, judgeDelete, lookOver } from '../judge.ts'
import { NetworkAttachmentDefinition } from './network-attachment-definition.ts'
import { OverlappingRangeIPReservation } from './overlapping-range-ip-reservation.ts'

const empty = lookOver([])

test('an address belongs to one Pod and is not handed over', () => {
  const held = (podref: string): JsonObject => ({
    apiVersion: 'whereabouts.cni.cncf.io/v1alpha1',
    kind: 'OverlappingRangeIPReservation',
    metadata: { name: '10.52.0.7', namespace: 'kube-system' },
    spec: { podref },
  })
  const { object, causes } = judge(
    OverlappingRangeIPReservation,
    held('default/virt-launcher-web-abcde'),
    empty,
  )
  assert.deepEqual(causes, [])
  const other = judge(OverlappingRangeIPReservation, held('default/other'), empty, object).causes
  assert.match(other[0]?.message ?? '', /belongs to Pod default\/virt-launcher-web-abcde/)
  assert.deepEqual(
    judge(OverlappingRangeIPReservation, held('no-namespace'), empty).causes.map(({ field }) => field),
    ['spec.podref'],
  )
})

const network = (config: string): JsonObject => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name: 'vlan100', namespace: 'default' },
  spec: { config },
})

test('a network configuration is read when it is saved', () => {
  const told = (config: string): string =>
    judge(NetworkAttachmentDefinition, network(config), empty)
      .causes.map(({ message }) => message)
      .join()
  assert.equal(told('{"cniVersion":"0.3.1","type":"bridge","bridge":"mgmt-br","vlan":100}'), '')
  assert.match(told('{"type":'), /must be JSON/)
  assert.match(told('{"bridge":"b"}'), /must name a plugin/)
  for (const vlan of ['4095', '-1', '"100"'])
    assert.match(told(`{"type":"bridge","vlan":${vlan}}`), /from 0 to 4094/)
})

test('a network stays while a machine is connected to it, and the answer names the machine', () => {
  const stored = judge(NetworkAttachmentDefinition, network('{"type":"bridge"}'), empty).object
  const machine = (networkName: string, namespace = 'default'): KubeObject => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace },
    spec: { template: { spec: { domain: {}, networks: [{ name: 'n', multus: { networkName } }] } } },
  })
  for (const user of [machine('vlan100'), machine('default/vlan100', 'apps')])
    assert.match(
      judgeDelete(NetworkAttachmentDefinition, stored, lookOver([user])).refuse?.message ?? '',
      /\/web/,
    )
  assert.equal(
    judgeDelete(NetworkAttachmentDefinition, stored, lookOver([machine('vlan100', 'apps')])).refuse,
    undefined,
  )
})
