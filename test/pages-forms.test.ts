// What the forms of the pages of single kinds make, judged by the kinds themselves; and where refusals go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../src/base/json.ts'
import { PersistentVolumeClaim } from '../src/kinds/core/persistent-volume-claim.ts'
import { ResourceQuota } from '../src/kinds/core/resource-quota.ts'
import { settings } from '../src/kinds/harvester/settings.ts'
import { VirtualMachineTemplateVersion } from '../src/kinds/harvester/virtual-machine-template-version.ts'
import { judge, lookOver } from '../src/kinds/judge.ts'
import type { AnyKind } from '../src/kinds/kind.ts'
import { ClusterRoleBinding, RoleBinding } from '../src/kinds/kubernetes/rbac.ts'
import { StorageClass } from '../src/kinds/kubernetes/storage-class.ts'
import type { Image, Machine } from '../ui/src/data/kinds.ts'
import { isUsual } from '../ui/src/pages/kit/default-class.ts'
import type {
  RoleBinding as Binding,
  Claim,
  ResourceQuota as Quota,
  Replica,
  Secret as SecretObject,
  Setting as SettingObject,
  Volume,
} from '../ui/src/pages/kit/places.ts'
import { refusalsOf } from '../ui/src/pages/kit/refusals.ts'
import { machinesWithConfig, machinesWithKey, machinesWithSecret } from '../ui/src/pages/kit/users-of.ts'
import { machineFromTemplate } from '../ui/src/pages/machines/from-template.ts'
import { bindingFor, membersOf, subjectsWithout } from '../ui/src/pages/projects/members.ts'
import { hardOf, isBad, shareOf, usageOf } from '../ui/src/pages/projects/quota.ts'
import {
  hasBadKeys,
  patchOf,
  rowsFor,
  sizeOfBase64,
  textOf,
  type ValueRow,
} from '../ui/src/pages/secrets/values.ts'
import {
  editorOf,
  inForce,
  isChanged,
  jsonOf,
  partsOf,
  wrongWith,
} from '../ui/src/pages/settings/setting-fields.ts'
import { classFor } from '../ui/src/pages/storage-classes/new-class.ts'
import { leftOut, templateFor, versionFor } from '../ui/src/pages/templates/new-template.ts'
import { everywhereBinding, isAdmin, newPassword, personOf, rightsOf } from '../ui/src/pages/users/people.ts'
import { claimFor, type VolumeWish } from '../ui/src/pages/volumes/new-volume.ts'
import {
  gibFor,
  machinesWith,
  sizeText,
  usableCopies,
  volumeState,
} from '../ui/src/pages/volumes/volume-facts.ts'
import { en } from '../ui/src/words/en.ts'

/** What the API would say against it; nothing for what it takes. */
function against(kind: AnyKind, object: object): readonly string[] {
  const { unknown, causes, refuse } = judge(kind, object as JsonObject, lookOver([]))
  return [
    ...unknown,
    ...causes.map(({ field, message }) => `${field}: ${message}`),
    refuse?.message ?? [],
  ].flat()
}

const volume: VolumeWish = {
  name: 'data',
  namespace: 'default',
  source: 'empty',
  size: '2.5',
  storageClass: '',
  mode: 'Block',
  access: 'ReadWriteMany',
  image: '',
  from: '',
}

test('volumes from the form are claims that the API takes, whatever they are filled from', () => {
  const empty = claimFor(volume, undefined)
  assert.deepEqual(against(PersistentVolumeClaim, empty), [])
  assert.equal(empty.spec?.resources?.requests?.['storage'], '2560Mi')
  const clone = claimFor({ ...volume, source: 'clone', from: 'other', storageClass: 'fast' }, undefined)
  assert.deepEqual(against(PersistentVolumeClaim, clone), [])
  assert.equal(clone.spec?.dataSource?.name, 'other')
  const image = { status: { storageClassName: 'lh-1' } } as unknown as Image
  const filled = claimFor({ ...volume, source: 'image', image: 'default/image-x' }, image)
  assert.equal(filled.spec?.storageClassName, 'lh-1')
  assert.equal(filled.metadata.annotations?.['harvesterhci.io/imageId'], 'default/image-x')
})

