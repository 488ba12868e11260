import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assignPorts, listeningPorts, parsePublishedPorts } from './published-ports.ts'

test('the annotation is read, and what cannot be read is told', () => {
  assert.deepEqual(parsePublishedPorts(' 8022:22/tcp, 8080:80,53:53/UDP ,'), {
    ports: [
      { hostPort: 8022, guestPort: 22, protocol: 'tcp' },
      { hostPort: 8080, guestPort: 80, protocol: 'tcp' },
      { hostPort: 53, guestPort: 53, protocol: 'udp' },
    ],
    problems: [],
  })
  for (const text of ['22', '0:22', '70000:22', '22:22/sctp', '1:2:3', 'a:b', '22:-1'])
    assert.equal(parsePublishedPorts(text).problems.length, 1, text)
  const twice = parsePublishedPorts('80:80,80:81,80:80/udp')
  assert.equal(twice.ports.length, 2)
  assert.match(twice.problems[0] ?? '', /80\/tcp is named twice/)
  const many = Array.from({ length: 70 }, (_, index) => `${1000 + index}:22`).join()
  assert.equal(parsePublishedPorts(many).ports.length, 64)
})

test('who was first keeps the port, whatever the order of the list', () => {
  const publisher = (vmiUid: string, since: number, text: string) => ({
    vmiUid,
    since,
    text,
    name: `default/${vmiUid}`,
    ip: `10.52.0.${since}`,
  })
  const list = [publisher('b', 3, '80:80,81:81'), publisher('a', 2, '80:8080')]
  for (const order of [list, [...list].reverse()]) {
    const answer = assignPorts(order, new Set(['tcp/81', 'udp/80']))
    assert.deepEqual(
      answer.get('a')?.granted.map(({ ip }) => ip),
      ['10.52.0.2'],
    )
    assert.equal(answer.get('b')?.granted.length, 0)
    assert.equal(answer.get('b')?.problems.length, 2)
  }
  assert.equal(assignPorts(list, new Set(['tcp/81']), new Set(['tcp/81'])).get('b')?.granted.length, 1)
})

test('listening ports are read from the tables of the kernel', () => {
  const text = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0 20 4 30 10 -1
   0: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 3
`
  assert.deepEqual([...listeningPorts(text, 'tcp')].sort(), ['tcp/22', 'tcp/443'])
  const dns = '   0: 0100340A:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 1\n'
  assert.deepEqual([...listeningPorts(dns, 'udp')], ['udp/53'])
  assert.deepEqual([...listeningPorts(dns, 'udp', '10.52.0.1')], [])
})
