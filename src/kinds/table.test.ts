import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseJson } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { Pod } from './core/pod.ts'
import { allKinds, findByKind } from './index.ts'
import type { Column } from './kind.ts'
import { columnsOf, rowOf } from './table.ts'

const folder = fileURLToPath(new URL('../../../shared/reference/k8s-tables/', import.meta.url))
const skip = existsSync(folder) ? false : 'shared tables absent'
const load = (name: string): unknown => parseJson(readFileSync(folder + name, 'utf8'))

test('a Pod in the table', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { containers: [{ name: 'compute' }], nodeName: 'n1' },
    status: {
      phase: 'Running',
      podIP: '10.52.0.7',
      containerStatuses: [
        {
          name: 'compute',
          ready: true,
          restartCount: 2,
          state: { running: {} },
          lastState: { terminated: { finishedAt: '2026-01-01T00:01:00Z' } },
        },
      ],
    },
  } as unknown as KubeObject
  const now = Date.parse('2026-01-01T00:02:00Z')
  assert.deepEqual(
    columnsOf(Pod).map((one) => `${one.name}${one.priority > 0 ? '*' : ''}`),
    ['Name', 'Ready', 'Status', 'Restarts', 'Age', 'IP*', 'Node*', 'Nominated Node*', 'Readiness Gates*'],
  )
  assert.deepEqual(rowOf(Pod, pod, now), [
    'p',
    '1/1',
    'Running',
    '2 (60s ago)',
    '2m',
    '10.52.0.7',
    'n1',
    '<none>',
    '<none>',
  ])
})

test('printer columns by path', () => {
  const object = {
    apiVersion: 'x/v1',
    kind: 'X',
    metadata: { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      'a.b': 1,
      list: [
        { type: 'x', status: 'True' },
        { type: 'Ready', status: 'False' },
      ],
      off: false,
    },
  }
  const column = (type: Column['type'], value: string): Column => ({
    name: value,
    type,
    value,
    description: '',
  })
  const columns = [
    column('string', '.spec.list[0].type'),
    column('integer', '.spec.a\\.b'),
    column('string', '.spec.list[?(@.type=="Ready")].status'),
    column('string', ".spec.list[?(@.type=='none')].status"),
    column('boolean', '.spec.off'),
    column('string', '.spec.nope.deeper'),
    column('string', '.spec['),
    column('date', '.metadata.creationTimestamp'),
    column('date', '.status.at'),
  ]
  const now = Date.parse('2026-01-01T01:00:00Z')
  assert.deepEqual(rowOf({ ...Pod, columns }, object, now), [
    'x',
    'x',
    1,
    'False',
    null,
    false,
    null,
    null,
    '60m',
    '<unknown>',
  ])
})

test("kubectl's own rows", { skip }, () => {
  interface Row {
    readonly now: string
    readonly wide: boolean
    readonly printer: string
    readonly object: KubeObject
    readonly rows: readonly { readonly cells: readonly unknown[] }[] | null
  }
  const { cases } = load('table-rows.json') as { cases: readonly Row[] }
  let seen = 0
  for (const one of cases) {
    const [group, version] = one.object.apiVersion.includes('/')
      ? (one.object.apiVersion.split('/') as [string, string])
      : ['', one.object.apiVersion]
    const kind = findByKind(group, version, one.object.kind)
    if (!kind || one.rows?.length !== 1) continue
    seen += 1
    // The table's clock is cut to seconds, the times in its objects are not.
    const all = rowOf(kind, one.object, Date.parse(one.now) + 999)
    const priorities = columnsOf(kind).map((column) => column.priority)
    const cells = one.wide ? all : all.filter((_cell, index) => priorities[index] === 0)
    // Without -o wide kubectl's own printer cuts long addresses; servers always print them whole.
    const wanted = one.rows[0]?.cells ?? []
    if (JSON.stringify(wanted).includes('3.4.5...')) continue
    // Some printers of the table give their wide cells always.
    const shared = Math.min(cells.length, wanted.length)
    assert.ok(shared >= (one.wide ? wanted.length : wanted.length - 1))
    const what = `${one.printer} ${one.object.metadata.name ?? ''}`
    assert.deepEqual(cells.slice(0, shared), wanted.slice(0, shared), what)
  }
  assert.ok(seen > 100, `only ${seen} rows`)
})

test('every kind has a row for an empty object', () => {
  for (const kind of allKinds) {
    const object = { apiVersion: 'v1', kind: kind.kind, metadata: { name: 'x' } }
    assert.equal(rowOf(kind, object, 0).length, columnsOf(kind).length, kind.kind)
    assert.equal(
      new Set(columnsOf(kind).map((column) => column.name)).size,
      columnsOf(kind).length,
      kind.kind,
    )
  }
})