test('sizes', () => {
  assert.equal(sizeText('10'), '10Gi')
  assert.equal(sizeText('0.1'), '103Mi')
  for (const wrong of ['', ' ', '0', '-1', 'ten']) assert.equal(sizeText(wrong), undefined, wrong)
  assert.equal(gibFor(2 ** 30 + 1), 2)
  assert.equal(gibFor(0), 1)
})

const claim = {
  metadata: { name: 'data', namespace: 'default' },
  spec: { resources: { requests: { storage: '1Gi' } } },
  status: { phase: 'Bound', capacity: { storage: '1Gi' } },
} as unknown as Claim

test('the state of a volume is the worst that is known of it', () => {
  const word = (one: Claim, status?: object) =>
    volumeState('en', one, status && ({ status } as unknown as Volume)).word
  assert.equal(word(claim), 'Ready')
  assert.equal(word(claim, { state: 'attached', robustness: 'healthy' }), 'In use')
  assert.equal(word(claim, { state: 'attached', robustness: 'degraded' }), 'Too few copies')
  assert.equal(word(claim, { state: 'detached', robustness: 'faulted' }), 'No usable copy')
  const grows = { ...claim, spec: { resources: { requests: { storage: '2Gi' } } } } as unknown as Claim
  assert.equal(word(grows, { state: 'attached' }), 'Growing')
  assert.equal(word({ ...claim, status: { phase: 'Pending' } } as Claim), 'Being made')
  assert.equal(word({ ...claim, status: { phase: 'Lost' } } as Claim), 'Lost')
})

test('who uses a volume, and how many copies count', () => {
  const machine = {
    metadata: { name: 'web', namespace: 'default' },
    spec: { template: { spec: { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'data' } }] } } },
  } as unknown as Machine
  assert.deepEqual(machinesWith(claim, [machine]), ['web'])
  const elsewhere = { ...machine, metadata: { name: 'web', namespace: 'other' } } as unknown as Machine
  assert.deepEqual(machinesWith(claim, [elsewhere]), [])
  const copies = [
    { spec: { nodeID: 'n1', failedAt: '' } },
    { spec: { nodeID: 'n2', failedAt: '2026-01-01T00:00:00Z' } },
    { spec: { nodeID: '' } },
  ] as unknown as Replica[]
  assert.equal(usableCopies(copies), 1)
})

test('refusals stand at their fields, the rest at the end', () => {
  interface Values {
    readonly name: string
    readonly size: string
  }
  const paths = { name: /^metadata\.name/, size: /resources/ }
  const cause = (field: string, message: string) => ({ reason: 'FieldValueInvalid' as const, field, message })
  const failure = {
    reason: 'Invalid',
    message: 'all of it',
    causes: [
      cause('metadata.name', 'too long'),
      cause('metadata.name', 'odd signs'),
      cause('spec.accessModes', 'none given'),
    ],
  }
  assert.deepEqual(refusalsOf<Values>(failure, paths), {
    fields: { name: 'too long; odd signs' },
    elsewhere: 'spec.accessModes: none given',
  })
  const taken = { reason: 'AlreadyExists', message: 'taken', causes: [] }
  assert.deepEqual(refusalsOf<Values>(taken, paths), { fields: { name: 'taken' }, elsewhere: undefined })
  const forbidden = { reason: 'Forbidden', message: 'no', causes: [] }
  assert.deepEqual(refusalsOf<Values>(forbidden, paths), { fields: {}, elsewhere: 'no' })
})

test('only values that were changed are sent', () => {
  const [user, pass] = rowsFor(['user', 'pass'], true)
  assert.ok(user && pass)
  const added = { ...rowsFor(['more'], false)[0], text: 'x' } as ValueRow
  assert.deepEqual(patchOf(['user', 'pass'], [user, added]), { pass: null, more: 'x' })
  assert.deepEqual(patchOf(['user', 'pass'], [user, { ...pass, text: 'new' }]), { pass: 'new' })
  assert.deepEqual(patchOf(['user', 'pass'], [user, pass]), {})
  assert.equal(hasBadKeys([user, { ...pass, key: 'user' }]), true)
  assert.equal(hasBadKeys([{ ...user, key: '' }]), true)
  assert.equal(hasBadKeys([user, pass]), false)
})

test('values are shown as text only where they are', () => {
  assert.equal(textOf(Buffer.from('grüß dich').toString('base64')), 'grüß dich')
  assert.equal(textOf(Buffer.from([0xff, 0xfe]).toString('base64')), undefined)
  assert.equal(sizeOfBase64(Buffer.from('abcd').toString('base64')), 4)
})

