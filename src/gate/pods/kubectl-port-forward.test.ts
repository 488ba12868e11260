// kubectl's own port-forward, which speaks SPDY inside a WebSocket, against the gate.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { kubectlTools } from '../../../test/kubectl-binary.ts'
import type { JsonObject } from '../../base/json.ts'
import { type GateFixture, startGate } from '../gate.fixture.ts'

const tools = await kubectlTools()
const skip = tools ? false : 'kubectl cannot be had here'
let fixture: GateFixture

before(async () => {
  fixture = await startGate()
  await fixture.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'launcher',
      namespace: 'default',
      labels: { 'kubevirt.io': 'virt-launcher', 'vm.kubevirt.io/name': 'web' },
    },
    spec: { nodeName: 'n1', containers: [{ name: 'compute', image: 'croft/virt-launcher' }] },
  } as unknown as JsonObject)
  await fixture.call('patch', 'v1/namespaces/default/pods/launcher/status', {
    patchType: 'merge',
    body: { status: { phase: 'Running' } },
  })
})
after(() => fixture.close())

/** Says `hello` to the port and gives what came back up to `HELLO`. */
function converse(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => socket.write('hello'))
    socket.setTimeout(10_000, () => socket.destroy(new Error(`silence after "${heard}"`)))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`closed after "${heard}"`)))
    socket.on('data', (bytes) => {
      heard += bytes.toString()
      if (!heard.includes('HELLO')) return
      resolve(heard)
      socket.end()
    })
  })
}

test('kubectl port-forward carries several connections, and tells what went wrong', { skip }, async () => {
  const argv = ['port-forward', '--kubeconfig', fixture.kubeconfig, 'pod/launcher', ':22']
  const child = spawn(tools!.kubectl, argv, { env: { ...process.env, HOME: fixture.folder } })
  try {
    let said = ''
    const port = await new Promise<number>((resolve, reject) => {
      const look = (bytes: Buffer): void => {
        said += bytes.toString()
        const found = /Forwarding from 127\.0\.0\.1:(\d+) -> 22/.exec(said)
        if (found) resolve(Number(found[1]))
      }
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      child.once('exit', () => reject(new Error(said)))
    })
    const answers = await Promise.all([converse(port), converse(port), converse(port)])
    for (const answer of answers) assert.equal(answer, 'RFB 003.008\nHELLO')
    assert.equal(fixture.agent.targets.at(-1)?.port, 22)
    fixture.agent.failure = { reason: 'PortUnreachable', message: 'port 22 of the guest does not answer' }
    await converse(port).catch(() => undefined)
    for (let turn = 0; turn < 50 && !said.includes('does not answer'); turn++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    assert.match(said, /port 22 of the guest does not answer/)
  } finally {
    child.kill('SIGKILL')
  }
})
