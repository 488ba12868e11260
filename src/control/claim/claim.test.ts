import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { decider } from '../../kinds/decide.ts'
import { StorageClass } from '../../kinds/kubernetes/storage-class.ts'
import { BackingImage } from '../../kinds/longhorn/backing-image.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { object, type Stack, startStack } from '../../sim/stack.ts'
import { claimDecider } from '../claim.ts'
import { persistentVolumeDecider } from '../persistent-volume.ts'
import { volumeDecider } from '../volume/decider.ts'
import { decideClaim } from './decide.ts'

const DECIDERS = [decider(claimDecider), decider(persistentVolumeDecider)]

async function makeClass(stack: Stack, name: string, more: Record<string, unknown> = {}): Promise<void> {
  await stack.ask(
    stack.client.create(
      StorageClass,
      object(StorageClass, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name },
        provisioner: 'driver.longhorn.io',
        reclaimPolicy: 'Delete',
        volumeBindingMode: 'Immediate',
        allowVolumeExpansion: true,
        parameters: { numberOfReplicas: '1', migratable: 'true', staleReplicaTimeout: '30' },
        ...more,
      }),
    ),
  )
}

async function makeClaim(
  stack: Stack,
  name: string,
  spec: Record<string, unknown>,
): Promise<PersistentVolumeClaim> {
  return stack.ask(
    stack.client.create(
      PersistentVolumeClaim,
      object(PersistentVolumeClaim, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace: 'default' },
        spec: {
          accessModes: ['ReadWriteMany'],
          volumeMode: 'Block',
          storageClassName: 'fast',
          resources: { requests: { storage: '1Gi' } },
          ...spec,
        },
      }),
    ),
  )
}

const claimOf = (stack: Stack, name: string) => stack.read(PersistentVolumeClaim, name, 'default')

test('a claim of a Longhorn class gets a volume and is bound, and all of it goes with the claim', async () => {
  const stack = await startStack([...DECIDERS, decider(volumeDecider)])
  await makeClass(stack, 'fast')
  const { metadata } = await makeClaim(stack, 'a', {})
  await stack.pass(100)
  const name = `pvc-${metadata.uid}`
  const claim = claimOf(stack, 'a')
  assert.equal(claim?.status?.phase, 'Bound')
  assert.equal(claim?.spec?.volumeName, name)
  assert.equal(claim?.status?.capacity?.['storage'], '1Gi')
  const volume = stack.read(PersistentVolume, name)
  assert.equal(volume?.status?.phase, 'Bound')
  assert.equal(volume?.spec?.csi?.volumeHandle, name)
  const longhorn = stack.read(Volume, name, 'longhorn-system')
  assert.deepEqual(
    [
      longhorn?.spec?.size,
      longhorn?.spec?.numberOfReplicas,
      longhorn?.spec?.accessMode,
      longhorn?.spec?.migratable,
    ],
    ['1073741824', 1, 'rwx', true],
  )
  await stack.ask(stack.client.delete(PersistentVolumeClaim, 'a', { namespace: 'default' }))
  await stack.pass(1_000)
  assert.equal(claimOf(stack, 'a'), undefined)
  assert.equal(stack.read(Volume, name, 'longhorn-system'), undefined)
  assert.equal(stack.read(PersistentVolume, name), undefined)
  assert.deepEqual(stack.problems, [])
})

test('sizes are rounded up to what Longhorn makes, and told so', async () => {
  const stack = await startStack(DECIDERS)
  await makeClass(stack, 'fast')
  await makeClaim(stack, 'odd', { resources: { requests: { storage: '1073741825' } } })
  await makeClaim(stack, 'tiny', { resources: { requests: { storage: '1' } } })
  await stack.pass(100)
  assert.equal(claimOf(stack, 'odd')?.status?.capacity?.['storage'], '1026Mi')
  assert.equal(claimOf(stack, 'tiny')?.status?.capacity?.['storage'], '10Mi')
})

test('what hinders a claim is told, and it goes on by itself when that is gone', async () => {
  const stack = await startStack(DECIDERS)
  await makeClaim(stack, 'a', {})
  await stack.pass(100)
  assert.equal(claimOf(stack, 'a')?.status?.phase, 'Pending')
  assert.match(stack.events('a').join(), /ProvisioningFailed: storageclass.storage.k8s.io "fast" not found/)
  await makeClass(stack, 'fast')
  await stack.pass(100)
  assert.equal(claimOf(stack, 'a')?.status?.phase, 'Bound')
})

test('a class with impossible parameters, left from before they were refused, makes nothing', () => {
  const decision = decideClaim(
    {
      claim: object(PersistentVolumeClaim, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'a', namespace: 'default', uid: 'u' },
        spec: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
      }),
      bound: undefined,
      candidates: [],
      storageClass: object(StorageClass, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'fast' },
        provisioner: 'driver.longhorn.io',
        parameters: { numberOfReplicas: '0' },
      }),
      longhorn: undefined,
      image: undefined,
      users: [],
    },
    0,
  )
  assert.equal(decision.actions.length, 1)
  assert.match(
    JSON.stringify(decision.actions),
    /numberOfReplicas is .*0.*, it must be a number from 1 to 20/,
  )
})

