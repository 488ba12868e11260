// Thousands of objects as a lived-in cluster has them: halted machines, Secrets, ConfigMaps.
import type { Client } from '../src/client/client.ts'
import { ConfigMap } from '../src/kinds/core/config-map.ts'
import { Secret } from '../src/kinds/core/secret.ts'
import { VirtualMachine } from '../src/kinds/kubevirt/virtual-machine.ts'

const AT_ONCE = 32

/** Fills up with `count` objects: a fifth are halted machines, the rest Secrets and ConfigMaps of about 1 KiB. */
export async function fill(client: Client, count: number, machines = count / 5): Promise<void> {
  const makes: (() => Promise<unknown>)[] = []
  for (let number = 0; number < count; number += 1) {
    const name = `bench-${number}`
    if (number < machines) makes.push(() => client.create(VirtualMachine, haltedMachine(name) as never))
    else if (number % 2 === 0)
      makes.push(() =>
        client.create(Secret, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, namespace: 'default' },
          data: { key: 'eHl6'.repeat(200) },
        } as never),
      )
    else
      makes.push(() =>
        client.create(ConfigMap, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: 'default' },
          data: { text: 'some words of a configuration '.repeat(25) },
        } as never),
      )
  }
  let next = 0
  const worker = async (): Promise<void> => {
    for (let make = makes[next++]; make; make = makes[next++]) await make()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

function haltedMachine(name: string): object {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default', labels: { 'bench.croft.io/set': 'halted' } },
    spec: {
      runStrategy: 'Halted',
      template: {
        metadata: { labels: { 'bench.croft.io/vm': name } },
        spec: {
          domain: {
            cpu: { cores: 2 },
            memory: { guest: '2Gi' },
            devices: {
              disks: [
                { name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 },
                { name: 'seed', disk: { bus: 'virtio' } },
              ],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [
            { name: 'root', persistentVolumeClaim: { claimName: `${name}-root` } },
            { name: 'seed', cloudInitNoCloud: { userData: '#cloud-config\nusers: []\n' } },
          ],
        },
      },
    },
  }
}
