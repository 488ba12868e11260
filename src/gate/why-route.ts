// The explainer over HTTP: GET /v1-croft/why/KIND/NAMESPACE/NAME (for nodes /v1-croft/why/node/NAME), language by
// `?lang=` or Accept-Language. Everything is read with the caller's own rights; what is hidden from them is said.
import { ApiError, refuse } from '../base/errors.ts'
import type { Client } from '../client/client.ts'
import type { HttpResponse } from '../host/host.ts'
import { DataVolume } from '../kinds/cdi/data-volume.ts'
import { Node } from '../kinds/core/node.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../kinds/core/pod.ts'
import { VolumeEpoch } from '../kinds/croft/volume-epoch.ts'
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import type { Kind, KindOf } from '../kinds/kind.ts'
import { StorageClass } from '../kinds/kubernetes/storage-class.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { Engine } from '../kinds/longhorn/engine.ts'
import { Node as StorageNode } from '../kinds/longhorn/node.ts'
import { Replica } from '../kinds/longhorn/replica.ts'
import { Setting as StorageSetting } from '../kinds/longhorn/setting.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { whyImage } from '../why/image.ts'
import { type MountedClaim, whyMachine } from '../why/machine.ts'
import { whyNode } from '../why/node.ts'
import { whyPod } from '../why/pod.ts'
import { whyStorageVolume } from '../why/storage-volume.ts'
import { type ClaimFacts, whyClaim } from '../why/volume.ts'
import { type Tell, text, type Why, withNotes } from '../why/why.ts'
import { languageFor } from '../words/say.ts'
import { answerJson } from './answers.ts'
import { type Ask, type GateDeps, requireKnown, userClient } from './ask.ts'

const STORAGE = 'longhorn-system'
const IMAGE_ID = 'harvesterhci.io/imageId'

export async function answerWhy(deps: GateDeps, { request, user, info }: Ask): Promise<HttpResponse> {
  if (request.method !== 'GET') throw refuse.methodNotAllowed()
  requireKnown(user)
  const [, , , kind = '', ...place] = info.path.split('/')
  const language = languageFor(info.query.get('lang') ?? request.headers['accept-language'])
  const tell: Tell = { language, now: deps.host.clock.now() }
  const eyes = new Eyes(userClient(deps, user))
  const why = await explain(eyes, tell, kind.toLowerCase(), place)
  const hidden = [...eyes.hidden].map((what) => text(tell, 'why.hidden', { what }))
  return answerJson(200, withNotes(why, hidden))
}

function explain(eyes: Eyes, tell: Tell, kind: string, place: readonly string[]): Promise<Why> {
  const [namespace = '', name = ''] = place
  const namespaced = place.length === 2
  if (namespaced && VM_WORDS.has(kind)) return explainMachine(eyes, tell, { namespace, name })
  if (namespaced && VMI_WORDS.has(kind)) return explainInstance(eyes, tell, { namespace, name })
  if (namespaced && POD_WORDS.has(kind)) return explainPod(eyes, tell, { namespace, name })
  // Longhorn's volumes live in its own namespace, where there are no claims.
  if (namespaced && namespace === STORAGE && VOLUME_WORDS.has(kind))
    return explainVolume(eyes, tell, { namespace, name })
  if (namespaced && CLAIM_WORDS.has(kind)) return explainClaim(eyes, tell, { namespace, name })
  if (namespaced && IMAGE_WORDS.has(kind)) return explainImage(eyes, tell, { namespace, name })
  if (place.length === 1 && NODE_WORDS.has(kind)) return explainNode(eyes, tell, namespace)
  throw refuse.badRequest(
    'ask for /v1-croft/why/KIND/NAMESPACE/NAME with the kind vm, vmi, pod, pvc or image, or for /v1-croft/why/node/NAME',
  )
}

const VM_WORDS = new Set(['vm', 'vms', 'virtualmachine', 'virtualmachines'])
const VMI_WORDS = new Set(['vmi', 'vmis', 'virtualmachineinstance', 'virtualmachineinstances'])
const POD_WORDS = new Set(['pod', 'pods', 'po'])
const CLAIM_WORDS = new Set([
  'pvc',
  'volume',
  'volumes',
  'persistentvolumeclaim',
  'persistentvolumeclaims',
  'dv',
])
const VOLUME_WORDS = new Set(['volume', 'volumes', 'lhv'])
const IMAGE_WORDS = new Set(['image', 'images', 'vmimage', 'virtualmachineimage', 'virtualmachineimages'])
const NODE_WORDS = new Set(['node', 'nodes', 'no'])

interface Place {
  readonly namespace: string
  readonly name: string
}

/** Reads with the caller's rights, and remembers what they may not see. */
class Eyes {
  readonly hidden = new Set<string>()
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** Throws 404 and 403: for the object that was asked for. */
  must<K extends Kind>(kind: K, { namespace, name }: Place): Promise<KindOf<K>> {
    return this.#client.get(kind, name, namespace === '' ? {} : { namespace })
  }

  /** Undefined where it is not there, or hidden. */
  get<K extends Kind>(kind: K, name: string, namespace = ''): Promise<KindOf<K> | undefined> {
    if (name === '') return Promise.resolve(undefined)
    return this.#quietly(kind, () => this.must(kind, { namespace, name }))
  }

  async list<K extends Kind>(kind: K, options: { namespace?: string; labelSelector?: string } = {}) {
    return (await this.#quietly(kind, async () => (await this.#client.list(kind, options)).items)) ?? []
  }

  async #quietly<T>(kind: Kind, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 403)) throw error
      if (error.code === 403) this.hidden.add(kind.plural)
      return undefined
    }
  }
}

