// An API server with its gate, the built interface and thousands of machines that no controller touches: for what the
// interface does with long lists. Real pipeline, real HTTPS, a store in memory.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { UserInfo } from '../../src/base/call.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { type GateFixture, startGate } from '../../src/gate/gate.fixture.ts'
import { CROFT_ROOT, type Login } from '../browser-server.ts'

export const MANY_NAMESPACE = 'farm'
const AGENT: UserInfo = { username: 'system:node:n1', groups: ['system:masters', 'system:authenticated'] }
const PATH = `kubevirt.io/v1/namespaces/${MANY_NAMESPACE}/virtualmachines`
/** Created side by side; more only wait for each other. */
const WIDTH = 16
/** The first of them get a state; the others are as new. */
const STATED = 100

export interface ManyServer {
  readonly fixture: GateFixture
  readonly url: string
  readonly login: Login
  /** Gives the machine another state, as the control plane would. */
  change(index: number, word: string): Promise<void>
  close(): Promise<void>
}

export function machineName(index: number): string {
  return `vm-${String(index).padStart(5, '0')}`
}

export async function startMany(count: number): Promise<ManyServer> {
  const fixture = await startGate()
  await cp(join(CROFT_ROOT, 'ui/dist'), fixture.uiFolder, { recursive: true })
  const password = (await fixture.gate.sessions.ensureFirstUser()) ?? ''
  await fixture.create({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: MANY_NAMESPACE },
  } as JsonObject)
  const change = async (index: number, word: string): Promise<void> => {
    await fixture.call('patch', `${PATH}/${machineName(index)}/status`, {
      patchType: 'merge',
      user: AGENT,
      body: { status: { printableStatus: word } },
    })
  }
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      await fixture.create(machineAt(index))
      if (index < STATED) await change(index, index % 3 === 0 ? 'Stopped' : 'Running')
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, work))
  return {
    fixture,
    url: fixture.url,
    login: { user: 'admin', password },
    change,
    close: () => fixture.close(),
  }
}

function machineAt(index: number): JsonObject {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: machineName(index), namespace: MANY_NAMESPACE },
    spec: {
      runStrategy: 'Manual',
      template: { spec: { domain: { cpu: { cores: 2 }, memory: { guest: '2Gi' }, devices: {} } } },
    },
  } as unknown as JsonObject
}
