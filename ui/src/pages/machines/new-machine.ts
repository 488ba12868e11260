// From the few fields of the form to the objects that the API gets: a machine in Harvester's form, whose disk is made
// from an image by the class that belongs to it.
import { CLAIM_TEMPLATES, IMAGE_ID } from '../../../../src/kinds/harvester/claim-templates.ts'
import type { Image, Machine } from '../../data/kinds.ts'
import { DESCRIPTION, memoryText } from './machine-edit.ts'

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
  /** The image is a CD to install from: the disk begins empty, in this class or the cluster's own. */
  readonly isIso?: boolean
  readonly className?: string | undefined
  /** `namespace/name` of a network; absent means the default one. */
  readonly network?: string
  /** Absent: any host that has room. */
  readonly host?: string
  /** KeyPairs, `namespace/name`, with their keys. */
  readonly keys?: readonly { readonly name: string; readonly publicKey: string }[]
  readonly runStrategy?: string
  readonly description?: string
}

export function machineFor(wish: Wish): Machine {
  const { namespace, name, cpus, memoryGib, start, host } = wish
  const userData = userDataFor(wish)
  const disks = disksFor(wish)
  const seed = userData === '' ? [] : [{ name: 'cloudinit' }]
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace, name, annotations: annotationsFor(wish, disks) },
    spec: {
      runStrategy: start ? (wish.runStrategy ?? 'Always') : 'Halted',
      template: {
        metadata: { labels: { 'harvesterhci.io/vmName': name } },
        spec: {
          evictionStrategy: 'LiveMigrateIfPossible',
          terminationGracePeriodSeconds: 120,
          hostname: name,
          ...(host === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': host } }),
          domain: {
            cpu: { cores: cpus, sockets: 1, threads: 1 },
            memory: { guest: memoryText(memoryGib) },
            resources: { limits: { cpu: String(cpus), memory: memoryText(memoryGib) } },
            devices: {
              disks: [
                ...disks.map(({ id, device }, index) => ({ name: id, bootOrder: index + 1, ...device })),
                ...seed.map((one) => ({ ...one, disk: { bus: 'virtio' } })),
              ],
              interfaces: [
                { name: 'default', model: 'virtio', ...(wish.network ? { bridge: {} } : { masquerade: {} }) },
              ],
            },
          },
          networks: [
            { name: 'default', ...(wish.network ? { multus: { networkName: wish.network } } : { pod: {} }) },
          ],
          volumes: [
            ...disks.map(({ id }) => ({ name: id, persistentVolumeClaim: { claimName: `${name}-${id}` } })),
            ...seed.map((one) => ({ ...one, cloudInitNoCloud: { userData } })),
          ],
        },
      },
    },
  } as Machine
}

interface WishedDisk {
  readonly id: string
  readonly device: object
  readonly claim: object
}

/** In the order of booting: an empty disk first, so that the installed system comes before the CD. */
function disksFor({ name, image, diskGib, isIso, className }: Wish): readonly WishedDisk[] {
  const claim = (
    id: string,
    sizeGib: number,
    storageClassName: string | undefined,
    isFromImage: boolean,
  ) => ({
    metadata: {
      name: `${name}-${id}`,
      ...(isFromImage
        ? { annotations: { [IMAGE_ID]: `${image.metadata.namespace}/${image.metadata.name}` } }
        : {}),
    },
    spec: {
      accessModes: ['ReadWriteMany'],
      volumeMode: 'Block',
      resources: { requests: { storage: `${sizeGib}Gi` } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  })
  const virtio = { disk: { bus: 'virtio' } }
  const own = image.status?.storageClassName
  if (!isIso) return [{ id: 'rootdisk', device: virtio, claim: claim('rootdisk', diskGib, own, true) }]
  const cdGib = Math.max(1, Math.ceil(Number(image.status?.virtualSize ?? image.status?.size ?? 0) / 2 ** 30))
  return [
    { id: 'rootdisk', device: virtio, claim: claim('rootdisk', diskGib, className, false) },
    { id: 'cdrom', device: { cdrom: { bus: 'sata' } }, claim: claim('cdrom', cdGib, own, true) },
  ]
}

function annotationsFor({ keys = [], description }: Wish, disks: readonly WishedDisk[]) {
  return {
    [CLAIM_TEMPLATES]: JSON.stringify(disks.map(({ claim }) => claim)),
    ...(description ? { [DESCRIPTION]: description } : {}),
    ...(keys.length === 0 ? {} : { [SSH_NAMES]: JSON.stringify(keys.map(({ name }) => name)) }),
  }
}

/** Which KeyPairs were put in, where Harvester's users look for it. */
const SSH_NAMES = 'harvesterhci.io/sshNames'

/** A CD to install from, by its name or the label that says so. */
export function isIsoImage({ metadata, spec }: Image): boolean {
  const names = [spec.displayName, spec.url?.split(/[?#]/)[0]]
  return (
    metadata.labels?.['harvesterhci.io/image-type'] === 'iso' ||
    names.some((name) => /\.iso(\.(xz|gz|zst))?$/i.test(name ?? ''))
  )
}

/** What the user wrote goes to the guest as it is; a key alone becomes the shortest cloud-config. */
function userDataFor({ userData, sshKey, keys: chosen = [] }: Wish): string {
  if (userData.trim() !== '') return userData
  const keys = [...chosen.map(({ publicKey }) => publicKey), ...sshKey.split('\n')]
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

export function commandFor(wish: Wish): string {
  const { namespace, name, image, cpus, memoryGib, diskGib, network } = wish
  const project = `${network === undefined ? '' : ` --network ${network}`}${namespace === 'default' ? '' : ` -n ${namespace}`}`
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