test('a claim on an image waits for the image and refuses to be smaller than its disk', async () => {
  const stack = await startStack(DECIDERS)
  await makeClass(stack, 'fast', { parameters: { numberOfReplicas: '1', backingImage: 'vmi-1' } })
  await makeClaim(stack, 'a', {})
  await stack.pass(100)
  assert.match(stack.events('a').join(), /backing image vmi-1 of the claim does not exist/)
  const image = object(BackingImage, {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'BackingImage',
    metadata: { name: 'vmi-1', namespace: 'longhorn-system' },
    spec: { sourceType: 'download', sourceParameters: { url: 'https://images.example/a.qcow2' } },
  })
  await stack.ask(stack.client.create(BackingImage, image))
  const setSize = (virtualSize: number) =>
    stack.client.patch(
      BackingImage,
      'vmi-1',
      { status: { virtualSize } },
      {
        namespace: 'longhorn-system',
        subresource: 'status',
      },
    )
  await stack.pass(100)
  assert.equal(
    claimOf(stack, 'a')?.status?.phase,
    'Bound',
    'an image whose size is not known yet holds up nothing',
  )
  await stack.ask(setSize(4 * 1024 ** 3))
  await makeClaim(stack, 'small', {})
  await stack.pass(100)
  assert.equal(claimOf(stack, 'small')?.status?.phase, 'Pending')
  assert.match(stack.events('small').join(), /asks for 1Gi, but image vmi-1 holds a disk of 4Gi/)
})

test('a class that waits for its first Pod waits for the chosen node', async () => {
  const stack = await startStack(DECIDERS)
  await makeClass(stack, 'fast', { volumeBindingMode: 'WaitForFirstConsumer' })
  await makeClaim(stack, 'a', {})
  await stack.pass(100)
  assert.match(stack.events('a').join(), /WaitForFirstConsumer/)
  const annotations = { 'volume.kubernetes.io/selected-node': 'n1' }
  await stack.ask(
    stack.client.patch(PersistentVolumeClaim, 'a', { metadata: { annotations } }, { namespace: 'default' }),
  )
  await stack.pass(100)
  assert.equal(claimOf(stack, 'a')?.status?.phase, 'Bound')
})

test('a volume made by hand is taken when it fits, the smallest first, and kept with Retain', async () => {
  const stack = await startStack(DECIDERS)
  for (const [name, storage] of [
    ['big', '10Gi'],
    ['fit', '2Gi'],
    ['small', '512Mi'],
  ] as const) {
    await stack.ask(
      stack.client.create(
        PersistentVolume,
        object(PersistentVolume, {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name },
          spec: {
            capacity: { storage },
            accessModes: ['ReadWriteOnce'],
            hostPath: { path: '/tmp/x' },
            storageClassName: 'manual',
            persistentVolumeReclaimPolicy: 'Retain',
          },
        }),
      ),
    )
  }
  await makeClaim(stack, 'a', {
    accessModes: ['ReadWriteOnce'],
    volumeMode: 'Filesystem',
    storageClassName: 'manual',
  })
  await stack.pass(100)
  assert.equal(claimOf(stack, 'a')?.spec?.volumeName, 'fit')
  assert.equal(claimOf(stack, 'a')?.status?.phase, 'Bound')
  assert.equal(stack.read(PersistentVolume, 'fit')?.status?.phase, 'Bound')
  assert.equal(stack.read(PersistentVolume, 'big')?.status?.phase, 'Available')
  await stack.ask(stack.client.delete(PersistentVolumeClaim, 'a', { namespace: 'default' }))
  await stack.pass(1_000)
  assert.equal(stack.read(PersistentVolume, 'fit')?.status?.phase, 'Released')
  assert.deepEqual(stack.problems, [])
})

test('a claim made larger grows its volume first', async () => {
  const stack = await startStack(DECIDERS)
  await makeClass(stack, 'fast')
  const { metadata } = await makeClaim(stack, 'a', {})
  await stack.pass(100)
  const larger = { spec: { resources: { requests: { storage: '2Gi' } } } }
  await stack.ask(stack.client.patch(PersistentVolumeClaim, 'a', larger, { namespace: 'default' }))
  await stack.pass(100)
  assert.equal(stack.read(Volume, `pvc-${metadata.uid}`, 'longhorn-system')?.spec?.size, '2147483648')
  assert.equal(claimOf(stack, 'a')?.status?.capacity?.['storage'], '2Gi')
  assert.deepEqual(stack.problems, [])
})

test('a claim larger than any volume can be stays pending and says so, and nothing is made for it', async () => {
  const stack = await startStack(DECIDERS)
  await makeClass(stack, 'fast')
  for (const [name, storage] of [
    ['exa', '8Ei'],
    ['digits', '1e30'],
  ] as const)
    await makeClaim(stack, name, { resources: { requests: { storage } } })
  await stack.pass(1_000)
  for (const name of ['exa', 'digits']) {
    assert.equal(claimOf(stack, name)?.status?.phase, 'Pending')
    assert.equal(claimOf(stack, name)?.spec?.volumeName, undefined)
  }
  for (const name of ['exa', 'digits']) assert.match(stack.events(name).join(), /ProvisioningFailed/)
  assert.deepEqual(stack.problems, [])
})