test('machines that name a secret, a config or a key', () => {
  const machine = (name: string, spec: object, annotations = {}) =>
    ({
      metadata: { name, namespace: 'default' },
      spec: { template: { metadata: { annotations }, spec } },
    }) as unknown as Machine
  const machines = [
    machine('disk', { volumes: [{ secret: { secretName: 'db' } }] }),
    machine('user-data', { volumes: [{ cloudInitNoCloud: { secretRef: { name: 'db' } } }] }),
    machine('login', {
      accessCredentials: [{ userPassword: { source: { secret: { secretName: 'db' } } } }],
    }),
    machine('config', { volumes: [{ configMap: { name: 'db' } }] }),
    machine('keyed', {}, { 'harvesterhci.io/sshNames': '["default/laptop"]' }),
    machine('odd', {}, { 'harvesterhci.io/sshNames': 'no list' }),
  ]
  assert.deepEqual(machinesWithSecret(machines, 'default', 'db'), ['disk', 'user-data', 'login'])
  assert.deepEqual(machinesWithSecret(machines, 'other', 'db'), [])
  assert.deepEqual(machinesWithConfig(machines, 'default', 'db'), ['config'])
  assert.deepEqual(machinesWithKey(machines, 'default/laptop'), ['default/keyed'])
})

test('the share of a project is a quota that the API takes, and reads back as it was typed', () => {
  const share = { cpu: '1.5', memory: '16', storage: '0.5', machines: '' }
  const hard = Object.fromEntries(Object.entries(hardOf(share)).filter(([, value]) => value !== null))
  assert.deepEqual(hard, { 'limits.cpu': '1500m', 'limits.memory': '16Gi', 'requests.storage': '512Mi' })
  assert.equal(hardOf(share)['count/virtualmachines.kubevirt.io'], null)
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'project', namespace: 'payments' },
    spec: { hard: { ...hard, 'count/virtualmachines.kubevirt.io': '5' } },
  }
  assert.deepEqual(against(ResourceQuota, quota), [])
  assert.deepEqual(shareOf(quota as unknown as Quota), { ...share, machines: '5' })
  for (const wrong of ['x', '0', '-1']) assert.equal(isBad('cpu', wrong), true, wrong)
  assert.equal(isBad('machines', '1.5'), true)
  assert.equal(isBad('memory', ''), false)
  const [usage] = usageOf('en', {
    status: { hard: { 'limits.memory': '4Gi' }, used: { 'limits.memory': '1Gi' } },
  } as unknown as Quota)
  assert.deepEqual(usage, { resource: 'limits.memory', used: '1 GiB', hard: '4 GiB', part: 0.25 })
})

test('members of a project are the people in its bindings', () => {
  const binding = bindingFor({ namespace: 'payments', kind: 'User', name: 'alice', role: 'edit' })
  assert.deepEqual(against(RoleBinding, binding), [])
  const shared = {
    ...binding,
    subjects: [
      { kind: 'User', name: 'bob' },
      { kind: 'Group', name: 'shop' },
      { kind: 'ServiceAccount', name: 'robot', namespace: 'payments' },
      { kind: 'Group', name: 'system:masters' },
    ],
  } as unknown as Binding
  const members = membersOf([shared, binding])
  assert.deepEqual(
    members.map(({ kind, name, role }) => `${kind} ${name} ${role}`),
    ['User alice edit', 'User bob edit', 'Group shop edit'],
  )
  assert.deepEqual(subjectsWithout(members[0]!), [])
  assert.equal(subjectsWithout(members[1]!).length, 3)
})

test('what a person may do, by name and through groups', () => {
  const secret = {
    metadata: { name: 'croft-user-jo' },
    data: { groups: btoa('ops,'), mustChangePassword: btoa('true') },
  } as unknown as SecretObject
  const person = personOf(secret)
  assert.deepEqual([person.name, person.groups, person.mustChangePassword], ['jo', ['ops'], true])
  const everywhere = everywhereBinding('jo', 'view')
  assert.deepEqual(against(ClusterRoleBinding, everywhere), [])
  const inProject = bindingFor({ namespace: 'payments', kind: 'Group', name: 'ops', role: 'edit' })
  const other = bindingFor({ namespace: 'payments', kind: 'User', name: 'ann', role: 'admin' })
  const rights = rightsOf(person, [inProject, other, everywhere])
  assert.deepEqual(
    rights.map(({ role, namespace = '*', group = '' }) => `${role} ${namespace} ${group}`),
    ['view * ', 'edit payments ops'],
  )
  assert.equal(isAdmin(person, rights), false)
  assert.equal(isAdmin(person, rightsOf(person, [everywhereBinding('jo', 'admin')])), true)
  assert.equal(isAdmin({ ...person, groups: ['system:masters'] }, []), true)
  assert.match(newPassword(), /^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/)
})

