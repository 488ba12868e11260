import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { readObject, validateObject, withDefaults } from '../interpreter.ts'
import type { AnyKind, RuleLook } from '../kind.ts'
import { RoleBinding } from '../kubernetes/rbac.ts'
import { PersistentVolumeClaim } from './persistent-volume-claim.ts'
import { Pod } from './pod.ts'
import { defaultPullPolicy } from './pod-defaults.ts'
import { ResourceQuota } from './resource-quota.ts'
import { Secret } from './secret.ts'
import { Service } from './service.ts'

function lookAt(objects: readonly KubeObject[] = []): RuleLook {
  return {
    get: <T extends KubeObject>(kind: AnyKind, _namespace: string | undefined, name: string) =>
      objects.find((one) => one.kind === kind.kind && one.metadata.name === name) as T | undefined,
    list: () => [],
    user: { username: 'u', groups: [] },
    now: 0,
    mayDo: () => true,
  }
}

function write(kind: AnyKind, body: JsonObject, previous?: KubeObject): KubeObject {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  let object = withDefaults(kind, readObject(kind, { apiVersion, kind: kind.kind, ...body }).object)
  for (const mutate of kind.mutators) object = mutate(object, previous, lookAt())
  return object
}

function told(kind: AnyKind, next: KubeObject, previous?: KubeObject, look = lookAt()): string[] {
  const causes = [
    ...validateObject(kind, next, previous),
    ...kind.rules.flatMap((rule) => rule(next, previous, look).causes ?? []),
  ]
  return causes.map((one) => `${one.field}: ${one.message}`)
}

const pod = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'p', namespace: 'd' },
  spec: { containers: [{ name: 'c', image: 'nginx:1.27' }], ...spec },
})
const container = (extra: JsonObject): JsonObject =>
  pod({ containers: [{ name: 'c', image: 'i:1', ...extra }] })

