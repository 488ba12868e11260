import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { unitText } from './install.ts'

const wish = { launcher: '/opt/croft/croft', dataFolder: '/var/lib/croft', listen: '[::]:6443' }

test('the unit starts the launcher, restarts it always, and leaves machines alone', () => {
  const text = unitText(wish)
  assert.match(text, /^ExecStart=\/opt\/croft\/croft up --data \/var\/lib\/croft --listen \[::\]:6443$/m)
  assert.match(text, /^KillMode=process$/m)
  assert.match(text, /^Restart=always$/m)
  assert.match(text, /^WantedBy=multi-user.target$/m)
})

test('words that mean something to systemd are quoted', () => {
  const text = unitText({ ...wish, dataFolder: '/srv/my data/100%$x' })
  assert.match(text, /--data "\/srv\/my data\/100%%\$\$x"/)
})

const analyze = spawnSync('systemd-analyze', ['--version']).error ? 'systemd-analyze is not installed' : false

test('systemd finds nothing wrong with it', { skip: analyze }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'croft-unit-'))
  try {
    const path = join(folder, 'croft.service')
    writeFileSync(path, unitText({ ...wish, launcher: '/bin/true', dataFolder: join(folder, 'a b') }))
    const told = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' })
    const about = told.stderr.split('\n').filter((line) => line.includes('croft.service'))
    assert.deepEqual(about, [])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
