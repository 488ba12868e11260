// A storage daemon on an inherited TCP socket answers small requests without the 40 ms of a delayed acknowledgement.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { host, must, run, until } from './rig.fixture.ts'
import { INHERITED_NBD_SERVER, listeningArgv } from './tcp-listen.ts'

const REQUESTS = 400

test('an inherited socket serves small requests at once', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ct-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const serve = async (name: string, plain: boolean): Promise<number> => {
    const portFile = join(folder, `${name}.port`)
    const port = plain ? await freePort() : 0
    const server = plain
      ? `addr.type=inet,addr.host=127.0.0.1,addr.port=${port},max-connections=0`
      : INHERITED_NBD_SERVER
    const argv = [
      'qemu-storage-daemon',
      ...['--blockdev', 'driver=null-co,node-name=d,size=1073741824,read-zeroes=on'],
      ...['--nbd-server', server, '--export', 'type=nbd,id=e,node-name=d,name=e,writable=on'],
    ]
    const started = must(
      await host.exec.startDetached(
        plain ? argv : listeningArgv(argv, { host: '127.0.0.1', port: 0, portFile }),
        { cwd: folder, stdoutPath: join(folder, `${name}.log`), stderrPath: join(folder, `${name}.log`) },
      ),
    )
    t.after(() => host.exec.kill(started, 'SIGKILL'))
    const at = plain
      ? port
      : await until(
          'the port',
          async () => Number(await readFile(portFile, 'utf8').catch(() => '')) || undefined,
        )
    const url = `nbd://127.0.0.1:${at}/e`
    await until('the export answers', () =>
      run('qemu-img', ['info', '-f', 'raw', url]).then(
        () => true,
        () => undefined,
      ),
    )
    const before = performance.now()
    await run('qemu-img', [
      'bench',
      '-w',
      '-t',
      'none',
      '-f',
      'raw',
      '-c',
      String(REQUESTS),
      '-d',
      '2',
      '-s',
      '4096',
      url,
    ])
    return REQUESTS / ((performance.now() - before) / 1000)
  }
  const inherited = await serve('inherited', false)
  const plain = await serve('plain', true)
  t.diagnostic(`4k writes a second at depth 2: inherited ${inherited.toFixed(0)}, plain ${plain.toFixed(0)}`)
  assert.ok(inherited > 500, `${inherited} requests a second`)
})

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net')
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })
}
