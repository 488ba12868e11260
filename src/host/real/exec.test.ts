// Programs of the real host: real processes, killed, timed out, detached and adopted.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Failure, Result } from '../../base/result.ts'
import type { ProcessIdentity } from '../host.ts'
import { realExec } from './exec.ts'

const folder = mkdtempSync(join(tmpdir(), 'croft-exec-'))
after(() => rmSync(folder, { recursive: true }))
const exec = realExec()
const soon = { timeoutMs: 10_000 }
const files = { cwd: folder, stdoutPath: join(folder, 'out'), stderrPath: join(folder, 'err') }

function failure(result: Result<unknown>): Failure {
  assert.ok(!result.ok, 'expected a failure')
  return result.failure
}

function value<T>(result: Result<T>): T {
  assert.ok(result.ok, result.ok ? '' : result.failure.message)
  return result.value
}

test('run gives back code, output and lines as they come', async () => {
  const lines: string[] = []
  const result = await exec.run(['sh', '-c', 'read x; echo "got $x"; printf "1%%\\r2%%\\r" >&2; echo done'], {
    ...soon,
    stdin: 'word\n',
    onLine: (line) => lines.push(line),
  })
  assert.deepEqual(value(result), { code: 0, stdout: 'got word\ndone\n', stderr: '1%\r2%\r' })
  assert.deepEqual([...lines].sort(), ['1%', '2%', 'done', 'got word'])
})

test('a failing program tells its command and last words', async () => {
  const seen = failure(await exec.run(['sh', '-c', "echo 'it broke' >&2; exit 3"], soon))
  assert.equal(seen.reason, 'CommandFailed')
  assert.equal(seen.message, 'sh ended with code 3: it broke')
  assert.equal(seen.stderr, 'it broke\n')
  assert.equal(seen.command, `sh -c 'echo '\\''it broke'\\'' >&2; exit 3'`)
})

test('a missing program is told apart', async () => {
  const seen = failure(await exec.run(['no-such-program-here'], soon))
  assert.equal(seen.reason, 'CommandMissing')
  assert.equal(failure(await exec.startDetached(['no-such-program-here'], files)).reason, 'CommandMissing')
})

test('only the last 16 KiB of stderr are kept', async () => {
  const script = 'i=0; while [ $i -lt 5000 ]; do echo "line $i" >&2; i=$((i+1)); done; exit 1'
  const { stderr = '' } = failure(await exec.run(['sh', '-c', script], soon))
  assert.equal(stderr.length, 16 * 1024)
  assert.ok(stderr.endsWith('line 4999\n'))
})

test('a time-out takes grandchildren along', async () => {
  const pidFile = join(folder, 'grandchild')
  const seen = failure(
    await exec.run(['sh', '-c', `sleep 300 & echo $! > ${pidFile}; wait`], { timeoutMs: 300 }),
  )
  assert.equal(seen.reason, 'TimedOut')
  const pid = Number(readFileSync(pidFile, 'utf8'))
  await until(() => stateOf(pid) === undefined || stateOf(pid) === 'Z')
})

test('an abort stops the program', async () => {
  const abort = new AbortController()
  const running = exec.run(['sleep', '300'], { ...soon, signal: abort.signal })
  setTimeout(() => abort.abort(), 50)
  assert.equal(failure(await running).reason, 'Aborted')
  assert.equal(failure(await exec.run(['true'], { ...soon, signal: abort.signal })).reason, 'Aborted')
})

test('a grandchild that keeps the pipes open does not hold us up', async () => {
  const began = performance.now()
  const result = await exec.run(['sh', '-c', 'sleep 5 & echo $!'], soon)
  const took = performance.now() - began
  process.kill(Number(value(result).stdout), 'SIGKILL')
  assert.ok(took < 3000, `took ${took} ms`)
})

test('a detached process has an own session, writes to its files and is told by identity', async () => {
  const identity = value(
    await exec.startDetached(['sh', '-c', 'echo hello; echo oops >&2; sleep 300'], files),
  )
  const session = readFileSync(`/proc/${identity.pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[3]
  assert.equal(Number(session), identity.pid)
  assert.equal(await exec.isAlive(identity), true)
  assert.equal(await exec.isAlive({ ...identity, startTicks: identity.startTicks + 1 }), false)
  assert.equal(await exec.isAlive({ ...identity, bootId: 'another' }), false)
  assert.equal(await exec.kill({ ...identity, startTicks: identity.startTicks - 1 }, 'SIGKILL'), false)
  await until(() => readFileSync(files.stdoutPath, 'utf8') === 'hello\n')
  await until(() => readFileSync(files.stderrPath, 'utf8') === 'oops\n')
  const ended = exec.waitExit(identity, AbortSignal.timeout(5000))
  assert.equal(await exec.kill(identity, 'SIGKILL'), true)
  await ended
  assert.equal(await exec.isAlive(identity), false)
  assert.equal(await exec.kill(identity, 'SIGKILL'), false)
})

test('it outlives the process that started it, and another adopts it and hears of its end', async () => {
  const module = JSON.stringify(new URL('./exec.ts', import.meta.url).pathname)
  const script = `
    const { realExec } = await import(${module})
    const started = await realExec().startDetached(['sleep', '300'], ${JSON.stringify(files)})
    console.log(JSON.stringify(started.value))`
  const starter = await exec.run([process.execPath, '--input-type=module', '-e', script], soon)
  const identity = JSON.parse(value(starter).stdout) as ProcessIdentity
  assert.equal(await exec.isAlive(identity), true)
  const abort = new AbortController()
  const given = exec.waitExit(identity, abort.signal)
  abort.abort()
  await assert.rejects(given, { name: 'AbortError' })
  const ended = exec.waitExit(identity, AbortSignal.timeout(5000))
  assert.equal(await exec.kill(identity, 'SIGTERM'), true)
  await ended
  await exec.waitExit(identity, AbortSignal.timeout(100)) // Gone already: at once.
})

test('a zombie counts as dead', async () => {
  // The shell becomes a sleep that never reaps the child it inherits.
  const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 300'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = (await parent.stdout.take(1).toArray()) as Buffer[]
  const pid = Number(String(line))
  const identity = await identityOf(pid)
  const ended = exec.waitExit(identity, AbortSignal.timeout(5000))
  await until(() => stateOf(pid) === 'Z')
  assert.equal(await exec.isAlive(identity), false)
  await ended
  parent.kill('SIGKILL')
})

test('find looks where root finds programs, too', async () => {
  assert.match((await exec.find('sh')) ?? '', /^\/.*\/sh$/)
  assert.equal(await exec.find('no-such-program-here'), undefined)
})

async function identityOf(pid: number): Promise<ProcessIdentity> {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return { pid, startTicks: Number(fields[19]), bootId }
}

function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0]
  } catch {
    return undefined
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; !condition(); round += 1) {
    assert.ok(round < 250, 'it never came true')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
