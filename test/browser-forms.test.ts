// What the forms of the web interface make is what the API takes: judged by the kinds themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimTemplatesOf } from '../src/kinds/harvester/claim-templates.ts'
import { parseYaml, printYaml } from '../src/kinds/yaml.ts'
import { isFine } from '../ui/src/data/conditions.ts'
import { ageText, bytesText, cpusOf, memoryOf } from '../ui/src/data/measures.ts'
import { commandFor, fieldOf, machineFor, type Wish } from '../ui/src/pages/machines/new-machine.ts'

const wish = {
  namespace: 'payments',
  name: 'web-01',
  image: {
    metadata: { namespace: 'default', name: 'image-x' },
    spec: { displayName: 'debian-12', sourceType: 'download' },
    status: { storageClassName: 'lh-1' },
  },
  cpus: 2,
  memoryGib: 0.5,
  diskGib: 20,
  sshKey: 'ssh-ed25519 AAAA "quoted"\n\nssh-rsa BBBB',
  userData: '',
  start: true,
} as unknown as Wish

test('a machine from the form has the disk of its image, its size, and the keys', () => {
  const machine = machineFor(wish)
  const templates = claimTemplatesOf(machine)
  assert.ok(typeof templates !== 'string')
  assert.equal(templates[0]?.spec.storageClassName, 'lh-1')
  assert.equal(templates[0]?.metadata.annotations?.['harvesterhci.io/imageId'], 'default/image-x')
  assert.equal(cpusOf(machine), 2)
  assert.equal(memoryOf(machine), 2 ** 29)
  const userData = machine.spec.template.spec?.volumes?.[1]?.cloudInitNoCloud?.userData ?? ''
  assert.deepEqual(parseYaml(userData).value, {
    ssh_authorized_keys: ['ssh-ed25519 AAAA "quoted"', 'ssh-rsa BBBB'],
  })
  assert.deepEqual(parseYaml(printYaml(machine)).value, JSON.parse(JSON.stringify(machine)))
})

test('user data goes to the guest as it was written; without any there is no such disk', () => {
  const text = '#cloud-config\r\n  odd:   spacing\n'
  const written = machineFor({ ...wish, userData: text })
  assert.equal(written.spec.template.spec?.volumes?.[1]?.cloudInitNoCloud?.userData, text)
  const bare = machineFor({ ...wish, sshKey: ' ', userData: '' })
  assert.equal(bare.spec.template.spec?.volumes?.length, 1)
  assert.equal(bare.spec.template.spec?.domain?.devices?.disks?.length, 1)
})

test('the command says the same; refusals find their field', () => {
  assert.equal(
    commandFor(wish),
    'croft vm create web-01 --image debian-12 --cpus 2 --memory 512Mi --disk 20Gi -n payments',
  )
  assert.equal(fieldOf('metadata.name'), 'name')
  assert.equal(fieldOf('spec.template.spec.domain.cpu.cores'), 'size')
  assert.equal(fieldOf('spec.template.spec.volumes[1].cloudInitNoCloud.userData'), 'userData')
  assert.equal(fieldOf('spec.runStrategy'), undefined)
})

test('measures and conditions as people read them', () => {
  assert.equal(bytesText('en', 1536 * 2 ** 20), '1.5 GiB')
  assert.equal(ageText('en', '2026-01-01T00:00:00Z', Date.parse('2026-01-03T05:00:00Z')), '2 days')
  assert.equal(ageText('en', undefined, 0), '–')
  assert.equal(isFine('Ready', 'True'), true)
  assert.equal(isFine('DiskPressure', 'True'), false)
  assert.equal(isFine('Ready', 'Unknown'), undefined)
})
