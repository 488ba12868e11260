// The commands of a first hour with a real guest: demo twice, a machine of one's own, its console, and everything gone
// at the end.
import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const image = process.env['CROFT_DEMO_IMAGE'] ?? join(tmpdir(), 'guest', 'demo.qcow2')
const absent = !existsSync(image)
  ? 'the demo image is absent: build it with guest/build-demo and name it in CROFT_DEMO_IMAGE'
  : process.getuid?.() !== 0
    ? 'the default network needs root'
    : false
const folder = mkdtempSync(join(tmpdir(), 'croft-demo-'))
// Machines run as users of their own, who pass through.
chmodSync(folder, 0o711)
const data = join(folder, 'd')

function croft(words: readonly string[], input = ''): SpawnSyncReturns<string> {
  const { KUBECONFIG: _, ...env } = process.env
  const argv = ['--disable-warning=ExperimentalWarning', join(root, 'src/main.ts'), ...words, '--data', data]
  return spawnSync(process.execPath, argv, {
    encoding: 'utf8',
    timeout: 600_000,
    input,
    env: { ...env, CROFT_DEMO_IMAGE: image, LC_ALL: 'C', NO_COLOR: '1' },
  })
}
function done(words: readonly string[], input?: string): SpawnSyncReturns<string> {
  const result = croft(words, input)
  assert.equal(result.status, 0, `${words.join(' ')}: ${result.stderr}`)
  return result
}

after(() => {
  croft(['down', '--machines', '--timeout', '20s'])
  rmSync(folder, { recursive: true, force: true })
})

test('from nothing to a guest at its prompt, twice', { skip: absent }, () => {
  const first = done(['demo', '--listen', '127.0.0.1:0'])
  const password = /In the guest: +user croft, password (\S+)/.exec(first.stdout)?.[1] ?? ''
  assert.notEqual(password, '')
  assert.match(first.stdout, /Web page: +https:\/\/127\.0\.0\.1:\d+\//)
  assert.match(first.stdout, /Log in as: +user admin, password \S+/)
  assert.equal(done(['demo']).stdout, first.stdout)
  // cloud-init has set name and password: without it the prompt is another, and nobody is asked.
  assert.match(done(['vm', 'console', 'demo'], 'croft\n').stdout, /demo login: [\s\S]*Password: /)
  assert.match(done(['why', 'vm/demo']).stdout, /demo/)
  assert.match(done(['vm', 'list']).stdout, /^demo\tRunning\t/)
})

test('a machine of one’s own: made, paused, gone; its name is taken meanwhile', { skip: absent }, () => {
  assert.equal(
    done(['vm', 'create', 'web', '--image', 'demo']).stdout,
    'virtualmachine.kubevirt.io/web runs\n',
  )
  assert.equal(croft(['vm', 'create', 'web', '--image', 'demo']).status, 5)
  const never = croft(['vm', 'console', 'web', '--until', 'what it never says', '--timeout', '2s'])
  assert.equal(never.status, 124, never.stderr)
  done(['vm', 'pause', 'web'])
  assert.match(done(['vm', 'list']).stdout, /^web\tPaused\t/m)
  done(['vm', 'unpause', 'web'])
  done(['vm', 'delete', 'web'])
  assert.doesNotMatch(done(['vm', 'list']).stdout, /web/)
})

test('machines run on without croft, and end with --machines', { skip: absent }, () => {
  assert.match(done(['down']).stderr, /1 guest runs on/)
  assert.match(done(['down', '--machines']).stderr, /1 machine stopped/)
  const mine = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(data))
  assert.deepEqual(mine.map(commandOf), [])
})

function commandOf(pid: string): string {
  return spawnSync('cat', [`/proc/${pid}/cmdline`], { encoding: 'utf8' }).stdout.replaceAll('\0', ' ')
}
