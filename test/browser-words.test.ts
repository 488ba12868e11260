// The texts of the web interface: every language has every key with the same places, in its own script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en } from '../ui/src/words/en.ts'
import { sayUi } from '../ui/src/words/say.ts'
import { zhHans } from '../ui/src/words/zh-hans.ts'

const NAMES: ReadonlySet<string> = new Set(['Ctrl-Alt-Del', 'Croft', 'Kubernetes API'])

/** Names, abbreviations and texts that are all places are the same in every language. */
function isWording(text: string): boolean {
  return /[a-z]{3}/.test(text.replace(/\{[^}]*\}/g, '')) && !NAMES.has(text)
}

function places(text: string): string[] {
  return [...new Set([...text.matchAll(/\{([^}|]*)/g)].map((match) => match[1] ?? ''))].sort()
}

test('both languages have every key, with the same places', () => {
  assert.deepEqual(Object.keys(zhHans).sort(), Object.keys(en).sort())
  for (const [key, text] of Object.entries(en)) {
    const other = zhHans[key as keyof typeof zhHans]
    assert.deepEqual(places(other), places(text), key)
    if (isWording(text)) assert.match(other, /\p{Script=Han}/u, key)
    assert.doesNotMatch(text, /\p{Script=Han}/u, key)
  }
})

test('places are filled, plurals chosen', () => {
  assert.equal(sayUi('en', 'machines.count', { count: 1, running: 0 }), '1 machine · 0 running')
  assert.equal(sayUi('en', 'machines.count', { count: 3, running: 2 }), '3 machines · 2 running')
  assert.equal(sayUi('zh-Hans', 'hosts.count', { count: 3 }), '3 台主机')
})
