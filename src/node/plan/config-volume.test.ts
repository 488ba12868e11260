// Configuration disks: which files reach the guest, and what is waited for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBase64, toBase64 } from './base64.ts'
import type { ConfigAnswer } from './config-source.ts'
import { configDisk } from './config-volume.ts'
import type { VmiSpec, VmiVolume } from './part.ts'

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>

function answer(
  volume: Partial<VmiVolume>,
  objects: { secrets?: Texts; maps?: Texts; spec?: Partial<VmiSpec>; name?: string } = {},
): ConfigAnswer {
  const find = (texts: Texts | undefined, name: string) => {
    const found = texts?.[name]
    return (
      found &&
      Object.fromEntries(Object.entries(found).map(([key, value]) => [key, new TextEncoder().encode(value)]))
    )
  }
  const made = configDisk(
    { name: 'seed', ...volume },
    {
      namespace: 'ns',
      name: objects.name ?? 'web.prod',
      uid: 'vmi-uid',
      labels: { a: 'b' },
      annotations: {},
      uuid: 'the-uuid',
      spec: { domain: { devices: {} }, ...objects.spec },
      sources: {
        secret: (name) => find(objects.secrets, name),
        configMap: (name) => find(objects.maps, name),
        serviceAccount: () => undefined,
      },
    },
  )
  assert.ok(made)
  return made
}

function files(made: ConfigAnswer): Readonly<Record<string, string>> {
  assert.ok(made.ok, JSON.stringify(made))
  return Object.fromEntries(
    made.disk.files.map(({ path, content }) => [path, new TextDecoder().decode(content)]),
  )
}

function waits(made: ConfigAnswer): readonly [string, string] {
  assert.ok(!made.ok)
  return [made.wait.reason, made.wait.message]
}

test('NoCloud: plain and base64 text, and the identity of the machine', () => {
  const made = files(
    answer({
      cloudInitNoCloud: {
        userData: '#cloud-config\n',
        networkDataBase64: toBase64(new TextEncoder().encode('version: 2\n')),
      },
    }),
  )
  assert.equal(made['user-data'], '#cloud-config\n')
  assert.equal(made['network-config'], 'version: 2\n')
  assert.deepEqual(JSON.parse(made['meta-data'] ?? ''), {
    'instance-id': 'the-uuid',
    'local-hostname': 'web',
  })
})

test('network data alone is enough, and user-data is there and empty', () => {
  const made = files(answer({ cloudInitNoCloud: { networkData: 'version: 2\n' } }))
  assert.equal(made['user-data'], '')
  assert.equal(made['network-config'], 'version: 2\n')
})

test('an empty text in a Secret is kept as empty', () => {
  const made = files(
    answer(
      { cloudInitNoCloud: { secretRef: { name: 's' }, networkDataSecretRef: { name: 's' } } },
      { secrets: { s: { userdata: '', networkdata: 'x' } } },
    ),
  )
  assert.equal(made['user-data'], '')
  assert.equal(made['network-config'], 'x')
})

test('both halves from one Secret are not swapped, and 32 KiB arrive unchanged', () => {
  const big = `#cloud-config\n#${'x'.repeat(32 * 1024)}`
  const made = files(
    answer(
      { cloudInitNoCloud: { secretRef: { name: 's' }, networkDataSecretRef: { name: 's' } } },
      { secrets: { s: { userdata: big, networkdata: 'version: 1' } } },
    ),
  )
  assert.equal(made['user-data'], big)
  assert.equal(made['network-config'], 'version: 1')
})

test('both spellings of the keys are known, the lower-case one wins, neither is a visible wait', () => {
  const network = (data: Readonly<Record<string, string>>): ConfigAnswer =>
    answer({ cloudInitNoCloud: { networkDataSecretRef: { name: 's' } } }, { secrets: { s: data } })
  assert.equal(files(network({ networkData: 'two' }))['network-config'], 'two')
  assert.equal(files(network({ networkdata: 'two', networkData: 'one' }))['network-config'], 'two')
  const [reason, message] = waits(network({ other: 'x' }))
  assert.equal(reason, 'SecretKeyMissing')
  assert.match(message, /Secret s .*networkdata/)
  assert.equal(waits(answer({ cloudInitNoCloud: { secretRef: { name: 'gone' } } }))[0], 'MissingSecret')
})

