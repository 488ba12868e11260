import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Catalogue } from './catalogue.ts'
import { en } from './en.ts'
import { languageFor, say } from './say.ts'
import { zhHans } from './zh-hans.ts'

function places(text: string): string[] {
  const names = [...text.matchAll(/\{([^}|]*)(?:\|[^}]*)?\}/g)].map((match) => match[1]!)
  return [...new Set(names)].sort()
}

test('every language has every key, with the same places and a text of its own', () => {
  const other: Catalogue = zhHans
  assert.deepEqual(Object.keys(zhHans).sort(), Object.keys(en).sort())
  for (const [key, text] of Object.entries(en)) {
    const translated = other[key as keyof Catalogue]
    assert.deepEqual(places(translated), places(text), key)
    assert.match(translated, /\p{Script=Han}/u, key)
    assert.doesNotMatch(text, /\p{Script=Han}/u, key)
  }
})

test('a next step belongs to a cause, and plural choices to a place', () => {
  for (const [key, text] of Object.entries(en)) {
    const cause = /^(.*)\.(?:next|effect)$/.exec(key)?.[1]
    if (cause !== undefined && cause !== 'why') assert.ok(cause in en, key)
    for (const [, name, forms] of text.matchAll(/\{([^}|]*)\|([^}]*)\}/g)) {
      assert.equal(forms?.split('|').length, 2, key)
      assert.ok(text.includes(`{${name}}`), key)
    }
  }
})

test('places are filled, plurals chosen', () => {
  assert.equal(
    say('en', 'why.image.inUse', { count: 1 }),
    'The image cannot be deleted: 1 volume is made from it.',
  )
  assert.equal(
    say('en', 'why.image.inUse', { count: 3 }),
    'The image cannot be deleted: 3 volumes are made from it.',
  )
  assert.equal(say('zh-Hans', 'why.image.inUse', { count: 3n }), '无法删除镜像：有 3 个卷基于它创建。')
  assert.equal(say('en', 'state.vm.Running'), 'Running')
  assert.equal(say('en', 'cli.refused', { message: 'a {name} of $& stays' }), 'Refused: a {name} of $& stays')
})

test('missing places do not compile', () => {
  // @ts-expect-error the place "count" must be filled
  assert.equal(say('en', 'why.image.inUse', {}).includes('{count}'), true)
  // @ts-expect-error there is no such key
  assert.throws(() => say('en', 'no.such.key'))
})

test('the language is chosen from what is asked for', () => {
  const cases: Record<string, string> = {
    'zh-CN,zh;q=0.9,en;q=0.8': 'zh-Hans',
    'en-US,en;q=0.9,zh;q=0.8': 'en',
    'fr,zh;q=0.5': 'zh-Hans',
    'zh;q=0.2,en;q=0.7': 'en',
    'zh_CN.UTF-8': 'zh-Hans',
    C: 'en',
    '': 'en',
  }
  for (const [wanted, language] of Object.entries(cases)) assert.equal(languageFor(wanted), language, wanted)
  assert.equal(languageFor(undefined), 'en')
})
