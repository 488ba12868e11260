// From the few fields of the form to the objects that the API gets: a machine in Harvester's form, whose disk is made
// from an image by the class that belongs to it.
import { CLAIM_TEMPLATES, IMAGE_ID } from '../../../../src/kinds/harvester/claim-templates.ts'
import type { Image, Machine } from '../../data/kinds.ts'
import { memoryText } from './machine-edit.ts'

export interface Wish {
  readonly namespace: string
  readonly name: string
  readonly image: Image
  readonly cpus: number
  readonly memoryGib: number
  readonly diskGib: number
  readonly sshKey: string
  readonly userData: string
  readonly start: boolean
}

export function machineFor(wish: Wish): Machine {
  const { namespace, name, image, cpus, memoryGib, diskGib, start } = wish
  const claim = `${name}-rootdisk`
  const userData = userDataFor(wish)
  const templates = [
    {
      metadata: {
        name: claim,
        annotations: { [IMAGE_ID]: `${image.metadata.namespace}/${image.metadata.name}` },
      },
      spec: {
        accessModes: ['ReadWriteMany'],
        volumeMode: 'Block',
        resources: { requests: { storage: `${diskGib}Gi` } },
        storageClassName: image.status?.storageClassName,
      },
    },
  ]
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace, name, annotations: { [CLAIM_TEMPLATES]: JSON.stringify(templates) } },
    spec: {
      runStrategy: start ? 'Always' : 'Halted',
      template: {
        metadata: { labels: { 'harvesterhci.io/vmName': name } },
        spec: {
          evictionStrategy: 'LiveMigrateIfPossible',
          terminationGracePeriodSeconds: 120,
          hostname: name,
          domain: {
            cpu: { cores: cpus, sockets: 1, threads: 1 },
            memory: { guest: memoryText(memoryGib) },
            resources: { limits: { cpu: String(cpus), memory: memoryText(memoryGib) } },
            devices: {
              disks: [
                { name: 'rootdisk', bootOrder: 1, disk: { bus: 'virtio' } },
                ...(userData === '' ? [] : [{ name: 'cloudinit', disk: { bus: 'virtio' } }]),
              ],
              interfaces: [{ name: 'default', model: 'virtio', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [
            { name: 'rootdisk', persistentVolumeClaim: { claimName: claim } },
            ...(userData === '' ? [] : [{ name: 'cloudinit', cloudInitNoCloud: { userData } }]),
          ],
        },
      },
    },
  } as Machine
}

/** What the user wrote goes to the guest as it is; a key alone becomes the shortest cloud-config. */
function userDataFor({ userData, sshKey }: Wish): string {
  if (userData.trim() !== '') return userData
  const keys = sshKey
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (keys.length === 0) return ''
  return [
    '#cloud-config',
    'ssh_authorized_keys:',
    ...keys.map((key) => `  - ${JSON.stringify(key)}`),
    '',
  ].join('\n')
}

export function commandFor({ namespace, name, image, cpus, memoryGib, diskGib }: Wish): string {
  const project = namespace === 'default' ? '' : ` -n ${namespace}`
  const source = image.spec.displayName ?? image.metadata.name
  return `croft vm create ${name} --image ${source} --cpus ${cpus} --memory ${memoryText(memoryGib)} --disk ${diskGib}Gi${project}`
}

/** The field of the form that a refusal is about, by the path that the API names. */
export function fieldOf(path: string): 'name' | 'size' | 'userData' | undefined {
  if (path.startsWith('metadata.name')) return 'name'
  if (/\.(cpu|memory|resources)\b/.test(path)) return 'size'
  if (/cloudInit/.test(path)) return 'userData'
  return undefined
}