async function explainMachine(eyes: Eyes, tell: Tell, place: Place): Promise<Why> {
  const vm = await eyes.must(VirtualMachine, place)
  const vmi = await eyes.get(VirtualMachineInstance, place.name, place.namespace)
  return machineOf(eyes, tell, vm, vmi)
}

async function explainInstance(eyes: Eyes, tell: Tell, place: Place): Promise<Why> {
  const vmi = await eyes.must(VirtualMachineInstance, place)
  const vm = await eyes.get(VirtualMachine, place.name, place.namespace)
  return machineOf(eyes, tell, vm, vmi)
}

async function machineOf(
  eyes: Eyes,
  tell: Tell,
  vm: VirtualMachine | undefined,
  vmi: VirtualMachineInstance | undefined,
): Promise<Why> {
  const { namespace = '' } = (vm ?? vmi)?.metadata ?? {}
  const volumes = vmi?.spec?.volumes ?? vm?.spec.template.spec?.volumes ?? []
  const names = volumes.flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
    return name ? [name] : []
  })
  const claims = (await Promise.all(names.map((name) => mounted(eyes, { namespace, name })))).flat()
  const node = await eyes.get(Node, vmi?.status?.nodeName ?? '')
  return whyMachine({ vm, vmi, claims, node }, tell)
}

/** Nothing where claims are hidden: what cannot be seen is not missing. */
async function mounted(eyes: Eyes, place: Place): Promise<readonly MountedClaim[]> {
  const claim = await eyes.get(PersistentVolumeClaim, place.name, place.namespace)
  if (claim) return [{ name: place.name, facts: await claimFacts(eyes, claim) }]
  return eyes.hidden.has(PersistentVolumeClaim.plural) ? [] : [{ name: place.name, facts: undefined }]
}

async function claimFacts(eyes: Eyes, claim: PersistentVolumeClaim): Promise<ClaimFacts> {
  const { name = '', namespace = '', annotations } = claim.metadata
  const [imageNamespace = '', imageName = ''] = (annotations?.[IMAGE_ID] ?? '').split('/')
  const volumeName = claim.spec?.volumeName ?? ''
  const volume = await eyes.get(Volume, volumeName, STORAGE)
  return {
    claim,
    volume,
    dataVolume: await eyes.get(DataVolume, name, namespace),
    classes: await eyes.list(StorageClass),
    image: await eyes.get(VirtualMachineImage, imageName, imageNamespace),
    replicas: volume
      ? (await eyes.list(Replica, { namespace: STORAGE })).filter(
          ({ spec }) => spec?.volumeName === volumeName,
        )
      : [],
    nodeCount: (await eyes.list(StorageNode, { namespace: STORAGE })).length,
  }
}

async function explainClaim(eyes: Eyes, tell: Tell, place: Place): Promise<Why> {
  const facts = await claimFacts(eyes, await eyes.must(PersistentVolumeClaim, place))
  const why = whyClaim(facts, tell)
  const { metadata, status } = facts.volume ?? {}
  const placed = status?.conditions?.find(({ type }) => type === 'Scheduled')?.status !== 'False'
  if (why.healthy || !placed || !['degraded', 'faulted'].includes(status?.robustness ?? '')) return why
  // All copies have their place and some are not well: which, and what is being done, the volume itself knows.
  const deeper = await explainVolume(eyes, tell, { namespace: STORAGE, name: metadata?.name ?? '' })
  return deeper.healthy ? why : deeper
}

async function explainVolume(eyes: Eyes, tell: Tell, place: Place): Promise<Why> {
  const volume = await eyes.must(Volume, place)
  const setting = async (name: string, fallback: number): Promise<number> => {
    const value = (await eyes.get(StorageSetting, name, STORAGE))?.value ?? ''
    return /^\d{1,9}$/.test(value) ? Number(value) : fallback
  }
  return whyStorageVolume(
    {
      volume,
      engine: await eyes.get(Engine, `${place.name}-e-0`, STORAGE),
      epoch: await eyes.get(VolumeEpoch, place.name, STORAGE),
      replicas: (await eyes.list(Replica, { namespace: STORAGE })).filter(
        ({ spec }) => spec?.volumeName === place.name,
      ),
      nodes: await eyes.list(StorageNode, { namespace: STORAGE }),
      rebuildsPerNode: await setting('concurrent-replica-rebuild-per-node-limit', 5),
      replenishWaitMs: (await setting('replica-replenishment-wait-interval', 600)) * 1000,
    },
    tell,
  )
}

async function explainImage(eyes: Eyes, tell: Tell, place: Place): Promise<Why> {
  return whyImage({ image: await eyes.must(VirtualMachineImage, place) }, tell)
}

async function explainNode(eyes: Eyes, tell: Tell, name: string): Promise<Why> {
  return whyNode({ node: await eyes.must(Node, { namespace: '', name }) }, tell)
}

async function explainPod(eyes: Eyes, tell: Tell, place: Place): Promise<Why> {
  const pod = await eyes.must(Pod, place)
  const owner = pod.metadata.ownerReferences?.find(({ kind }) => kind === 'VirtualMachineInstance')
  const vmi = await eyes.get(VirtualMachineInstance, owner?.name ?? '', place.namespace)
  const vm = vmi && (await eyes.get(VirtualMachine, owner?.name ?? '', place.namespace))
  return whyPod({ pod, machine: vmi && (await machineOf(eyes, tell, vm, vmi)) }, tell)
}
