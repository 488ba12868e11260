// Somebody who makes, starts, stops and deletes virtual machines, and sometimes takes away what lies below them.
import type { ApiPort } from '../base/call.ts'
import { ApiError } from '../base/errors.ts'
import type { Client } from '../client/client.ts'
import { createInProcessClient } from '../client/in-process.ts'
import { Pod } from '../kinds/core/pod.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { SimProcess } from './process.ts'
import { ADMIN } from './real-api.ts'
import { object } from './stack.ts'

const NAMES = ['alpha', 'beta', 'gamma']
const NAMESPACE = 'default'

export class User {
  readonly client: Client
  readonly #process: SimProcess

  constructor(process: SimProcess, port: ApiPort) {
    this.#process = process
    this.client = createInProcessClient({ api: port, user: ADMIN, fieldManager: 'user' })
  }

  async act(goesOn: () => boolean): Promise<void> {
    const { clock, random, world, name: who } = this.#process
    while (goesOn()) {
      const name = random.pick(NAMES)
      const what = random.pick([
        'create',
        'create',
        'start',
        'stop',
        'delete',
        'delete instance',
        'delete pod',
      ] as const)
      const outcome = await this.#do(what, name).then(
        () => 'done',
        (error: unknown) => {
          if (!(error instanceof ApiError)) throw error
          return `${error.code} ${error.reason}`
        },
      )
      world.note(who, `${what} ${name}: ${outcome}`)
      await clock.sleep(random.between(300, 9_000))
    }
  }

  async #do(what: string, name: string): Promise<void> {
    const { client } = this
    const where = { namespace: NAMESPACE }
    switch (what) {
      case 'create':
        await client.create(VirtualMachine, machine(name, this.#process.random.chance(0.7)))
        return
      case 'start':
        await client.patch(VirtualMachine, name, { spec: { runStrategy: 'Always' } }, where)
        return
      case 'stop':
        await client.patch(VirtualMachine, name, { spec: { runStrategy: 'Halted' } }, where)
        return
      case 'delete':
        return client.delete(VirtualMachine, name, where)
      case 'delete instance':
        return client.delete(VirtualMachineInstance, name, where)
      default: {
        const { items } = await client.list(Pod, where)
        const pod = items.find((one) => one.metadata.labels?.['vm.kubevirt.io/name'] === name)
        if (pod !== undefined) await client.delete(Pod, pod.metadata.name ?? '', where)
      }
    }
  }
}

function machine(name: string, running: boolean): VirtualMachine {
  return object(VirtualMachine, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      runStrategy: running ? 'Always' : 'Halted',
      dataVolumeTemplates: [
        {
          metadata: { name: `${name}-root` },
          spec: {
            source: { blank: {} },
            storage: { storageClassName: 'harvester-longhorn', resources: { requests: { storage: '1Gi' } } },
          },
        },
      ],
      template: {
        spec: {
          domain: {
            cpu: { cores: 1 },
            memory: { guest: '128Mi' },
            devices: {
              disks: [{ name: 'root', disk: { bus: 'virtio' } }],
              interfaces: [{ name: 'nic', masquerade: {} }],
            },
          },
          networks: [{ name: 'nic', pod: {} }],
          volumes: [{ name: 'root', dataVolume: { name: `${name}-root` } }],
        },
      },
    },
  })
}
