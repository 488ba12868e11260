// Real processes: start in the background, ask, start again, stop. Needs no guest.
import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'croft-up-'))
// Machines run as users of their own, who pass through.
chmodSync(folder, 0o711)
const data = join(folder, 'd')

function croft(words: readonly string[], more: { readonly input?: string } = {}): SpawnSyncReturns<string> {
  const { KUBECONFIG: _, ...env } = process.env
  return spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'src/main.ts'), ...words],
    {
      encoding: 'utf8',
      timeout: 120_000,
      env: { ...env, LC_ALL: 'C', NO_COLOR: '1' },
      ...more,
    },
  )
}
const here = ['--data', data]

before(() => {
  const started = croft(['up', '--detach', ...here, '--listen', '127.0.0.1:0'])
  assert.equal(started.status, 0, started.stderr)
  assert.match(started.stdout, /^https:\/\/127\.0\.0\.1:\d+\n$/)
  assert.match(started.stderr, /Log in as "admin" with the password [a-z2-9-]{23}/)
  assert.match(started.stderr, /export KUBECONFIG=/)
})
after(() => {
  croft(['down', '--machines', ...here])
  rmSync(folder, { recursive: true, force: true })
})

test('it answers: version, status, lists in every form, and nothing secret is in the log', () => {
  assert.match(croft(['version', ...here]).stdout, /^croft \S+\nserver v1\.\d+/)
  const status = croft(['status', ...here])
  assert.match(status.stdout, /Nodes: +1 of 1 ready/)
  assert.equal(status.status, 0)
  assert.equal(JSON.parse(croft(['status', '-o', 'json', ...here]).stdout).well, true)
  const none = croft(['vm', 'list', ...here])
  assert.deepEqual([none.status, none.stdout], [0, ''])
  assert.match(none.stderr, /None in namespace default/)
  assert.deepEqual(JSON.parse(croft(['vm', 'list', '-o', 'json', ...here]).stdout).items, [])
  assert.match(croft(['node', 'list', '-o', 'name', ...here]).stdout, /^node\/\S+\n$/)
  const password = readFileSync(join(data, 'pki/first-password'), 'utf8').trim()
  assert.doesNotMatch(readFileSync(join(data, 'log/croft.log'), 'utf8'), new RegExp(password))
  assert.equal(statSync(join(data, 'pki/first-password')).mode & 0o777, 0o600)
})

test('exit codes: usage 2, not found 3, refused 4', () => {
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['vm', 'lst'], 2, /Did you mean "croft vm list"/],
    [['vm', 'show', 'nobody', ...here], 3, /no VirtualMachine "nobody"/],
    [['vm', 'start', 'nobody', ...here], 3, /not found/],
    [['vm', 'console', 'nobody', ...here], 3, /not found/],
    [['image', 'create', 'x', '--url', 'http://127.0.0.1/x', '--checksum', 'zz', ...here], 4, /Refused/],
    [['image', 'create', 'x', ...here], 2, /either --url URL or --file FILE/],
    [['vm', 'list', '--kubeconfig', join(folder, 'none')], 1, /kubeconfig cannot be read/],
  ]
  for (const [words, code, text] of cases) {
    const done = croft(words)
    assert.equal(done.status, code, `${words.join(' ')}: ${done.stderr}`)
    assert.match(done.stderr, text)
    assert.equal(done.stdout, '')
    assert.doesNotMatch(done.stderr, /\n\s+at /)
  }
})

test('a second up says that one runs already', () => {
  const again = croft(['up', '--detach', ...here])
  assert.equal(again.status, 0)
  assert.match(again.stderr, /already runs/)
  const inFront = croft(['up', ...here])
  assert.equal(inFront.status, 1)
  assert.match(inFront.stderr, /already runs .*\n {2}next: .*croft down/s)
})

test('a password is changed with the present one, and then kept nowhere in the clear', () => {
  const password = readFileSync(join(data, 'pki/first-password'), 'utf8').trim()
  const wrong = croft(['user', 'passwd', ...here], { input: 'not-it-at-all\nanother-long-one\n' })
  assert.notEqual(wrong.status, 0)
  const done = croft(['user', 'passwd', ...here], { input: `${password}\nanother-long-one\n` })
  assert.equal(done.status, 0, done.stderr)
  const old = croft(['user', 'passwd', ...here], { input: `${password}\nyet-another-long-one\n` })
  assert.notEqual(old.status, 0)
})

test('a port that is taken is one clear line, in front and in the background', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  try {
    const other = ['--data', join(folder, 'other'), '--listen', `127.0.0.1:${port}`]
    for (const words of [
      ['up', ...other],
      ['up', '--detach', ...other],
    ]) {
      const done = croft(words)
      assert.equal(done.status, 1, done.stderr)
      assert.match(done.stderr, new RegExp(`croft: Port ${port} is taken`))
      assert.match(done.stderr, /next: Choose another one: croft up --listen/)
    }
  } finally {
    server.close()
  }
})

test('a data folder that cannot be one is one clear line', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  chmodSync(file, 0o600)
  for (const words of [['up'], ['up', '--detach']]) {
    const done = croft([...words, '--data', join(file, 'd'), '--listen', '127.0.0.1:0'])
    assert.equal(done.status, 1)
    assert.match(done.stderr, /cannot be written/)
  }
})

test('down ends it; a second down and a start after it are fine; it is found no more', () => {
  const done = croft(['down', ...here])
  assert.equal(done.status, 0, done.stderr)
  assert.match(done.stderr, /Croft is stopped/)
  assert.equal(existsSync(join(data, 'croft.json')), false)
  const again = croft(['down', ...here])
  assert.equal(again.status, 0)
  assert.match(again.stderr, /does not run/)
  const status = croft(['status', ...here])
  assert.equal(status.status, 1)
  assert.match(status.stderr, /No croft answers .*next: Start it with "croft up"/s)
  const started = croft(['up', '--detach', ...here, '--listen', '127.0.0.1:0'])
  assert.equal(started.status, 0, started.stderr)
})
