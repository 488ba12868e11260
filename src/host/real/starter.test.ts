// The process that starts programs: it dies, its owner dies, many start at once; and nothing is left or lost.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Result } from '../../base/result.ts'
import type { Exec, ProcessIdentity } from '../host.ts'
import { realExec } from './exec.ts'

const folder = mkdtempSync(join(tmpdir(), 'croft-starter-'))
after(() => rmSync(folder, { recursive: true }))
const soon = { timeoutMs: 60_000 }
const files = { cwd: folder, stdoutPath: join(folder, 'out'), stderrPath: join(folder, 'err') }

function value<T>(result: Result<T>): T {
  assert.ok(result.ok, result.ok ? '' : result.failure.message)
  return result.value
}

function reasonOf(result: Result<unknown>): string {
  assert.ok(!result.ok, 'expected a failure')
  return result.failure.reason
}

interface Seen {
  readonly pid: number
  readonly parent: number
  readonly state: string
  readonly words: readonly string[]
}

function processes(): readonly Seen[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      return [{ pid: Number(name), state: stat[0] ?? '', parent: Number(stat[1]), words }]
    } catch {
      return [] // Not a process, or gone.
    }
  })
}

const isStarter = ({ words }: Seen): boolean => words[0]?.startsWith('croft: starts programs') === true
const startersOf = (owner: number): readonly Seen[] =>
  processes().filter((one) => one.parent === owner && isStarter(one))

async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (let round = 0; ; round += 1) {
    const seen = look()
    if (seen !== undefined && seen !== false) return seen
    assert.ok(round < 1000, 'it never came true')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** An Exec with the pid of the starter that it has made. */
async function execWithStarter(): Promise<{ readonly exec: Exec; readonly starter: number }> {
  const before = new Set(startersOf(process.pid).map(({ pid }) => pid))
  const exec = realExec()
  value(await exec.run(['true'], soon))
  const starter = startersOf(process.pid).find(({ pid }) => !before.has(pid))
  assert.ok(starter)
  return { exec, starter: starter.pid }
}

test('when the starter dies its runs fail and are stopped, what it had detached lives on, and the next start works', async () => {
  const { exec, starter } = await execWithStarter()
  const detached = value(await exec.startDetached(['sleep', '300'], files))
  const ended = exec.waitExit(detached, AbortSignal.timeout(60_000))
  const pids: number[] = []
  const running = exec.run(['sh', '-c', 'sleep 301 & echo $! $$; wait'], {
    ...soon,
    onLine: (line) => pids.push(...line.split(' ').map(Number)),
  })
  await until(() => pids.length === 2)
  process.kill(starter, 'SIGKILL')
  const lost = await running
  assert.equal(reasonOf(lost), 'StarterLost')
  assert.equal(!lost.ok && lost.failure.retry, 'later')
  await until(() => processes().every(({ pid, state }) => !pids.includes(pid) || state === 'Z'))
  assert.equal(await exec.isAlive(detached), true)
  assert.equal(value(await exec.run(['echo', 'again'], soon)).stdout, 'again\n')
  assert.equal(await exec.kill(detached, 'SIGKILL'), true)
  await ended
})

test('starts that are under way when the starter dies leave no process behind', async () => {
  const { exec, starter } = await execWithStarter()
  const word = `300.${process.pid}`
  const starts = Array.from({ length: 30 }, () => exec.startDetached(['sleep', word], files))
  process.kill(starter, 'SIGKILL')
  const known: ProcessIdentity[] = []
  for (const result of await Promise.all(starts))
    if (result.ok) known.push(result.value)
    else assert.equal(result.failure.reason, 'StarterLost')
  const alive = (): readonly number[] =>
    processes()
      .filter(({ words, state }) => words[1] === word && state !== 'Z')
      .map(({ pid }) => pid)
  await until(() => alive().length === known.length)
  for (const one of known) assert.equal(await exec.kill(one, 'SIGKILL'), true)
  await until(() => alive().length === 0)
})

test('the starter ends with its owner, and nothing starts after that', async () => {
  const word = `302.${process.pid}`
  const script = `
    const { realExec } = await import(${JSON.stringify(new URL('./exec.ts', import.meta.url).href)})
    const exec = realExec()
    await exec.run(['true'], { timeoutMs: 20000 })
    console.log('up')
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 5)
    for (let index = 0; index < 200; index += 1)
      void exec.startDetached(['sleep', '${word}'], ${JSON.stringify(files)})
    await new Promise(() => setInterval(() => undefined, 1000))`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = new Promise((resolve) => owner.once('exit', resolve))
  await owner.stdout.take(1).toArray()
  const starter = startersOf(owner.pid ?? 0)[0]
  await gone
  const alive = (): readonly Seen[] =>
    processes().filter(({ words, state }) => words[1] === word && state !== 'Z')
  // It may be in the middle of one start; that one is there by the time that the starter is gone.
  await until(() => processes().every(({ pid, state }) => pid !== starter?.pid || state === 'Z'))
  const count = alive().length
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal(alive().length, count)
  for (const { pid } of alive()) process.kill(pid, 'SIGKILL')
})

test('a hundred starts at once: each has its own output and code, and no zombie stays', async () => {
  const { exec, starter } = await execWithStarter()
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      exec.run(['sh', '-c', `echo ${index}; exit ${index % 3}`], soon),
    ),
  )
  for (const [index, result] of results.entries())
    if (index % 3 === 0) assert.equal(value(result).stdout, `${index}\n`)
    else assert.match(result.ok ? '' : result.failure.message, new RegExp(`code ${index % 3}$`))
  assert.deepEqual(
    processes().filter(({ parent }) => parent === starter),
    [],
  )
})

test('input and output beyond what a pipe holds', async () => {
  const { exec } = await execWithStarter()
  const text = 'x'.repeat(3_000_000)
  assert.equal(value(await exec.run(['cat'], { ...soon, stdin: text })).stdout, text)
  // One that reads nothing of it ends as it likes.
  assert.equal(value(await exec.run(['true'], { ...soon, stdin: text })).code, 0)
})

test('what killed it, and which step of a start failed', async () => {
  const { exec } = await execWithStarter()
  const killed = await exec.run(['sh', '-c', 'kill -TERM $$'], soon)
  assert.equal(!killed.ok && killed.failure.message, 'sh was killed by SIGTERM')
  const nowhere = await exec.startDetached(['true'], { ...files, cwd: join(folder, 'nowhere') })
  assert.equal(reasonOf(nowhere), 'NotFound')
  assert.match(nowhere.ok ? '' : nowhere.failure.message, /starting true: .*nowhere: it does not exist/)
  const noLog = await exec.startDetached(['true'], { ...files, stdoutPath: join(folder, 'no/log') })
  assert.match(noLog.ok ? '' : noLog.failure.message, /no\/log: it does not exist/)
  assert.equal(reasonOf(await exec.run([files.stdoutPath], soon)), 'PermissionDenied')
})

test('environment, user and group are exactly those asked for', {
  skip: process.getuid?.() !== 0,
}, async () => {
  const { exec } = await execWithStarter()
  const asked = { ...soon, uid: 65534, gid: 65534, env: { WORD: "it's\n2 lines" } }
  const { stdout } = value(await exec.run(['sh', '-c', 'id -u; id -g; id -G; echo "$WORD"'], asked))
  assert.equal(stdout, "65534\n65534\n65534\nit's\n2 lines\n")
  // A program must not inherit what the starter ignores.
  const { stdout: status } = value(await exec.run(['cat', '/proc/self/status'], soon))
  assert.match(status, /SigIgn:\s+0+\n/)
})
