// Images: what machines' disks are made from; added by address or from a file.
import { Plus, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { call, messageOf } from '../../data/api.ts'
import { IMAGES, type Image, pathOf } from '../../data/kinds.ts'
import { imageState, needsAttention, type Shown } from '../../data/machine-state.ts'
import { bytesText, timeText } from '../../data/measures.ts'
import { useMay } from '../../data/rights.ts'
import { useObjects } from '../../data/use-objects.ts'
import { useWhy } from '../../data/why.ts'
import { Age } from '../../parts/age.tsx'
import type { BulkAction } from '../../parts/bulk-bar.tsx'
import { Button } from '../../parts/button.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Meter } from '../../parts/meter.tsx'
import { QuickButton } from '../../parts/quick-button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { AddImage } from './add-image.tsx'

const keyOf = ({ metadata }: Image) => metadata.uid ?? ''
const BY_NAME = { column: 'name', isDown: false } as const

export function ImagesPage() {
  const { t } = useWords()
  const project = useProject()
  const may = useMay(project)
  const images = useObjects(IMAGES, { namespace: project })
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Image>()
  const columns = useColumns(setDoomed)
  const bulk = useBulk()
  const mayAdd = may({ verb: 'create', ...WHAT })
  const empty = (
    <>
      <strong>{t('images.empty')}</strong>
      {mayAdd && <p>{t('images.empty.next')}</p>}
    </>
  )
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('page.images')}</h1>
        {images.list.length > 0 && (
          <span className="muted">{t('images.count', { count: images.list.length })}</span>
        )}
        <span className="push" />
        {mayAdd && (
          <Button kind="primary" onPress={() => setAdding(true)}>
            <Plus className="icon" aria-hidden />
            {t('images.add')}
          </Button>
        )}
      </div>
      <ListView
        id="images"
        label={t('page.images')}
        columns={columns}
        rows={images.list}
        keyOf={keyOf}
        nameOf={nameOf}
        liveness={images.liveness}
        failure={images.failure}
        filterHint={t('images.filterHint')}
        defaultSort={BY_NAME}
        bulk={bulk}
        empty={empty}
      />
      <AddImage isOpen={adding} namespace={project ?? 'default'} onClose={() => setAdding(false)} />
      <DeleteImage image={doomed} onClose={() => setDoomed(undefined)} />
    </div>
  )
}

const WHAT = { group: 'harvesterhci.io', resource: 'virtualmachineimages' } as const

function removeImage({ metadata }: Image): Promise<unknown> {
  return call(pathOf(IMAGES, metadata.namespace, metadata.name), { method: 'DELETE' })
}

function useBulk(): readonly BulkAction<Image>[] {
  const { t } = useWords()
  return useMemo(
    () => [
      {
        id: 'delete',
        title: t('delete.do'),
        icon: Trash2,
        isBad: true,
        warning: t('delete.image'),
        can: ({ metadata }) => metadata.deletionTimestamp === undefined || t('state.deleting'),
        does: removeImage,
      },
    ],
    [t],
  )
}

function nameOf({ metadata, spec }: Image): string {
  return spec.displayName || (metadata.name ?? '')
}

function useColumns(onDelete: (image: Image) => void): readonly Column<Image>[] {
  const { t, language } = useWords()
  return useMemo(
    () => [
      {
        id: 'state',
        title: t('column.state'),
        cell: (image) => {
          const shown = imageState(language, image)
          return (
            <>
              <StateMark shown={shown} />
              {shown.tone === 'busy' && (
                <Meter value={(image.status?.progress ?? 0) / 100} label={shown.word} />
              )}
            </>
          )
        },
        sortKey: (image) => imageState(language, image).word,
      },
      {
        id: 'name',
        title: t('column.name'),
        cell: (image) => <strong>{nameOf(image)}</strong>,
        sortKey: nameOf,
      },
      {
        id: 'project',
        title: t('column.project'),
        priority: 3,
        cell: ({ metadata }) => <span className="muted">{metadata.namespace}</span>,
        sortKey: ({ metadata }) => metadata.namespace ?? '',
      },
      {
        id: 'source',
        title: t('column.source'),
        priority: 2,
        wraps: true,
        cell: (image) => {
          const shown = imageState(language, image)
          const { sourceType, url } = image.spec
          const known = sourceType === 'download' || sourceType === 'upload' ? sourceType : 'other'
          return needsAttention(shown) || shown.message ? (
            <WhyLine image={image} shown={shown} />
          ) : (
            <span className="muted small">{url || t(`images.source.${known}`)}</span>
          )
        },
        text: ({ spec }) => spec.url || (spec.sourceType ?? ''),
      },
      {
        id: 'size',
        title: t('column.size'),
        priority: 2,
        isNumber: true,
        cell: ({ status }) => (status?.size ? bytesText(language, Number(status.size)) : '–'),
        sortKey: ({ status }) => Number(status?.size ?? 0),
      },
      {
        id: 'disk',
        title: t('column.diskSize'),
        priority: 3,
        isNumber: true,
        cell: ({ status }) => (status?.virtualSize ? bytesText(language, Number(status.virtualSize)) : '–'),
        sortKey: ({ status }) => Number(status?.virtualSize ?? 0),
      },
      {
        id: 'age',
        title: t('column.age'),
        priority: 3,
        isNumber: true,
        cell: ({ metadata }) => <Age since={metadata.creationTimestamp} />,
        sortKey: ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
        text: ({ metadata }) => timeText(language, metadata.creationTimestamp),
      },
      {
        id: 'actions',
        title: t('column.actions'),
        isNumber: true,
        cell: (image) => (
          <QuickButton
            icon={Trash2}
            label={t('delete.do')}
            longLabel={t('action.of', { action: t('delete.do'), name: nameOf(image) })}
            onPress={() => onDelete(image)}
          />
        ),
      },
    ],
    [t, language, onDelete],
  )
}

/** Why it is not ready and what to do, as `croft why` says it; the server's own message until that is there. */
function WhyLine({ image: { metadata }, shown }: { readonly image: Image; readonly shown: Shown }) {
  const { t } = useWords()
  const { namespace = '', name = '', resourceVersion: version = '' } = metadata
  const why = useWhy({ kind: 'image', namespace, name, version })
  const cause = why && !why.healthy ? why.cause : shown.message
  return (
    <>
      <span className="refusal">{cause}</span>
      {why && why.next !== '' && (
        <>
          {' '}
          <span className="muted small">
            {t('why.next')} {why.next}
          </span>
        </>
      )}
    </>
  )
}

function DeleteImage({
  image,
  onClose,
}: {
  readonly image: Image | undefined
  readonly onClose: () => void
}) {
  const { t } = useWords()
  const [refusal, setRefusal] = useState<string>()
  const name = image ? nameOf(image) : ''
  const close = () => {
    setRefusal(undefined)
    onClose()
  }
  const remove = async () => {
    if (!image) return
    try {
      await removeImage(image)
      tell('ok', t('action.asked.delete', { name }))
      close()
    } catch (error) {
      setRefusal(messageOf(error))
    }
  }
  return (
    <Dialog title={t('delete.title', { name })} isOpen={image !== undefined} onClose={close} isGrave>
      <p>{t('delete.image')}</p>
      {refusal && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
      <div className="dialog-end">
        <Button autoFocus onPress={close}>
          {t('app.cancel')}
        </Button>
        <Button kind="danger" onPress={() => void remove()}>
          {t('delete.do')}
        </Button>
      </div>
    </Dialog>
  )
}