test('settings are edited by what their values are, and judged before they are sent', () => {
  const fields = editorOf('overcommit-config', '{"cpu":1000,"memory":150,"storage":100}')
  assert.ok(fields.is === 'object')
  const parts = { ...partsOf('{"cpu":1000,"memory":150}'), cpu: '400' }
  assert.equal(jsonOf(fields.fields, parts), '{"cpu":400,"memory":150}')
  assert.equal(jsonOf(fields.fields, {}), '')
  assert.equal(editorOf('overcommit-config', '{"odd":1}').is, 'json')
  assert.equal(editorOf('log-level', 'info').is, 'choice')
  assert.equal(editorOf('additional-ca', '').is, 'long')
  assert.equal(wrongWith('log-level', 'debug'), undefined)
  assert.match(wrongWith('overcommit-config', '{"cpu":5}') ?? '', /field "cpu" must be a whole number/)
  const set = { metadata: { name: 'log-level' }, value: 'debug', default: 'info' } as unknown as SettingObject
  assert.deepEqual([inForce(set), isChanged(set)], ['debug', true])
  const unset = { ...set, value: '' } as SettingObject
  assert.deepEqual([inForce(unset), isChanged(unset)], ['info', false])
})

test('every setting has its words', () => {
  for (const { name, doc } of settings) assert.equal((en as Record<string, string>)[`setting.${name}`], doc)
})

test('a storage class from the form is one that the API takes', () => {
  const wish = {
    name: 'fast',
    copies: '2',
    reclaim: 'Retain',
    binding: 'Immediate',
    locality: 'best-effort',
    disks: ' ssd , nvme,',
    nodes: '',
    expand: true,
    migratable: true,
    usual: true,
  }
  const made = classFor(wish)
  assert.deepEqual(against(StorageClass, made), [])
  assert.equal(made.parameters?.['diskSelector'], 'ssd,nvme')
  assert.equal(isUsual(made), true)
  assert.match(against(StorageClass, classFor({ ...wish, copies: '0' })).join(), /numberOfReplicas/)
})

test('a template is a machine without what only one machine can have', () => {
  const note = JSON.stringify([{ metadata: { name: 'web-root' }, spec: {} }])
  const machine = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name: 'web',
      namespace: 'default',
      annotations: { 'harvesterhci.io/volumeClaimTemplates': note },
    },
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          hostname: 'web',
          domain: {
            memory: { guest: '1Gi' },
            firmware: { uuid: 'd3b0-1', bootloader: { bios: {} } },
            devices: {
              disks: [
                { name: 'root', disk: {} },
                { name: 'extra', disk: {} },
              ],
              interfaces: [{ name: 'default', masquerade: {}, macAddress: '52:54:00:00:00:01' }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [
            { name: 'root', persistentVolumeClaim: { claimName: 'web-root' } },
            { name: 'extra', persistentVolumeClaim: { claimName: 'by-hand' } },
          ],
        },
      },
    },
  } as unknown as Machine
  assert.deepEqual(leftOut(machine), ['extra'])
  const version = versionFor({ namespace: 'default', template: 'web', description: '', machine })
  const template = templateFor({ namespace: 'default', name: 'web', description: 'Shop' })
  const said = judge(VirtualMachineTemplateVersion, version as unknown as JsonObject, lookOver([template]))
  assert.deepEqual([...said.unknown, ...said.causes], [])
  const text = JSON.stringify(version)
  for (const own of ['52:54', 'd3b0', 'by-hand', '"hostname"']) assert.ok(!text.includes(own), own)
  assert.ok(text.includes('web-root'))
  const made = machineFromTemplate({ namespace: 'default', name: 'shop', version, start: false })
  assert.deepEqual(
    machinesWith({ metadata: { name: 'shop-disk-0', namespace: 'default' } } as Claim, [made]),
    ['shop'],
  )
})
