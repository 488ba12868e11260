// What a new machine starts from: an image, a CD to install from, or a template.
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { bytesText } from '../../data/measures.ts'
import { Field } from '../../parts/field.tsx'
import { Segments, type Tile, Tiles } from '../../parts/tiles.tsx'
import type { Form } from './create-form.ts'
import { isIsoImage } from './new-machine.ts'
import type { Offer } from './use-wish.ts'

export interface OriginsProps {
  readonly form: Form
  readonly set: (change: Partial<Form>) => void
  readonly offer: Offer
}

/** More are found by typing. */
const TILES_SHOWN = 8

export function Origins({ form, set, offer }: OriginsProps) {
  const { t, language } = useWords()
  const [text, setText] = useState('')
  const isTemplate = form.from === 'template'
  const images = offer.images.map((image): Tile => {
    const { metadata, spec, status } = image
    const size = bytesText(language, Number(status?.virtualSize ?? status?.size ?? 0))
    return {
      id: metadata.uid ?? '',
      title: spec.displayName ?? metadata.name ?? '',
      what: isIsoImage(image) ? t('create.iso', { size }) : `${metadata.namespace} · ${size}`,
    }
  })
  const versions = offer.versions.map(
    ({ metadata, spec, status }): Tile => ({
      id: metadata.uid ?? '',
      title: spec?.templateId?.split('/')[1] ?? metadata.name ?? '',
      what: t('create.version', { number: String(status?.version ?? '–') }),
    }),
  )
  const tiles = isTemplate ? versions : images
  const chosen = (isTemplate ? form.template : form.image) ?? tiles[0]?.id
  const fitting = tiles.filter(
    ({ id, title }) => id === chosen || title.toLowerCase().includes(text.toLowerCase()),
  )
  return (
    <>
      {offer.versions.length > 0 && (
        <div>
          <Segments
            label={t('create.from')}
            chosen={form.from}
            onChoose={(from) => set({ from: from as Form['from'] })}
            tiles={[
              { id: 'image', title: t('create.fromImage'), what: '' },
              { id: 'template', title: t('create.fromTemplate'), what: '' },
            ]}
          />
        </div>
      )}
      {tiles.length > TILES_SHOWN && (
        <Field label={t('app.filter')} type="search" value={text} onValue={setText} autoComplete="off" />
      )}
      <Tiles
        label={t('create.from')}
        chosen={chosen}
        onChoose={(id) => set(isTemplate ? { template: id } : { image: id })}
        tiles={fitting.slice(0, TILES_SHOWN)}
      />
    </>
  )
}
