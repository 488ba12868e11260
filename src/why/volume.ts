// Why a claim gives no disk, or one that is in danger: the claim, what fills it, and the volume with its copies.
// A claim that says Bound is believed only as far as its volume says the same.
import { formatQuantity, quantityOf } from '../base/quantity.ts'
import type { DataVolume } from '../kinds/cdi/data-volume.ts'
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import type { StorageClass } from '../kinds/kubernetes/storage-class.ts'
import type { Replica } from '../kinds/longhorn/replica.ts'
import type { Volume } from '../kinds/longhorn/volume.ts'
import { whyImage } from './image.ts'
import { type About, fine, saying, type Tell, text, type Why, waits, wrong } from './why.ts'

export interface ClaimFacts {
  readonly claim: PersistentVolumeClaim
  /** The DataVolume of the same name. */
  readonly dataVolume: DataVolume | undefined
  readonly classes: readonly StorageClass[]
  /** The Longhorn volume; undefined where it may not be read. */
  readonly volume: Volume | undefined
  readonly replicas: readonly Replica[]
  /** The image it is made from, where it names one. */
  readonly image: VirtualMachineImage | undefined
  /** Nodes on which a copy can lie. */
  readonly nodeCount: number
}

export function whyClaim(facts: ClaimFacts, tell: Tell): Why {
  const { name = '', namespace = '' } = facts.claim.metadata
  const about = { kind: 'PersistentVolumeClaim', namespace, name }
  return whyUnfilled(facts, tell, about) ?? whyUnbound(facts, tell, about) ?? whyVolume(facts, tell, about)
}

function whyUnfilled({ dataVolume, image }: ClaimFacts, tell: Tell, about: About): Why | undefined {
  if (image) {
    const why = whyImage({ image }, tell)
    if (!why.healthy) return why
  }
  const { phase = '', progress = '', conditions } = dataVolume?.status ?? {}
  if (!dataVolume || phase === 'Succeeded') return undefined
  const running = saying(conditions, 'Running', 'False')
  if (phase === 'Failed' || (running && ['Error', 'ImagePullFailed'].includes(running.reason ?? '')))
    return wrong(
      about,
      text(tell, 'why.vm.importFailed', { claim: about.name, reason: running?.message || phase }),
      text(tell, 'why.image.failed.next'),
    )
  if (phase === 'WaitForFirstConsumer' || phase === 'PendingPopulation')
    return waits(tell, about, text(tell, 'why.volume.waitsForMachine'))
  const percent = Number.parseFloat(progress) || 0
  return waits(tell, about, text(tell, 'why.vm.importRunning', { claim: about.name, percent }))
}

function whyUnbound({ claim, classes }: ClaimFacts, tell: Tell, about: About): Why | undefined {
  const phase = claim.status?.phase ?? 'Pending'
  if (phase === 'Bound') return undefined
  if (phase === 'Lost')
    return wrong(about, text(tell, 'why.volume.faulted'), text(tell, 'why.volume.faulted.next'))
  const wanted = claim.spec?.storageClassName ?? ''
  const storageClass = classes.find(({ metadata }) => metadata.name === wanted)
  if (wanted !== '' && classes.length > 0 && !storageClass)
    return wrong(
      about,
      text(tell, 'why.volume.noClass', { storageClass: wanted }),
      text(tell, 'why.volume.noClass.next', {
        classes: classes.map(({ metadata }) => metadata.name ?? '').join(', '),
      }),
    )
  if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer')
    return waits(tell, about, text(tell, 'why.volume.waitsForMachine'))
  return waits(tell, about, text(tell, 'why.vm.volumeNotBound', { claim: about.name }))
}

function whyVolume(facts: ClaimFacts, tell: Tell, about: About): Why {
  const { volume, replicas } = facts
  if (!volume) return fine(tell, about)
  const { state, robustness, conditions, currentNodeID } = volume.status ?? {}
  if (robustness === 'faulted')
    return wrong(about, text(tell, 'why.volume.faulted'), text(tell, 'why.volume.faulted.next'))
  const unplaced = saying(conditions, 'Scheduled', 'False')
  const want = Number(volume.spec?.numberOfReplicas ?? 1)
  const have = replicas.filter(isUsable).length
  if (unplaced && have === 0) return noRoom(volume, unplaced.message ?? '', tell, about)
  if (state === 'attaching')
    return waits(
      tell,
      about,
      text(tell, 'why.vm.volumeNotAttached', {
        claim: about.name,
        node: currentNodeID || volume.spec?.nodeID || '?',
      }),
    )
  if (robustness === 'degraded' || unplaced || (replicas.length > 0 && have < want))
    return wrong(
      about,
      text(tell, 'why.volume.fewCopies', { have, want, nodes: facts.nodeCount }),
      text(tell, 'why.volume.noRoom.next'),
      text(tell, 'why.volume.fewCopies.effect'),
    )
  return fine(tell, about)
}

function noRoom(volume: Volume, message: string, tell: Tell, about: About): Why {
  const bytes = BigInt(volume.spec?.size ?? 0)
  return wrong(
    about,
    text(tell, 'why.volume.noRoom', { size: formatQuantity(quantityOf(bytes, 'BinarySI')), disks: message }),
    text(tell, 'why.volume.noRoom.next'),
  )
}

function isUsable({ spec }: Replica): boolean {
  return (spec?.nodeID ?? '') !== '' && (spec?.failedAt ?? '') === ''
}
