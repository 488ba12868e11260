// A new volume: empty, or filled from an image, another volume or a snapshot.
import { useMemo } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { IMAGES, pathOf } from '../../data/kinds.ts'
import { isImageReady } from '../../data/machine-state.ts'
import { bytesText, quantityBytes } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Field } from '../../parts/field.tsx'
import { Tiles } from '../../parts/tiles.tsx'
import { ChoiceField } from '../kit/choice-field.tsx'
import { isUsual } from '../kit/default-class.ts'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { useMay } from '../kit/may.ts'
import { NameFields, useHomeProject } from '../kit/name-fields.tsx'
import { CLAIMS, CLASSES } from '../kit/places.ts'
import { useServed } from '../kit/served.ts'
import { type Form, useForm } from '../kit/use-form.ts'
import { SNAPSHOTS } from '../snapshots/snapshot-kind.ts'
import { claimFor, type Source, type VolumeWish } from './new-volume.ts'
import { gibFor, sizeOf, sizeText } from './volume-facts.ts'

export interface CreateVolumeProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** What it is filled from, already chosen. */
  readonly from?: Pick<VolumeWish, 'namespace' | 'source' | 'from' | 'storageClass' | 'size'> | undefined
}

export function CreateVolume({ isOpen, onClose, from }: CreateVolumeProps) {
  const { t } = useWords()
  const title = from?.source === 'clone' ? t('volumes.cloneOf', { name: from.from }) : t('volumes.create')
  return (
    <FormDialog title={title} isOpen={isOpen} onClose={onClose}>
      <CreateForm onClose={onClose} from={from} />
    </FormDialog>
  )
}

const MODES = ['Block', 'Filesystem'] as const
const ACCESS = ['ReadWriteMany', 'ReadWriteOnce', 'ReadOnlyMany'] as const

