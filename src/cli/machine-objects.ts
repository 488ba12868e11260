// The objects of a machine as `croft vm create` makes them: Harvester's form, with the disk's claim as a template in
// an annotation and cloud-init in a Secret. Pure.
import type { KubeObject } from '../base/object.ts'
import { CLAIM_TEMPLATES, IMAGE_ID } from '../kinds/harvester/claim-templates.ts'

export interface MachineWish {
  readonly name: string
  readonly namespace: string
  /** Five characters that nobody else has: disks of a machine made again do not meet the old ones. */
  readonly suffix: string
  readonly cpus: number
  readonly memory: string
  readonly disk: string
  readonly image?: { readonly id: string; readonly storageClass?: string }
  readonly storageClass?: string
  readonly network?: string
  readonly userData: string
  readonly runStrategy: string
  readonly graceSeconds: number
}

export function secretName({ name, suffix }: MachineWish): string {
  return `${name}-${suffix}`
}

export function cloudInitSecret(wish: MachineWish): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretName(wish), namespace: wish.namespace },
    type: 'Opaque',
    stringData: { userdata: wish.userData, networkdata: '' },
  } as KubeObject
}

export function machineObject(wish: MachineWish): KubeObject {
  const { name, namespace, network } = wish
  const disk = `${name}-disk-0-${wish.suffix}`
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name,
      namespace,
      labels: { 'harvesterhci.io/creator': 'croft' },
      annotations: { [CLAIM_TEMPLATES]: JSON.stringify([claimTemplate(wish, disk)]) },
    },
    spec: {
      runStrategy: wish.runStrategy,
      template: {
        metadata: { labels: { 'harvesterhci.io/vmName': name } },
        spec: {
          hostname: name,
          terminationGracePeriodSeconds: wish.graceSeconds,
          domain: {
            cpu: { cores: wish.cpus, sockets: 1, threads: 1 },
            memory: { guest: wish.memory },
            devices: {
              disks: [
                { name: 'disk-0', disk: { bus: 'virtio' }, bootOrder: 1 },
                { name: 'cloudinitdisk', disk: { bus: 'virtio' } },
              ],
              interfaces: [
                network === undefined
                  ? { name: 'default', model: 'virtio', masquerade: {} }
                  : { name: 'default', model: 'virtio', bridge: {} },
              ],
              rng: {},
            },
          },
          networks: [
            network === undefined
              ? { name: 'default', pod: {} }
              : { name: 'default', multus: { networkName: network } },
          ],
          volumes: [
            { name: 'disk-0', persistentVolumeClaim: { claimName: disk } },
            {
              name: 'cloudinitdisk',
              cloudInitNoCloud: {
                secretRef: { name: secretName(wish) },
                networkDataSecretRef: { name: secretName(wish) },
              },
            },
          ],
        },
      },
    },
  } as unknown as KubeObject
}

function claimTemplate(wish: MachineWish, name: string): object {
  const { image } = wish
  const storageClass = image?.storageClass ?? wish.storageClass
  return {
    metadata: { name, ...(image === undefined ? {} : { annotations: { [IMAGE_ID]: image.id } }) },
    spec: {
      accessModes: ['ReadWriteMany'],
      volumeMode: 'Block',
      resources: { requests: { storage: wish.disk } },
      ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
    },
  }
}

export interface GuestWish {
  readonly hostname: string
  readonly sshKeys: readonly string[]
  /** Password of the image's own user, where one is wanted. */
  readonly password?: string
}

/** cloud-init user data; JSON is YAML, so nothing needs quoting by hand. */
export function userDataFor({ hostname, sshKeys, password }: GuestWish): string {
  const config = {
    hostname,
    ssh_authorized_keys: sshKeys,
    ...(password === undefined ? {} : { password, chpasswd: { expire: false }, ssh_pwauth: true }),
  }
  const lines = Object.entries(config)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return `${['#cloud-config', ...lines].join('\n')}\n`
}
