// The pure parts of the web interface: lists, changes of a form, rights, keyboards, machines that forms make.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimTemplatesOf } from '../../src/kinds/harvester/claim-templates.ts'
import { LAYOUTS, pressesOf } from '../../ui/src/consoles/layouts.ts'
import { conflictsOf, patchOf } from '../../ui/src/data/changes.ts'
import type { Machine } from '../../ui/src/data/kinds.ts'
import { allows } from '../../ui/src/data/rights.ts'
import { csvOf, filterRows, keepingSorter, parseSort, sortRows, sortText } from '../../ui/src/data/sorting.ts'
import { machineFromTemplate } from '../../ui/src/pages/machines/from-template.ts'
import { disksOf, withDisk, withoutDisk } from '../../ui/src/pages/machines/machine-disks.ts'
import { edited } from '../../ui/src/pages/machines/machine-edit.ts'
import { isIsoImage, machineFor, type Wish } from '../../ui/src/pages/machines/new-machine.ts'

interface Row {
  readonly name: string
  readonly state: string
  readonly size: number
}
const rows: readonly Row[] = [
  { name: 'web-10', state: 'Running', size: 2 },
  { name: 'web-9', state: 'Stopped', size: 10 },
  { name: 'db', state: 'Running', size: 1 },
]
const columns = [
  { id: 'name', title: 'Name', sortKey: ({ name }: Row) => name },
  { id: 'state', title: 'State', sortKey: ({ state }: Row) => state },
  { id: 'size', title: 'Size', sortKey: ({ size }: Row) => size, text: ({ size }: Row) => `${size} GiB` },
]
const names = (list: readonly Row[]) => list.map(({ name }) => name)

test('lists are sorted as people count, and the order stands in the address', () => {
  assert.deepEqual(names(sortRows(rows, columns, parseSort('name'))), ['db', 'web-9', 'web-10'])
  assert.deepEqual(names(sortRows(rows, columns, parseSort('-size'))), ['web-9', 'web-10', 'db'])
  assert.deepEqual(sortRows(rows, columns, parseSort('nothing')), rows)
  assert.equal(sortText({ column: 'age', isDown: true }), '-age')
})

test('an order is kept while nothing changes that it goes by, and found anew when something does', () => {
  const sort = keepingSorter<Row>()
  const byName = parseSort('name')
  const first = sort(rows, columns, byName)
  assert.deepEqual(names(first), ['db', 'web-9', 'web-10'])
  assert.equal(sort([...rows], columns, byName), first)
  const stopped = rows.map((row) => (row.name === 'db' ? { ...row, state: 'Stopped' } : row))
  const second = sort(stopped, columns, byName)
  assert.deepEqual(names(second), names(first))
  assert.equal(second[0], stopped[2])
  const renamed = stopped.map((row) => (row.name === 'db' ? { ...row, name: 'web-99' } : row))
  assert.deepEqual(names(sort(renamed, columns, byName)), ['web-9', 'web-10', 'web-99'])
  assert.deepEqual(names(sort(renamed.slice(1), columns, byName)), ['web-9', 'web-99'])
  assert.deepEqual(names(sort(renamed, columns, parseSort('-name'))), ['web-99', 'web-10', 'web-9'])
  assert.deepEqual(sort(renamed, columns, undefined), renamed)
})

test('every word of a filter must be found, in its column where it names one', () => {
  assert.deepEqual(names(filterRows(rows, columns, 'web run')), ['web-10'])
  assert.deepEqual(names(filterRows(rows, columns, 'state:running')), ['web-10', 'db'])
  assert.deepEqual(names(filterRows(rows, columns, 'Size:"1 GiB"')), ['db'])
  assert.deepEqual(names(filterRows(rows, columns, 'nocolumn:x')), [])
  assert.equal(filterRows(rows, columns, '  '), rows)
})

test('CSV quotes what must be quoted and makes formulas harmless', () => {
  const odd = [{ name: '=1+1', state: 'a "b", c', size: -1 }]
  assert.equal(csvOf(odd, columns), `Name,State,Size\r\n'=1+1,"a ""b"", c",'-1 GiB\r\n`)
})

test('a form sends what it changed, and finds what somebody else changed meanwhile', () => {
  const seen = { spec: { a: 1, list: [1, 2], deep: { x: 1, y: 2 } } }
  const wanted = { spec: { a: 2, list: [1, 2], deep: { y: 3 } } }
  const patch = patchOf(seen, wanted)
  assert.deepEqual(patch, { spec: { a: 2, deep: { x: null, y: 3 } } })
  assert.equal(patchOf(seen, structuredClone(seen)), undefined)
  assert.ok(patch)
  assert.deepEqual(conflictsOf(patch, seen, { ...seen, status: { new: true } }), [])
  const theirs = { spec: { a: 7, list: [9], deep: { x: 1, y: 3 } } }
  assert.deepEqual(conflictsOf(patch, seen, theirs), [{ path: 'spec.a', theirs: 7, mine: 2 }])
})

