// Why an image cannot be used.
import { imageState } from '../kinds/harvester/image-state.ts'
import type { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import { fine, saying, type Tell, text, type Why, waits, wrong } from './why.ts'

export interface ImageFacts {
  readonly image: VirtualMachineImage
}

export function whyImage({ image }: ImageFacts, tell: Tell): Why {
  const { name = '', namespace = '' } = image.metadata
  const about = { kind: 'VirtualMachineImage', namespace, name }
  const { conditions, progress = 0, failed = 0 } = image.status ?? {}
  const state = imageState(image)
  if (state.state === 'ready') return fine(tell, about)
  if (saying(conditions, 'RetryLimitExceeded', 'True')) {
    const reason = saying(conditions, 'Imported', 'False')?.message ?? ''
    const tried = text(tell, 'why.image.retryLimit', { count: Number(failed) })
    const cause = reason === '' ? tried : `${text(tell, 'why.image.failed', { reason })} ${tried}`
    return wrong(about, cause, text(tell, 'why.image.retryLimit.next'))
  }
  if (state.state === 'failed')
    return wrong(
      about,
      text(tell, 'why.image.failed', { reason: state.message }),
      text(tell, 'why.image.failed.next'),
    )
  const percent = Number(progress)
  if (image.spec?.sourceType === 'upload' && percent === 0)
    return wrong(
      about,
      text(tell, 'why.image.waitsForUpload'),
      text(tell, 'why.image.waitsForUpload.next', { name }),
    )
  return waits(tell, about, text(tell, 'why.image.importing', { percent }))
}
