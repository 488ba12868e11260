// The bare harness that machines are compared with: starts exactly the same QEMUs and storage daemons with the same
// argv on copies of the same files, and does nothing else: no API, no objects, no users, no control groups.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { realHost } from '../src/host/real/index.ts'
import { connectQmp, type Qmp } from '../src/node/qmp/qmp.ts'
import { isQemu, isStorageDaemon, killExactly, processesOf } from '../test/e2e/processes.ts'

const POLL_MS = 4
const TIMEOUT_MS = 30_000

interface Bare {
  readonly daemon: readonly string[]
  readonly exportName: string
  readonly qemu: readonly string[]
}

const host = realHost({ log: { level: 'error' } })

/** Takes the running machines of a server as its pattern: copies their files beside the data folder. */
export function patternOf(data: string): readonly Bare[] {
  const copy = join(data, '../h')
  execFileSync('mkdir', ['-p', join(copy, 'disks/default')])
  for (const folder of ['machines', 'run', 'disks/default/replicas'])
    execFileSync('cp', ['-a', '--sparse=always', join(data, folder), join(copy, folder)])
  execFileSync('find', [copy, '-type', 's', '-delete'])
  const all = processesOf(data)
  const moved = (argv: readonly string[]): readonly string[] =>
    argv
      .filter((word, index) => word !== '' || index < argv.length - 1)
      .map((word) => word.replaceAll(`${data}/`, `${copy}/`))
  const daemons = all.filter(isStorageDaemon).map(({ argv }) => moved(argv))
  return all.filter(isQemu).map(({ argv }) => {
    const qemu = moved(argv)
    const disk = qemu.find((word) => word.includes('"driver":"nbd"')) ?? '{}'
    const { server, export: exportName } = JSON.parse(disk) as { server: { path: string }; export: string }
    const daemon = daemons.find((words) => words.some((word) => word.includes(server.path)))
    if (!daemon) throw new Error(`no storage daemon behind ${server.path}`)
    return { daemon, exportName, qemu }
  })
}

/** The block node that the daemon was started to export: the last one that it opens. */
function topNode(argv: readonly string[]): string {
  const nodes = argv.filter((_word, index) => argv[index - 1] === '--blockdev')
  return (JSON.parse(nodes.at(-1) ?? '{}') as { 'node-name'?: string })['node-name'] ?? 'head'
}

/** Starts one; gives the milliseconds until the guest runs. */
export async function startBare(one: Bare): Promise<number> {
  const began = performance.now()
  const daemon = await startAndTalk(one.daemon)
  await must(daemon, 'block-export-add', {
    type: 'nbd',
    id: one.exportName,
    name: one.exportName,
    'node-name': topNode(one.daemon),
    writable: true,
  })
  const qemu = await startAndTalk(one.qemu)
  await must(qemu, 'cont', {})
  await must(qemu, 'query-status', {})
  const took = performance.now() - began
  daemon.close()
  qemu.close()
  return took
}

export function endBare(data: string): void {
  for (const one of processesOf(join(data, '../h'))) killExactly(one)
}

async function startAndTalk(argv: readonly string[]): Promise<Qmp> {
  const socket = /path=([^,]*qmp\.sock)/.exec(argv.join(' '))?.[1] ?? ''
  const log = `${socket}.log`
  const started = await host.exec.startDetached(argv, { cwd: '/', stdoutPath: log, stderrPath: log })
  if (!started.ok) throw new Error(started.failure.message)
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const qmp = await connectQmp(host, socket, { oob: false, timeoutMs: TIMEOUT_MS })
    if (qmp.ok) return qmp.value
    if (performance.now() > deadline || !(await host.exec.isAlive(started.value)))
      throw new Error(`${argv[0]} does not start: see ${log}`)
    await host.clock.sleep(POLL_MS)
  }
}

async function must(qmp: Qmp, command: string, args: Parameters<Qmp['execute']>[1]): Promise<void> {
  const answer = await qmp.execute(command, args)
  if (!answer.ok) throw new Error(`${command}: ${answer.failure.message}`)
}