test('rights: verbs, groups, resources with subresources, names and wildcards', () => {
  const rule = { verbs: ['get'], apiGroups: ['kubevirt.io'], resources: ['virtualmachines', '*/start'] }
  const wanted = { verb: 'get', group: 'kubevirt.io', resource: 'virtualmachines' }
  assert.equal(allows([rule], wanted), true)
  assert.equal(allows([rule], { ...wanted, resource: 'virtualmachines/start' }), true)
  assert.equal(allows([rule], { ...wanted, resource: 'virtualmachines/stop' }), false)
  assert.equal(allows([rule], { ...wanted, verb: 'delete' }), false)
  assert.equal(allows([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], wanted), true)
  assert.equal(allows([{ ...rule, resourceNames: ['web'] }], wanted), false)
  assert.equal(allows([{ ...rule, resourceNames: ['web'] }], { ...wanted, name: 'web' }), true)
})

test('every printable character of a shell is on every keyboard', () => {
  for (const layout of LAYOUTS) {
    const presses = pressesOf(layout)
    for (let point = 0x20; point < 0x7f; point++)
      assert.ok(presses.has(String.fromCodePoint(point)), `${layout}: ${String.fromCodePoint(point)}`)
  }
  assert.deepEqual(pressesOf('de').get('z'), { code: 'KeyY', shift: false, altGr: false, isDead: false })
  assert.equal(pressesOf('fr').get('1')?.shift, true)
  assert.equal(pressesOf('de').get('^')?.isDead, true)
})

const image = {
  metadata: { namespace: 'default', name: 'image-x' },
  spec: { displayName: 'debian-12', sourceType: 'download' },
  status: { storageClassName: 'lh-1', virtualSize: 3 * 2 ** 30 },
}
const wish = {
  namespace: 'default',
  name: 'web',
  image,
  cpus: 1,
  memoryGib: 1,
  diskGib: 10,
  sshKey: '',
  userData: '',
  start: true,
} as unknown as Wish

test('a machine that installs from a CD has an empty disk before it', () => {
  const iso = { ...image, spec: { ...image.spec, displayName: 'debian.iso' } } as unknown as Wish['image']
  assert.equal(isIsoImage(iso), true)
  assert.equal(isIsoImage(image as unknown as Wish['image']), false)
  const machine = machineFor({ ...wish, image: iso, isIso: true, className: 'fast' })
  const templates = claimTemplatesOf(machine)
  assert.ok(typeof templates !== 'string')
  assert.deepEqual(
    templates.map(({ metadata, spec }) => [
      metadata.name,
      spec.storageClassName,
      spec.resources?.requests?.['storage'],
    ]),
    [
      ['web-rootdisk', 'fast', '10Gi'],
      ['web-cdrom', 'lh-1', '3Gi'],
    ],
  )
  assert.deepEqual(
    disksOf(machine).map(({ name, kind, bootOrder }) => [name, kind, bootOrder]),
    [
      ['rootdisk', 'disk', 1],
      ['cdrom', 'cdrom', 2],
    ],
  )
})

test('a disk more and a disk less leave the rest of the machine as it was', () => {
  const machine = machineFor({ ...wish, userData: '#cloud-config\r\n  odd: 1\n' })
  const more = withDisk(machine, { name: 'data', bus: 'sata', from: { sizeGib: 5, className: undefined } })
  assert.equal(disksOf(more).at(-1)?.claimName, 'web-data')
  const templates = claimTemplatesOf(more)
  assert.ok(typeof templates !== 'string')
  assert.equal(templates.length, 2)
  const less = withoutDisk(more, 'data')
  assert.deepEqual(less.spec, machine.spec)
  const patch = patchOf(machine, more)
  assert.deepEqual(Object.keys(patch ?? {}).sort(), ['metadata', 'spec'])
})

test('editing a size touches neither user data nor anything else', () => {
  const machine = machineFor({ ...wish, userData: '#cloud-config\r\n  odd: 1\n' })
  const before = { description: '', cpus: '1', memoryGib: '1', runStrategy: 'Always' }
  assert.equal(edited(machine, before, before), machine)
  const patch = patchOf(machine, edited(machine, before, { ...before, memoryGib: '1.5' }))
  assert.deepEqual(patch, {
    spec: {
      template: {
        spec: { domain: { memory: { guest: '1536Mi' }, resources: { limits: { memory: '1536Mi' } } } },
      },
    },
  })
  const described = edited(machine, before, { ...before, description: 'shop' })
  assert.equal(described.metadata.annotations?.['field.cattle.io/description'], 'shop')
})

test('a machine from a template has its own name and disks', () => {
  const vm = machineFor({ ...wish, name: 'blueprint' })
  const version = {
    metadata: {},
    spec: { templateId: 'default/t', vm: { metadata: vm.metadata, spec: vm.spec } },
  }
  const made: Machine = machineFromTemplate({
    namespace: 'shop',
    name: 'copy',
    version: version as never,
    start: false,
  })
  assert.deepEqual([made.metadata.namespace, made.metadata.name], ['shop', 'copy'])
  assert.equal(made.spec.runStrategy, 'Halted')
  assert.equal(made.spec.template.spec?.hostname, 'copy')
  const templates = claimTemplatesOf(made)
  assert.ok(typeof templates !== 'string')
  assert.equal(disksOf(made)[0]?.claimName, templates[0]?.metadata.name)
  assert.equal(templates[0]?.metadata.name, 'copy-disk-0')
})
