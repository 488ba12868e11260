// Images: what machines' disks are made from; added by address or from a file.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { call, messageOf } from '../../data/api.ts'
import { IMAGES, type Image, pathOf } from '../../data/kinds.ts'
import { imageState } from '../../data/machine-state.ts'
import { bytesText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FilterField } from '../../parts/filter-field.tsx'
import { LiveMark } from '../../parts/live-mark.tsx'
import { Meter } from '../../parts/meter.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { AddImage } from './add-image.tsx'

export function ImagesPage() {
  const { t, language } = useWords()
  const navigate = useNavigate()
  const project = useProject()
  const { q = '' } = useSearch({ from: '/images' })
  const images = useObjects(IMAGES, { namespace: project })
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Image>()
  const columns = useColumns(setDoomed)
  const shown = useMemo(
    () =>
      images.list
        .filter((image) =>
          `${nameOf(image)} ${imageState(language, image).word}`.toLowerCase().includes(q.toLowerCase()),
        )
        .sort((a, b) => nameOf(a).localeCompare(nameOf(b))),
    [images.list, q, language],
  )
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('page.images')}</h1>
        {images.list.length > 0 && (
          <span className="muted">{t('images.count', { count: images.list.length })}</span>
        )}
        <span className="push" />
        <Button kind="primary" onPress={() => setAdding(true)}>
          <Plus className="icon" aria-hidden />
          {t('images.add')}
        </Button>
      </div>
      <div className="card stretch">
        <header>
          <FilterField
            value={q}
            hint={t('images.filterHint')}
            onValue={(value) =>
              void navigate({
                to: '/images',
                search: (old) => ({ ...old, q: value === '' ? undefined : value }) as never,
                replace: true,
              })
            }
          />
          <span className="push" />
          <LiveMark liveness={images.liveness} />
        </header>
        {images.failure && images.liveness === 'failed' && <Refusal failure={images.failure} />}
        {shown.length > 0 && (
          <DataTable
            label={t('page.images')}
            columns={columns}
            rows={shown}
            keyOf={({ metadata }) => metadata.uid ?? ''}
          />
        )}
        {shown.length === 0 && images.liveness === 'live' && (
          <div className="empty">
            <strong>{q === '' ? t('images.empty') : t('app.noMatch', { filter: q })}</strong>
            {q === '' && <p>{t('images.empty.next')}</p>}
          </div>
        )}
      </div>
      <AddImage isOpen={adding} namespace={project ?? 'default'} onClose={() => setAdding(false)} />
      <DeleteImage image={doomed} onClose={() => setDoomed(undefined)} />
    </div>
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
      },
      { id: 'name', title: t('column.name'), cell: (image) => <strong>{nameOf(image)}</strong> },
      {
        id: 'project',
        title: t('column.project'),
        priority: 3,
        cell: ({ metadata }) => <span className="muted">{metadata.namespace}</span>,
      },
      {
        id: 'source',
        title: t('column.source'),
        priority: 2,
        wraps: true,
        cell: (image) => {
          const { message } = imageState(language, image)
          const { sourceType, url } = image.spec
          const known = sourceType === 'download' || sourceType === 'upload' ? sourceType : 'other'
          return message ? (
            <span className="refusal">{message}</span>
          ) : (
            <span className="muted small">{url || t(`images.source.${known}`)}</span>
          )
        },
      },
      {
        id: 'size',
        title: t('column.size'),
        priority: 2,
        isNumber: true,
        cell: ({ status }) => (status?.size ? bytesText(language, Number(status.size)) : '–'),
      },
      {
        id: 'disk',
        title: t('column.diskSize'),
        priority: 3,
        isNumber: true,
        cell: ({ status }) => (status?.virtualSize ? bytesText(language, Number(status.virtualSize)) : '–'),
      },
      {
        id: 'age',
        title: t('column.age'),
        priority: 3,
        isNumber: true,
        cell: ({ metadata }) => <Age since={metadata.creationTimestamp} />,
      },
      {
        id: 'actions',
        title: t('column.actions'),
        isNumber: true,
        cell: (image) => (
          <Button
            square
            kind="quiet"
            label={t('delete.do')}
            longLabel={t('action.of', { action: t('delete.do'), name: nameOf(image) })}
            onPress={() => onDelete(image)}
          >
            <Trash2 className="icon" aria-hidden />
          </Button>
        ),
      },
    ],
    [t, language, onDelete],
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
      await call(pathOf(IMAGES, image.metadata.namespace, image.metadata.name), { method: 'DELETE' })
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
