// How other people's firewalls are read; what is done about them is tried in bridge-room.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOf, missingRules, obstacles } from './foreign-firewall.ts'

const DOCKER = [
  '-P INPUT DROP',
  '-P FORWARD DROP',
  '-P OUTPUT ACCEPT',
  '-N DOCKER-USER',
  '-A FORWARD -j DOCKER-USER',
  '-A DOCKER-USER -j RETURN',
]
const missing = (lines: readonly string[]): readonly string[] =>
  missingRules(lines, { id: 'abc', bridge: 'vmbr0', entries: entriesOf(lines) }).map(
    ({ chain, iptables }) => `${chain} ${iptables.join(' ')}`,
  )

test('what iptables shows of its rules is recognised, in its own words', () => {
  assert.deepEqual(missing(DOCKER), [
    'DOCKER-USER -i vmbr0',
    'DOCKER-USER -o vmbr0',
    'INPUT -i vmbr0 -p udp --dport 67',
    'INPUT -i vmbr0 -p udp --dport 53',
    'INPUT -i vmbr0 -p tcp --dport 53',
  ])
  const ours = (rule: string): string => `-A ${rule} -m comment --comment "croft:abc" -j ACCEPT`
  const some = [
    ...DOCKER,
    ours('DOCKER-USER -i vmbr0'),
    '-A DOCKER-USER -o vmbr0 -m comment --comment "croft:other" -j ACCEPT',
    ours('INPUT -i vmbr0 -p udp -m udp --dport 67'),
    '-A INPUT -i vmbr0 -m comment --comment croft:abc -j ACCEPT',
  ]
  assert.deepEqual(missing(some), [
    'DOCKER-USER -o vmbr0',
    'INPUT -i vmbr0 -p udp --dport 53',
    'INPUT -i vmbr0 -p tcp --dport 53',
  ])
})

test('without Docker the head of FORWARD is used, and an open INPUT is left alone', () => {
  assert.deepEqual(missing(['-P INPUT ACCEPT', '-P FORWARD DROP', '-N DOCKER-USER']), [
    'FORWARD -i vmbr0',
    'FORWARD -o vmbr0',
  ])
})

test('chains of others that drop by default are named; ours and the ones that accept are not', () => {
  const chain = (family: string, table: string, hook: string, policy: string) => ({
    chain: { family, table, name: 'c', hook, policy },
  })
  const entries = [
    chain('inet', 'firewalld', 'forward', 'drop'),
    chain('inet', 'filter', 'input', 'drop'),
    chain('inet', 'filter', 'output', 'drop'),
    chain('inet', 'croft', 'forward', 'drop'),
    chain('ip', 'filter', 'forward', 'drop'),
    chain('ip6', 'filter', 'forward', 'drop'),
    chain('inet', 'open', 'forward', 'accept'),
  ]
  assert.deepEqual(obstacles(entries, 'croft'), ['inet firewalld c', 'inet filter c'])
})
