import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decider } from '../kinds/decide.ts'
import { VirtualMachineTemplate } from '../kinds/harvester/virtual-machine-template.ts'
import { VirtualMachineTemplateVersion } from '../kinds/harvester/virtual-machine-template-version.ts'
import { object, type Stack, startStack } from '../sim/stack.ts'
import { decideTemplate, virtualMachineTemplateDecider } from './virtual-machine-template.ts'

const API = 'harvesterhci.io/v1beta1'

async function makeTemplate(stack: Stack): Promise<void> {
  await stack.ask(
    stack.client.create(
      VirtualMachineTemplate,
      object(VirtualMachineTemplate, {
        apiVersion: API,
        kind: 'VirtualMachineTemplate',
        metadata: { name: 'web', namespace: 'default' },
        spec: {},
      }),
    ),
  )
}

async function makeVersion(stack: Stack, name: string): Promise<void> {
  await stack.ask(
    stack.client.create(
      VirtualMachineTemplateVersion,
      object(VirtualMachineTemplateVersion, {
        apiVersion: API,
        kind: 'VirtualMachineTemplateVersion',
        metadata: { name, namespace: 'default' },
        spec: {
          templateId: 'default/web',
          vm: {
            spec: {
              runStrategy: 'Halted',
              template: { spec: { domain: { memory: { guest: '1Gi' }, devices: {} } } },
            },
          },
        },
      }),
    ),
  )
}

const templateOf = (stack: Stack) => stack.read(VirtualMachineTemplate, 'web', 'default')
const versionOf = (stack: Stack, name: string) => stack.read(VirtualMachineTemplateVersion, name, 'default')

test('versions are numbered in the order of their making; the first is the default until another is chosen', async () => {
  const stack = await startStack([decider(virtualMachineTemplateDecider)])
  await makeTemplate(stack)
  await makeVersion(stack, 'web-a')
  await stack.pass(2_000)
  await makeVersion(stack, 'web-b')
  await stack.pass(2_000)
  assert.equal(versionOf(stack, 'web-a')?.status?.version, 1)
  assert.equal(versionOf(stack, 'web-b')?.status?.version, 2)
  assert.equal(templateOf(stack)?.spec?.defaultVersionId, 'default/web-a')
  assert.deepEqual(templateOf(stack)?.status, { defaultVersion: 1, latestVersion: 2 })
  assert.equal(versionOf(stack, 'web-b')?.metadata.ownerReferences?.[0]?.name, 'web')
  const chosen = { spec: { defaultVersionId: 'default/web-b' } }
  await stack.ask(stack.client.patch(VirtualMachineTemplate, 'web', chosen, { namespace: 'default' }))
  await stack.pass(2_000)
  assert.equal(templateOf(stack)?.status?.defaultVersion, 2)
  assert.deepEqual(stack.problems, [])
})

test('a number is never given twice, even after its version is gone', () => {
  const template = object(VirtualMachineTemplate, {
    apiVersion: API,
    kind: 'VirtualMachineTemplate',
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { defaultVersionId: 'default/web-a' },
    status: { latestVersion: 4, defaultVersion: 1 },
  })
  const fresh = object(VirtualMachineTemplateVersion, {
    apiVersion: API,
    kind: 'VirtualMachineTemplateVersion',
    metadata: { name: 'web-e', namespace: 'default', uid: 'v' },
    spec: { templateId: 'default/web' },
  })
  const { actions, status } = decideTemplate({ template, versions: [fresh] }, 0)
  assert.match(JSON.stringify(actions), /"version":5/)
  assert.deepEqual(status, { latestVersion: 5, defaultVersion: 1 })
})