test('what a new Pod is given', () => {
  const object = write(Pod, container({ resources: { limits: { cpu: '1', memory: '1024Mi' } } }))
  const spec = object['spec'] as JsonObject
  assert.deepEqual(spec, {
    containers: [
      {
        name: 'c',
        image: 'i:1',
        resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
    securityContext: {},
  })
  assert.deepEqual(object['status'], { phase: 'Pending', qosClass: 'Guaranteed' })
})

test('pull policies by tag', () => {
  const cases = {
    a: 'Always',
    'a:latest': 'Always',
    'a:1': 'IfNotPresent',
    'r:5000/a': 'Always',
    'a@sha256:0': 'IfNotPresent',
  }
  for (const [image, policy] of Object.entries(cases)) assert.equal(defaultPullPolicy(image), policy, image)
})

test('a bad Pod is told all that is wrong', () => {
  const bad = write(
    Pod,
    container({
      name: 'C',
      volumeMounts: [{ name: 'none', mountPath: '/x' }],
      resources: { requests: { cpu: '2' }, limits: { cpu: '1' } },
      livenessProbe: {},
      env: [{ name: 'A', valueFrom: {} }],
    }),
  )
  const fields = told(Pod, bad).map((line) => line.slice(0, line.indexOf(': ')))
  assert.deepEqual(fields, [
    'spec.containers[0].name',
    'spec.containers[0].env[0].valueFrom',
    'spec.containers[0].livenessProbe',
    'spec.containers[0].volumeMounts[0].name',
    'spec.containers[0].resources.requests',
  ])
})

test('of a Pod only a few things may change', () => {
  const before = write(Pod, pod({}))
  const change = (spec: JsonObject): string[] => told(Pod, write(Pod, pod(spec), before), before)
  assert.deepEqual(change({ containers: [{ name: 'c', image: 'nginx:1.28' }] }), [])
  assert.deepEqual(change({ activeDeadlineSeconds: 60, tolerations: [{ operator: 'Exists' }] }), [])
  assert.match(
    change({ hostNetwork: true })[0] ?? '',
    /^spec: Forbidden: pod updates may not change fields other than/,
  )
  assert.match(change({ schedulingGates: [{ name: 'g' }] })[0] ?? '', /only deletion is allowed/)
})

const claim = (size: string, extra: JsonObject = {}): JsonObject => ({
  metadata: { name: 'c', namespace: 'd' },
  spec: {
    accessModes: ['ReadWriteMany'],
    storageClassName: 'fast',
    resources: { requests: { storage: size } },
    ...extra,
  },
})

test('claims grow only where their class allows it, and never shrink', () => {
  const created = write(PersistentVolumeClaim, claim('10Gi'))
  assert.deepEqual(created.metadata.finalizers, ['kubernetes.io/pvc-protection'])
  assert.deepEqual(created['status'], { phase: 'Pending' })
  const bound: KubeObject = { ...created, status: { phase: 'Bound' } }
  const storageClass = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' } }
  const grow = (size: string, allowVolumeExpansion: boolean, extra: JsonObject = {}): string => {
    const look = lookAt([{ ...storageClass, allowVolumeExpansion }])
    return told(
      PersistentVolumeClaim,
      write(PersistentVolumeClaim, claim(size, extra), bound),
      bound,
      look,
    ).join('; ')
  }
  assert.equal(grow('20Gi', true), '')
  assert.match(grow('20Gi', false), /must support resize/)
  assert.match(grow('5Gi', true), /field can not be less than previous value/)
  assert.match(grow('10Gi', true, { accessModes: ['ReadWriteOnce'] }), /spec is immutable after creation/)
  assert.equal(grow('10Gi', true, { volumeName: 'pvc-1' }), '')
})

test('Services: defaults, and what may not change', () => {
  const body = (spec: JsonObject): JsonObject => ({ metadata: { name: 's', namespace: 'd' }, spec })
  const plain = write(Service, body({ ports: [{ port: 80 }] }))
  assert.deepEqual(plain['spec'], {
    ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
  })
  const before = write(Service, body({ clusterIP: '10.96.0.5', ports: [{ port: 80 }] }))
  const after = write(Service, body({ clusterIP: '10.96.0.6', ports: [{ port: 80 }] }), before)
  assert.match(told(Service, after, before).join(), /primary clusterIP can not be unset or changed/)
  assert.match(
    told(Service, write(Service, body({ ports: [{ port: 1 }, { port: 2 }] }))).join(),
    /ports\[0\]\.name: Required/,
  )
})

test('Secrets: stringData becomes data, types need their keys, immutable stays so', () => {
  const body = (extra: JsonObject): JsonObject => ({ metadata: { name: 's', namespace: 'd' }, ...extra })
  const secret = write(Secret, body({ stringData: { word: 'grüße' }, immutable: true }))
  assert.equal(secret['stringData'], undefined)
  assert.deepEqual(secret['data'], { word: 'Z3LDvMOfZQ==' })
  const changed = write(Secret, body({ stringData: { word: 'x' }, immutable: true }), secret)
  assert.match(
    told(Secret, changed, secret).join(),
    /data: Forbidden: field is immutable when `immutable` is set/,
  )
  assert.deepEqual(told(Secret, write(Secret, body({ type: 'kubernetes.io/tls' }))), [
    'data[tls.crt]: Required value',
    'data[tls.key]: Required value',
  ])
})

test('the role of a binding may not change', () => {
  const body = (name: string): JsonObject => ({
    metadata: { name: 'b', namespace: 'd' },
    roleRef: { kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name: 'eva' }],
  })
  const before = write(RoleBinding, body('view'))
  assert.deepEqual(told(RoleBinding, before), [])
  assert.match(
    told(RoleBinding, write(RoleBinding, body('edit'), before), before).join(),
    /cannot change roleRef/,
  )
})

test('a quota counts what it knows: standard names, names with a domain, and counts', () => {
  const quota = (hard: JsonObject): KubeObject =>
    write(ResourceQuota, { metadata: { name: 'q', namespace: 'default' }, spec: { hard } })
  assert.deepEqual(told(ResourceQuota, quota({ foo: '1' })), [
    'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quotas',
  ])
  const good = { pods: 1, 'requests.cpu': 1, 'count/virtualmachines.kubevirt.io': 2, 'example.com/gpu': 1 }
  assert.deepEqual(
    told(ResourceQuota, quota({ ...good, 'requests.storage': '1Gi', 'services.nodeports': 0 })),
    [],
  )
})
