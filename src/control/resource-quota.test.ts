import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../base/object.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../kinds/core/pod.ts'
import { ResourceQuota } from '../kinds/core/resource-quota.ts'
import { Service } from '../kinds/core/service.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { object } from '../sim/stack.ts'
import { decideQuota } from './resource-quota.ts'

const pod = (name: string, cpu: string, more: Record<string, unknown> = {}, phase = 'Running'): KubeObject =>
  object(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      containers: [{ name: 'c', resources: { requests: { cpu }, limits: { memory: '1Gi' } } }],
      ...more,
    },
    status: { phase },
  })
const claim = (name: string, storage: string): KubeObject =>
  object(PersistentVolumeClaim, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { storageClassName: 'fast', resources: { requests: { storage } } },
  })

function used(hard: Record<string, string>, spec: Record<string, unknown> = {}, status?: unknown): unknown {
  const quota = object(ResourceQuota, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'default' },
    spec: { hard, ...spec },
    ...(status === undefined ? {} : { status }),
  })
  const service = object(Service, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', namespace: 'default' },
    spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] },
  })
  const contents = [
    {
      kind: Pod,
      objects: [
        pod('a', '500m'),
        pod('b', '1'),
        pod('done', '4', {}, 'Succeeded'),
        pod('batch', '1', { activeDeadlineSeconds: 5 }),
      ],
    },
    { kind: PersistentVolumeClaim, objects: [claim('x', '1Gi'), claim('y', '512Mi')] },
    { kind: Service, objects: [service] },
    { kind: VirtualMachine, objects: [] },
  ]
  const decision = decideQuota({ quota, contents }, 0)
  return decision.status?.['used'] ?? 'unchanged'
}

test('transcript: what is limited and what is used of it', () => {
  assert.deepEqual(used({ pods: '10', 'requests.cpu': '4', cpu: '4' }), {
    pods: '3',
    'requests.cpu': '2500m',
    cpu: '2500m',
  })
  assert.deepEqual(used({ 'limits.memory': '10Gi' }), { 'limits.memory': '3Gi' })
  assert.deepEqual(used({ 'count/pods': '10' }), { 'count/pods': '4' }, 'ended Pods count as objects')
  assert.deepEqual(
    used({ 'requests.storage': '10Gi', 'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '5' }),
    { 'requests.storage': '1536Mi', 'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '2' },
  )
  assert.deepEqual(used({ services: '5', 'services.nodeports': '5' }), {
    services: '1',
    'services.nodeports': '2',
  })
  assert.deepEqual(used({ 'count/virtualmachines.kubevirt.io': '3' }), {
    'count/virtualmachines.kubevirt.io': '0',
  })
  assert.deepEqual(used({ pods: '10' }, { scopes: ['Terminating'] }), { pods: '1' })
  assert.deepEqual(used({ pods: '10' }, { scopes: ['NotTerminating', 'NotBestEffort'] }), { pods: '2' })
})

test('equal amounts in other words change nothing, and what is not recounted stays as charged', () => {
  const hard = { cpu: '4' }
  assert.equal(used(hard, {}, { hard: { cpu: '4000m' }, used: { cpu: '2.5' } }), 'unchanged')
  const strange = { 'count/strange.example.com': '5' }
  assert.equal(used(strange, {}, { hard: strange, used: { 'count/strange.example.com': '2' } }), 'unchanged')
})