function CreateForm({ onClose, from }: Omit<CreateVolumeProps, 'isOpen'>) {
  const { t } = useWords()
  const home = useHomeProject()
  const images = useObjects(IMAGES)
  const ready = useMemo(() => images.list.filter(isImageReady), [images.list])
  const imageOf = (id: string) =>
    ready.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === id)
  const form = useForm<VolumeWish>({
    initial: {
      name: '',
      namespace: home,
      source: 'empty',
      size: '10',
      storageClass: '',
      mode: 'Block',
      access: 'ReadWriteMany',
      image: '',
      from: '',
      ...from,
    },
    paths: {
      name: /^metadata\.name/,
      size: /resources/,
      storageClass: /storageClassName/,
      image: /annotations/,
      from: /dataSource/,
      access: /accessModes/,
      mode: /volumeMode/,
    },
    check: ({ name, size, source, image, from: origin }) => ({
      name: name === '' ? t('create.required') : undefined,
      size: sizeText(size) === undefined ? t('kit.number') : undefined,
      image: source === 'image' && image === '' ? t('create.required') : undefined,
      from: (source === 'clone' || source === 'snapshot') && origin === '' ? t('create.required') : undefined,
    }),
    send: async (wish) => {
      const body = claimFor(wish, imageOf(wish.image))
      await call(pathOf(CLAIMS, wish.namespace), { method: 'POST', body })
      tell('ok', t('kit.made', { name: wish.name }))
      onClose()
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={t('volumes.create')} onClose={onClose}>
      <NameFields
        name={values.name}
        namespace={values.namespace}
        refusal={at('name')}
        onName={(name) => set({ name })}
        onNamespace={(namespace) => set({ namespace })}
      />
      {!from && <SourceTiles form={form} />}
      {values.source === 'image' && (
        <ChoiceField
          label={t('volumes.image')}
          value={values.image}
          refusal={at('image')}
          options={[
            { id: '', text: '–' },
            ...ready.map(({ metadata, spec }) => ({
              id: `${metadata.namespace}/${metadata.name}`,
              text: spec.displayName || (metadata.name ?? ''),
            })),
          ]}
          onValue={(image) => {
            const bytes = Number(imageOf(image)?.status?.virtualSize ?? 0)
            set({ image, ...(bytes > 0 ? { size: String(Math.max(gibFor(bytes), 10)) } : {}) })
          }}
        />
      )}
      {values.source === 'clone' && !from && <VolumeChoice form={form} />}
      {values.source === 'snapshot' && !from && <SnapshotChoice form={form} />}
      <div className="pair">
        <Field
          label={t('volumes.size')}
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          value={values.size}
          onValue={(size) => set({ size })}
          refusal={at('size')}
        />
        {values.source !== 'image' && <ClassChoice form={form} />}
      </div>
      <details>
        <summary>{t('create.more')}</summary>
        <div className="stack more-fields">
          <ChoiceField
            label={t('volumes.access')}
            value={values.access}
            options={ACCESS.map((id) => ({ id, text: t(`volumes.access.${id}`) }))}
            refusal={at('access')}
            onValue={(access) => set({ access })}
          />
          <ChoiceField
            label={t('volumes.mode')}
            value={values.mode}
            options={MODES.map((id) => ({ id, text: t(`volumes.mode.${id}`) }))}
            refusal={at('mode')}
            onValue={(mode) => set({ mode })}
          />
        </div>
      </details>
    </FormBody>
  )
}

interface PartProps {
  readonly form: Form<VolumeWish>
}

function SourceTiles({ form: { values, set } }: PartProps) {
  const { t } = useWords()
  const snapshots = useServed(SNAPSHOTS)
  const sources: readonly Source[] = snapshots ? ['empty', 'image', 'clone', 'snapshot'] : ['empty', 'image']
  return (
    <Tiles
      label={t('volumes.source')}
      chosen={values.source}
      onChoose={(source) => set({ source: source as Source, from: '', image: '' })}
      tiles={sources.map((id) => ({
        id,
        title: t(`volumes.source.${id}`),
        what: t(`volumes.source.${id}.what`),
      }))}
    />
  )
}

function ClassChoice({ form: { values, set, at } }: PartProps) {
  const { t } = useWords()
  const may = useMay({ verb: 'list', place: CLASSES })
  const { list } = useObjects(CLASSES, { skip: may !== true })
  // Classes of images fill what they make; they are chosen by their image.
  const plain = list.filter(({ parameters }) => !parameters?.['backingImage'])
  const usual = plain.find(isUsual)
  return (
    <ChoiceField
      label={t('volumes.class')}
      value={values.storageClass}
      refusal={at('storageClass')}
      options={[
        {
          id: '',
          text: usual ? t('volumes.class.usual', { name: usual.metadata.name ?? '' }) : t('kit.none'),
        },
        ...plain
          .filter((one) => one !== usual)
          .map(({ metadata: { name = '' } }) => ({ id: name, text: name })),
        ...(values.storageClass !== '' && !plain.some(({ metadata }) => metadata.name === values.storageClass)
          ? [{ id: values.storageClass, text: values.storageClass }]
          : []),
      ]}
      onValue={(storageClass) => set({ storageClass })}
    />
  )
}

function VolumeChoice({ form: { values, set, at } }: PartProps) {
  const { t, language } = useWords()
  const { list } = useObjects(CLAIMS, { namespace: values.namespace })
  return (
    <ChoiceField
      label={t('volumes.volume')}
      value={values.from}
      refusal={at('from')}
      options={[
        { id: '', text: '–' },
        ...list.map((claim) => ({
          id: claim.metadata.name ?? '',
          text: `${claim.metadata.name} · ${bytesText(language, sizeOf(claim))}`,
        })),
      ]}
      onValue={(from) => {
        const source = list.find(({ metadata }) => metadata.name === from)
        set({
          from,
          ...(source
            ? { size: String(gibFor(sizeOf(source))), storageClass: source.spec?.storageClassName ?? '' }
            : {}),
        })
      }}
    />
  )
}

function SnapshotChoice({ form: { values, set, at } }: PartProps) {
  const { t } = useWords()
  const { list } = useObjects(SNAPSHOTS, { namespace: values.namespace })
  const claims = useObjects(CLAIMS, { namespace: values.namespace })
  return (
    <ChoiceField
      label={t('volumes.snapshot')}
      value={values.from}
      refusal={at('from')}
      options={[
        { id: '', text: '–' },
        ...list
          .filter(({ status }) => status?.readyToUse)
          .map(({ metadata: { name = '' }, spec }) => ({
            id: name,
            text: `${name} · ${spec?.source?.persistentVolumeClaimName ?? ''}`,
          })),
      ]}
      onValue={(from) => {
        const snapshot = list.find(({ metadata }) => metadata.name === from)
        const bytes = quantityBytes(snapshot?.status?.restoreSize)
        const origin = claims.list.find(
          ({ metadata }) => metadata.name === snapshot?.spec?.source?.persistentVolumeClaimName,
        )
        set({
          from,
          ...(bytes > 0 ? { size: String(gibFor(bytes)) } : {}),
          ...(origin ? { storageClass: origin.spec?.storageClassName ?? '' } : {}),
        })
      }}
    />
  )
}
