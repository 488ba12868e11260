import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CliError } from './cli-error.ts'
import { EXIT } from './command.ts'
import { commands } from './commands.ts'
import { helpText } from './help.ts'
import { parse } from './parse.ts'

const call = (line: string) => parse(commands, line.split(' ')).call

function problem(line: string): CliError['problem'] {
  try {
    parse(commands, line.split(' '))
  } catch (error) {
    assert.ok(error instanceof CliError, String(error))
    return error.problem
  }
  assert.fail(`"${line}" was understood`)
}

test('words, arguments and every way to write a flag', () => {
  const made = call('vm create web --image=demo --cpus 4 -n prod --ssh-key a.pub --ssh-key b.pub --no-wait')
  assert.deepEqual(made.command.words, ['vm', 'create'])
  assert.deepEqual(made.args, ['web'])
  assert.equal(made.text('image'), 'demo')
  assert.equal(made.number('cpus'), 4)
  assert.equal(made.text('namespace'), 'prod')
  assert.deepEqual(made.list('ssh-key'), ['a.pub', 'b.pub'])
  assert.equal(made.on('no-wait'), true)
  assert.equal(made.text('memory'), undefined)
  assert.equal(call('vm list -ojson').text('output'), 'json')
  assert.equal(call('vm list -o=yaml').text('output'), 'yaml')
  assert.equal(call('up --detach=false').on('detach'), false)
  assert.equal(call('vm start web --timeout 1m30s').duration('timeout'), 90_000)
})

test('what stands behind -- is left alone', () => {
  const made = call('vm ssh me@web -i key -- ls -l --all')
  assert.deepEqual(made.args, ['me@web', 'ls', '-l', '--all'])
  assert.equal(made.text('identity'), 'key')
})

test('what is not understood is a usage error that names the nearest word', () => {
  const cases: readonly (readonly [string, RegExp, RegExp?])[] = [
    ['vm craete web', /no command "vm craete"/, /croft vm create/],
    ['vmm list', /no command "vmm"/, /"croft vm"/],
    ['vm', /wants to be told what to do/, /croft help vm/],
    ['vm list --outptu json', /no option "--outptu"/, /--output/],
    ['vm list -x', /no option "-x"/],
    ['vm list --output xml', /one of table, wide, json, yaml, name, jsonpath=EXPR/],
    ['vm list web', /does not understand "web"/],
    ['vm start', /argument NAME is missing/],
    ['vm create web --cpus 0', /not a whole number above 0/],
    ['vm create web --cpus 1.5', /not a whole number above 0/],
    ['vm create web --memory lots', /not a size/],
    ['vm create web --memory -1Gi', /not a size/],
    ['vm create web --timeout soon', /not a time/],
    ['vm create web --image', /wants a value/],
    ['vm create web --image a --image b', /given twice/],
    ['up --detach=perhaps', /takes no value/],
  ]
  for (const [line, what, next] of cases) {
    const told = problem(line)
    assert.equal(told.code, EXIT.usage, line)
    assert.match(told.what, what, line)
    if (next) assert.match(told.next ?? '', next, line)
  }
})

test('help shows every command and every flag of the table', () => {
  const overview = helpText(commands, [])
  for (const { words, hidden } of commands)
    assert.equal(overview.includes(words[0]!), hidden !== true, words.join(' '))
  for (const command of commands) {
    const text = helpText(commands, command.words)
    assert.match(text, new RegExp(`Usage: croft ${command.words.join(' ')}`))
    for (const { name } of command.flags) assert.ok(text.includes(`--${name}`), `${command.words} --${name}`)
  }
  assert.match(helpText(commands, ['vm']), /create +Makes a machine/)
  assert.throws(() => helpText(commands, ['vm', 'crate']), /no command "vm crate"/)
})

test('the table is sound: examples are understood, short flags are one in a command', () => {
  for (const { words, flags, examples } of commands) {
    const shorts = flags.flatMap(({ short }) => (short === undefined ? [] : [short]))
    assert.equal(new Set(shorts).size, shorts.length, words.join(' '))
    for (const example of examples) {
      const line = /croft (.*?)\)?$/.exec(example)?.[1] ?? ''
      const parts = [...line.matchAll(/"([^"]*)"|'([^']*)'|([^\s'"]+(?:'[^']*')?)/g)].map(
        ([, quoted, single, plain]) => quoted ?? single ?? plain ?? '',
      )
      assert.deepEqual(parse(commands, parts).call.command.words, words, example)
    }
  }
})

test('what begins as a choice is one', () => {
  const { call } = parse(commands, ['vm', 'list', '-o', 'jsonpath={.items[*].metadata.name}'])
  assert.equal(call.text('output'), 'jsonpath={.items[*].metadata.name}')
  assert.throws(() => parse(commands, ['vm', 'list', '-o', 'jsonpath=']), /cannot be "jsonpath="/)
})
