// Adding an image: the server fetches it from an address, or this browser sends a file.
import { type FormEvent, useId, useState } from 'react'
import { tell } from '../../app/messages.ts'
import { startTask } from '../../app/tasks.ts'
import { useWords } from '../../app/words.ts'
import { ApiFailure, call, messageOf } from '../../data/api.ts'
import { IMAGES, type Image, pathOf } from '../../data/kinds.ts'
import { bytesText } from '../../data/measures.ts'
import { uploadImage } from '../../data/upload.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Segments } from '../../parts/tiles.tsx'

interface AddProps {
  readonly isOpen: boolean
  readonly namespace: string
  readonly onClose: () => void
}

export function AddImage({ isOpen, namespace, onClose }: AddProps) {
  const { t } = useWords()
  return (
    <Dialog title={t('images.title')} isOpen={isOpen} onClose={onClose}>
      <AddForm namespace={namespace} onClose={onClose} />
    </Dialog>
  )
}

type Source = 'download' | 'upload'

function AddForm({ namespace, onClose }: Omit<AddProps, 'isOpen'>) {
  const { t } = useWords()
  const [source, setSource] = useState<Source>('download')
  const [url, setUrl] = useState('')
  const [file, setFile] = useState<File>()
  const [name, setName] = useState<string>()
  const [checksum, setChecksum] = useState('')
  const [refusal, setRefusal] = useState<ApiFailure>()
  const [fileRefusal, setFileRefusal] = useState<string>()
  const [busy, setBusy] = useState(false)
  const guessed = nameFrom(source === 'upload' ? (file?.name ?? '') : url)
  const send = useUpload()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (source === 'upload' && !file) {
      setFileRefusal(t('images.fileMissing'))
      return
    }
    setBusy(true)
    setRefusal(undefined)
    try {
      const image = await call<Image>(pathOf(IMAGES, namespace), {
        method: 'POST',
        body: {
          apiVersion: 'harvesterhci.io/v1beta1',
          kind: 'VirtualMachineImage',
          metadata: { generateName: 'image-', namespace },
          spec: {
            displayName: name ?? guessed,
            sourceType: source,
            ...(source === 'download' ? { url } : {}),
            ...(checksum === '' ? {} : { checksum }),
          },
        },
      })
      if (source === 'upload' && file) void send(image, file)
      else tell('ok', t('images.added', { name: image.spec.displayName ?? '' }))
      onClose()
    } catch (error) {
      setRefusal(error instanceof ApiFailure ? error : new ApiFailure(0, '', messageOf(error)))
    } finally {
      setBusy(false)
    }
  }
  const at = (field: string) => refusal?.causes.find((cause) => cause.field === `spec.${field}`)?.message
  const elsewhere =
    refusal && !at('url') && !at('displayName') && !at('checksum') ? refusal.message : undefined

  return (
    <form className="stack" noValidate onSubmit={(event) => void submit(event)}>
      <div>
        <Segments
          label={t('images.source')}
          chosen={source}
          onChoose={(id) => setSource(id as Source)}
          tiles={[
            { id: 'download', title: t('images.byUrl'), what: '' },
            { id: 'upload', title: t('images.byFile'), what: '' },
          ]}
        />
      </div>
      {source === 'download' ? (
        <Field
          label={t('images.url')}
          hint={t('images.url.what')}
          type="url"
          value={url}
          onValue={setUrl}
          refusal={at('url')}
          required
          autoComplete="off"
        />
      ) : (
        <FileField
          refusal={fileRefusal}
          onFile={(chosen) => {
            setFile(chosen)
            setFileRefusal(undefined)
          }}
        />
      )}
      <Field
        label={t('images.name')}
        value={name ?? guessed}
        onValue={setName}
        refusal={at('displayName')}
        required
        autoComplete="off"
      />
      <Field
        label={t('images.checksum')}
        value={checksum}
        onValue={setChecksum}
        refusal={at('checksum')}
        autoComplete="off"
        spellCheck={false}
      />
      {elsewhere && (
        <p className="refusal" role="alert">
          {elsewhere}
        </p>
      )}
      <div className="dialog-end">
        <Button onPress={onClose}>{t('app.cancel')}</Button>
        <Button type="submit" kind="primary" isPending={busy}>
          {t('images.do')}
        </Button>
      </div>
    </form>
  )
}

function FileField({
  refusal,
  onFile,
}: {
  readonly refusal: string | undefined
  readonly onFile: (file?: File) => void
}) {
  const { t } = useWords()
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{t('images.file')}</label>
      <input
        id={id}
        type="file"
        className="input"
        required
        aria-invalid={refusal !== undefined}
        aria-describedby={`${id}-note`}
        onChange={(event) => onFile(event.target.files?.[0])}
      />
      <span id={`${id}-note`} className={refusal ? 'refusal' : 'hint'}>
        {refusal ?? t('images.keepOpen')}
      </span>
    </div>
  )
}

/** The last part of an address or path, without its endings. */
function nameFrom(path: string): string {
  const last = path.split(/[?#]/)[0]?.split('/').at(-1) ?? ''
  return last.replace(/(\.(qcow2|img|raw|iso|vmdk|xz|gz|zst))+$/i, '')
}

/** A task at the foot of every page: it can be stopped, and tried again with the same file. */
function useUpload() {
  const { t, language } = useWords()
  const send = async ({ metadata, spec }: Image, file: File): Promise<void> => {
    const name = spec.displayName ?? ''
    const stop = new AbortController()
    const task = startTask({
      title: t('images.uploading', { name }),
      cancel: () => stop.abort(),
      link: '/images',
    })
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    try {
      await uploadImage({
        namespace: metadata.namespace ?? '',
        name: metadata.name ?? '',
        file,
        onProgress: (sent) =>
          task.tell({
            progress: file.size === 0 ? 1 : sent / file.size,
            detail: `${bytesText(language, sent)} / ${bytesText(language, file.size)}`,
          }),
        signal: stop.signal,
      })
      const done = t('images.uploaded', { name })
      task.end('done', done)
      tell('ok', done)
    } catch (error) {
      const again = () => void send({ metadata, spec } as Image, file)
      if (stop.signal.aborted) task.end('stopped', t('images.uploadStopped'), again)
      else {
        const message = t('images.uploadFailed', { name, message: messageOf(error) })
        task.end('failed', message, again)
        tell('bad', message)
      }
    } finally {
      removeEventListener('beforeunload', warn)
    }
  }
  return send
}