test('ConfigDrive has the layout of OpenStack', () => {
  const made = answer({ cloudInitConfigDrive: { userData: 'u', networkData: 'n' } })
  assert.ok(made.ok)
  assert.equal(made.disk.label, 'config-2')
  const found = files(made)
  assert.equal(found['openstack/latest/user_data'], 'u')
  assert.equal(found['openstack/latest/network_data.json'], 'n')
  assert.deepEqual(JSON.parse(found['openstack/latest/meta_data.json'] ?? ''), {
    instance_id: 'web.prod.ns',
    local_hostname: 'web',
    hostname: 'web',
    uuid: 'the-uuid',
  })
})

test('SSH keys of accessCredentials reach the meta-data, every line of them', () => {
  const spec = {
    accessCredentials: [
      { sshPublicKey: { source: { secret: { secretName: 'keys' } }, propagationMethod: { noCloud: {} } } },
    ],
  }
  const made = files(
    answer(
      { cloudInitNoCloud: { userData: 'x' } },
      { spec, secrets: { keys: { b: 'ssh-ed25519 B', a: '# mine\nssh-ed25519 A\nssh-rsa C\n' } } },
    ),
  )
  assert.deepEqual(JSON.parse(made['meta-data'] ?? '')['public-keys'], {
    0: 'ssh-ed25519 A',
    1: 'ssh-rsa C',
    2: 'ssh-ed25519 B',
  })
  assert.equal(waits(answer({ cloudInitNoCloud: { userData: 'x' } }, { spec }))[0], 'MissingSecret')
})

test('answer files for Windows: either name, any letter case, from both kinds of source', () => {
  const from = (data: Readonly<Record<string, string>>): ConfigAnswer =>
    answer({ sysprep: { configMap: { name: 'm' } } }, { maps: { m: data } })
  assert.deepEqual(Object.keys(files(from({ 'autounattend.xml': 'a' }))), ['Autounattend.xml'])
  assert.deepEqual(Object.keys(files(from({ 'Unattend.xml': 'a' }))), ['Unattend.xml'])
  assert.deepEqual(
    Object.keys(
      files(
        answer(
          { sysprep: { secret: { name: 's' } } },
          { secrets: { s: { 'AUTOUNATTEND.XML': 'a', 'UnAttend.xml': 'b' } } },
        ),
      ),
    ),
    ['Autounattend.xml', 'Unattend.xml'],
  )
  const [reason, message] = waits(from({ 'readme.txt': 'x' }))
  assert.equal(reason, 'MissingUnattendFile')
  assert.match(message, /neither Autounattend.xml nor Unattend.xml/)
})

test('ConfigMaps, Secrets and metadata as disks', () => {
  const map = answer(
    { configMap: { name: 'm', volumeLabel: 'conf' } },
    { maps: { m: { 'b.conf': '2', 'a.conf': '1' } } },
  )
  assert.ok(map.ok && map.disk.label === 'conf')
  assert.deepEqual(files(map), { 'a.conf': '1', 'b.conf': '2' })
  assert.deepEqual(files(answer({ secret: { secretName: 'gone', optional: true } })), {})
  assert.equal(waits(answer({ configMap: { name: 'gone' } }))[0], 'MissingConfigMap')
  const down = answer({
    downwardAPI: { fields: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] },
  })
  assert.deepEqual(files(down), { labels: 'a="b"' })
})

test('base64 goes both ways, and what is none is told', () => {
  for (const text of ['', 'a', 'ab', 'abc', 'abcd', 'äöü'])
    assert.equal(new TextDecoder().decode(fromBase64(toBase64(new TextEncoder().encode(text)))), text)
  for (const wrong of ['a', 'ab*=', 'ab=']) assert.equal(fromBase64(wrong), undefined, wrong)
  assert.equal(waits(answer({ cloudInitNoCloud: { userDataBase64: '*' } }))[0], 'InvalidBase64')
})
