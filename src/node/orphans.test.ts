import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Client } from '../client/client.ts'
import { realHost } from '../host/real/index.ts'
import type { Node } from '../kinds/longhorn/node.ts'
import { Orphan } from '../kinds/longhorn/orphan.ts'
import { Replica } from '../kinds/longhorn/replica.ts'
import { object, startStack } from '../sim/stack.ts'
import { lookForOrphans } from './orphans.ts'

const NAMESPACE = 'longhorn-system'

test('a folder without a replica is told, and goes only when its Orphan is deleted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'croft-orphan-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const old = new Date(Date.now() - 3_600_000)
  const make = async (name: string, time = old): Promise<string> => {
    const path = join(folder, 'replicas', name)
    await mkdir(path, { recursive: true })
    await utimes(path, time, time)
    return path
  }
  const stray = await make('pvc-1-0123abcd')
  const used = await make('pvc-2-0123abcd')
  const young = await make('pvc-3-0123abcd', new Date())
  const other = await make('notes')
  const stack = await startStack([])
  const client = new Proxy(stack.client, {
    get: (target, key) =>
      typeof Reflect.get(target, key) === 'function'
        ? (...given: unknown[]) =>
            stack.ask(
              (Reflect.get(target, key) as (...a: unknown[]) => Promise<unknown>).apply(target, given),
            )
        : Reflect.get(target, key),
  }) as Client
  await client.create(
    Replica,
    object(Replica, {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Replica',
      metadata: { name: 'r', namespace: NAMESPACE },
      spec: { volumeName: 'pvc-2', diskID: 'disk', dataDirectoryName: 'pvc-2-0123abcd' },
    }),
  )
  const node = {
    status: {
      diskStatus: {
        d: { diskUUID: 'disk', diskPath: folder, conditions: [{ type: 'Ready', status: 'True' }] },
      },
    },
  } as unknown as Node
  const host = realHost({ log: { level: 'error', write: () => undefined } })
  const look = (): Promise<void> => lookForOrphans({ host, client, nodeName: 'n1' }, node)
  await look()
  await look()
  const told = (await client.list(Orphan, { namespace: NAMESPACE })).items
  assert.deepEqual(
    told.map(({ spec }) => spec?.parameters?.['DataName']),
    ['pvc-1-0123abcd'],
  )
  assert.ok(existsSync(stray), 'telling deletes nothing')
  await client.delete(Orphan, told[0]!.metadata.name!, { namespace: NAMESPACE })
  await look()
  assert.ok(!existsSync(stray))
  assert.ok(existsSync(used) && existsSync(young) && existsSync(other))
  assert.equal((await client.list(Orphan, { namespace: NAMESPACE })).items.length, 0)
})
