// One line an event, and nothing secret in it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logLine, makeLog } from './log.ts'

test('a line has time, level, message and fields', () => {
  assert.equal(
    logLine('2030-01-02T03:04:05.678Z', 'warn', 'guest\nstopped', {
      vm: 'default/a',
      why: 'two words',
      n: 3,
      no: undefined,
    }),
    '2030-01-02T03:04:05.678Z WARN  guest | stopped vm=default/a why="two words" n=3',
  )
})

test('secrets are hidden by name and by shape, nested ones too', () => {
  const line = logLine('T', 'info', 'sent Authorization: Bearer abcdefghijklmnop', {
    password: 'hunter2',
    join_token: 'hunter2',
    url: 'https://me:hunter2@host/x?token=hunter2&a=1',
    nested: { deep: { clientSecret: 'hunter2', name: 'n' } },
    pem: '-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----',
  })
  assert.doesNotMatch(line, /hunter2|abcdefghijklmnop/)
  assert.match(line, /a=1/)
  assert.match(line, /"n\\"/)
})

test('an endless value is cut and the level keeps quiet what is less important', () => {
  const lines: string[] = []
  const log = makeLog({ level: 'warn', write: (line) => lines.push(line) })
  log.info('not this')
  log.error('this', { error: new Error('x'.repeat(10_000)) })
  assert.equal(lines.length, 1)
  assert.ok((lines[0] ?? '').length < 2400)
})
