import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import {
  type GivenCredentials,
  giveCredentials,
  NOTHING_GIVEN,
  type WantedCredentials,
} from './credentials.ts'
import type { GuestAgent } from './guest-agent.ts'

/** The guest's part: remembers what it was told, refuses commands by name. */
function guest(refuses = ''): { readonly agent: GuestAgent; readonly asked: JsonObject[] } {
  const asked: JsonObject[] = []
  const agent: GuestAgent = {
    tell: async () => ok(undefined),
    execute: async (command, args = {}): Promise<Result<unknown>> => {
      asked.push({ command, ...args })
      return command === refuses
        ? failed({ reason: 'AgentError', message: 'no such user', retry: 'never' })
        : ok({})
    },
  }
  return { agent, asked }
}

const wanted: WantedCredentials = { keys: { jo: ['key-1', 'key-2'] }, passwords: { jo: 'secret' } }

async function given(from: WantedCredentials): Promise<GivenCredentials> {
  const answer = await giveCredentials(guest().agent, from, NOTHING_GIVEN, 'uid')
  assert.ok(answer.ok)
  return answer.value
}

test('keys and passwords are given once', async () => {
  const { agent, asked } = guest()
  const first = await giveCredentials(agent, wanted, NOTHING_GIVEN, 'uid')
  assert.ok(first.ok)
  assert.deepEqual(asked, [
    { command: 'guest-ssh-add-authorized-keys', username: 'jo', keys: ['key-1', 'key-2'] },
    { command: 'guest-set-user-password', username: 'jo', password: 'c2VjcmV0', crypted: false },
  ])
  assert.doesNotMatch(JSON.stringify(first.value), /secret/)
  asked.length = 0
  assert.ok((await giveCredentials(agent, wanted, first.value, 'uid')).ok)
  assert.deepEqual(asked, [])
})

test('what left the Secret leaves the guest, what is new comes', async () => {
  const { agent, asked } = guest()
  const next = { keys: { jo: ['key-2', 'key-3'] }, passwords: { jo: 'other' } }
  assert.ok((await giveCredentials(agent, next, await given(wanted), 'uid')).ok)
  assert.deepEqual(
    asked.map(({ command, keys }) => [command, keys]),
    [
      ['guest-ssh-add-authorized-keys', ['key-3']],
      ['guest-ssh-remove-authorized-keys', ['key-1']],
      ['guest-set-user-password', undefined],
    ],
  )
})

test('a refusal of the agent is told, and nothing counts as given', async () => {
  const answer = await giveCredentials(guest('guest-set-user-password').agent, wanted, NOTHING_GIVEN, 'uid')
  assert.ok(!answer.ok)
  assert.equal(answer.failure.message, 'no such user')
})
