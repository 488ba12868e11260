// The command line against a real server: transcripts of every flow, a wait that is cut short, load, and the terminal.
// It takes half a minute, because a guest boots seven times and a speed wants two samples ten seconds apart.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bootSectorDisk } from '../e2e/boot-sector.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from '../e2e/server.ts'
import { croft, type Place, play } from './transcript.ts'

const skip = await whyNoE2e()
const FOLDER = join(import.meta.dirname, 'transcripts')
const FILES = readdirSync(FOLDER).sort()
const MAIN = join(import.meta.dirname, '../../src/main.ts')
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV2ZW5BVGVzdEtleUhhc0EzMkJ5dGVCb2R5ISE= test\n'

let server: E2eServer
let place: Place

function transcripts(fits: (file: string) => boolean): void {
  for (const file of FILES.filter(fits))
    test(file, () => play(file, readFileSync(join(FOLDER, file), 'utf8'), place))
}

/** A process with a terminal of its own, as `script` of util-linux gives one. */
function onTerminal(words: readonly string[]) {
  const line = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN, ...words].join(' ')
  const child = spawn('script', ['-qefc', `stty rows 24 columns 110; ${line}`, '/dev/null'], {
    env: { ...process.env, ...place.env, LC_ALL: 'C', TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  child.stdout.on('data', (bytes: Buffer) => void (screen += bytes.toString()))
  return {
    screen: () => screen,
    forget: () => void (screen = ''),
    type: (keys: string) => void child.stdin.write(keys),
    ended: once(child, 'exit') as Promise<[number | null]>,
    end: () => void child.kill('SIGKILL'),
  }
}

describe('the command line', { skip }, () => {
  before(async () => {
    server = await startE2eServer()
    place = { env: { KUBECONFIG: join(server.data, 'kubeconfig'), HOME: server.root }, folder: server.root }
    writeFileSync(join(server.root, 'key.pub'), KEY)
    writeFileSync(join(server.root, 'secret'), '-----BEGIN OPENSSH PRIVATE KEY-----\n')
    writeFileSync(join(server.root, 'boot.raw'), bootSectorDisk())
  })
  after(() => server?.end())

  transcripts((file) => file < '80')

  test('Ctrl-C ends the waiting and not what was asked for', async () => {
    const said = await croft(place, ['vm', 'stop', 'web'], { interrupts: true })
    assert.equal(said.code, 130, said.note)
    assert.match(said.note, /Left alone; it goes on in the background/)
    await until('the machine stops by itself', async () => {
      const { out } = await croft(place, ['vm', 'list', '-o', 'jsonpath={.items[0].status.printableStatus}'])
      return out === 'Stopping\n'
    })
    for (const words of [
      ['vm', 'stop', 'web', '--force'],
      ['vm', 'start', 'web'],
    ]) {
      const { code, note } = await croft(place, words)
      assert.equal(code, 0, note)
    }
  })

  test('load of a machine: top, kubectl top, charts and the names of KubeVirt', async () => {
    interface Top {
      readonly machines: readonly {
        readonly name: string
        readonly node: string
        readonly values: Readonly<Record<string, number>>
      }[]
    }
    // Speeds want two samples of the same run, ten seconds apart.
    const [web] = await until('two samples of the machine', async () => {
      const { out } = await croft(place, ['top', '-o', 'json'])
      const { machines } = JSON.parse(out) as Top
      return machines[0]?.values['cpu'] === undefined ? undefined : machines
    })
    assert.ok((web?.values['memory'] ?? 0) > 10 * 1024 * 1024)
    assert.equal(typeof web?.values['diskWrite'], 'number')
    const table = await croft(place, ['top', '--sort', 'memory'])
    assert.match(table.out, /^NODE +CPU/)
    assert.match(table.out, /^default +web +Running +\d+ %/m)
    assert.match(await server.kubectl(['top', 'node']), new RegExp(`${web?.node} +\\d+m`))
    assert.match(await server.kubectl(['top', 'pod']), /virt-launcher-web-\S+ +\d+m +\d+Mi/)
    const text = await server.kubectl(['get', '--raw', '/metrics'])
    assert.match(text, /^kubevirt_vmi_cpu_usage_seconds_total\{[^}]*name="web"[^}]*\} \d/m)
    assert.match(text, /^kubevirt_vmi_storage_iops_write_total\{[^}]*drive="disk-0"[^}]*\} \d/m)
    assert.match(text, /^kubevirt_vm_info\{[^}]*status="running"/m)
    assert.match(text, /^longhorn_volume_robustness\{[^}]*pvc="[^"]+"[^}]*\} 1$/m)
    const chart = JSON.parse(
      await server.kubectl(['get', '--raw', '/v1-croft/metrics/vm/default/web?step=10s']),
    )
    const cpu = chart.series.find(({ name }: { readonly name: string }) => name === 'cpu')
    assert.ok(cpu.values.some((value: number | null) => typeof value === 'number'))
  })

  const noScript = existsSync('/usr/bin/script') ? false : 'script (of bsdutils) is not installed'
  test('top fills a terminal, hears keys and gives the terminal back', { skip: noScript }, async () => {
    const top = onTerminal(['top', '-A'])
    try {
      await until('the first screen', () => /1 machines, .*by cpu/.test(top.screen()), 60_000, top.screen)
      assert.ok(top.screen().includes('\u001b[?1049h'))
      assert.match(top.screen(), /web +Running/)
      top.forget()
      top.type('m')
      await until('another order', () => top.screen().includes('by memory'), 20_000, top.screen)
      top.type('?')
      await until('help', () => top.screen().includes('this help'), 20_000, top.screen)
      top.type('qq')
      const [code] = await top.ended
      assert.equal(code, 0, top.screen())
      assert.ok(top.screen().endsWith('\u001b[?25h\u001b[?1049l'), JSON.stringify(top.screen().slice(-80)))
    } finally {
      top.end()
    }
  })

  transcripts((file) => file >= '80')
})
