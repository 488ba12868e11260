// Creating a machine: an image, a name, a size. What will happen is asked from the server while the form is filled in.
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { tell } from '../../app/messages.ts'
import { isSystemNamespace, useProject } from '../../app/project.ts'
import { type Say, useWords } from '../../app/words.ts'
import { ApiFailure, call } from '../../data/api.ts'
import { IMAGES, MACHINES, NAMESPACES, pathOf } from '../../data/kinds.ts'
import { isImageReady } from '../../data/machine-state.ts'
import { bytesText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { Area, Field } from '../../parts/field.tsx'
import { Tiles } from '../../parts/tiles.tsx'
import { Plan, type Verdict } from './create-plan.tsx'
import { fieldOf, machineFor, type Wish } from './new-machine.ts'

const SIZES = {
  small: { cpus: 1, memoryGib: 1, diskGib: 10 },
  medium: { cpus: 2, memoryGib: 4, diskGib: 20 },
  large: { cpus: 4, memoryGib: 16, diskGib: 40 },
} as const
type Size = keyof typeof SIZES | 'own'

interface Form {
  readonly image: string | undefined
  readonly name: string
  readonly namespace: string | undefined
  readonly size: Size
  readonly cpus: string
  readonly memoryGib: string
  readonly diskGib: string
  readonly sshKey: string
  readonly userData: string
}

const EMPTY: Form = {
  image: undefined,
  name: '',
  namespace: undefined,
  size: 'small',
  cpus: '2',
  memoryGib: '2',
  diskGib: '10',
  sshKey: '',
  userData: '',
}

export function CreatePage() {
  const { t, language } = useWords()
  const navigate = useNavigate()
  const project = useProject()
  const images = useObjects(IMAGES)
  const ready = useMemo(
    () =>
      images.list
        .filter(isImageReady)
        .sort((a, b) => (a.spec.displayName ?? '').localeCompare(b.spec.displayName ?? '')),
    [images.list],
  )
  const [form, setForm] = useState(EMPTY)
  const set = (change: Partial<Form>) => setForm((old) => ({ ...old, ...change }))
  const namespace = form.namespace ?? project ?? 'default'
  const image = ready.find(({ metadata }) => metadata.uid === form.image) ?? ready[0]
  const wish = useMemo(
    (): Wish | undefined => image && { ...form, namespace, image, ...numbersOf(form), start: true },
    [form, namespace, image],
  )
  const verdict = useVerdict(wish)
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()

  const create = async (start: boolean) => {
    setTried(true)
    if (!wish || wish.name === '' || busy) return
    setBusy(true)
    setFailure(undefined)
    try {
      await call(pathOf(MACHINES, namespace), { method: 'POST', body: machineFor({ ...wish, start }) })
      if (start) tell('ok', t('action.asked.start', { name: wish.name }))
      await navigate({ to: '/machines/$namespace/$name', params: { namespace, name: wish.name } })
    } catch (error) {
      setFailure(error instanceof ApiFailure ? error : new ApiFailure(0, '', String(error)))
    } finally {
      setBusy(false)
    }
  }
  const refusals = refusalsOf(failure ?? (verdict.is === 'refused' ? verdict.failure : undefined))
  const nameRefusal = tried && form.name === '' ? t('create.required') : refusals.name

  if (ready.length === 0 && images.liveness !== 'loading')
    return (
      <div className="page">
        <h1>{t('create.title')}</h1>
        <div className="card empty">
          <strong>{t('create.noImages')}</strong>
          <Link to="/images" className="btn">
            {t('create.noImages.next')}
          </Link>
        </div>
      </div>
    )
  return (
    <div className="page">
      <h1>{t('create.title')}</h1>
      <div className="create">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            void create(true)
          }}
          onKeyDown={(event) => event.key === 'Enter' && event.ctrlKey && void create(true)}
        >
          <Tiles
            label={t('create.from')}
            chosen={image?.metadata.uid}
            onChoose={(id) => set({ image: id })}
            tiles={ready.map(({ metadata, spec, status }) => ({
              id: metadata.uid ?? '',
              title: spec.displayName ?? metadata.name ?? '',
              what: `${metadata.namespace} · ${bytesText(language, Number(status?.virtualSize ?? status?.size ?? 0))}`,
            }))}
          />
          <div className="pair">
            <Field
              label={t('create.name')}
              hint={t('create.nameRule')}
              value={form.name}
              onValue={(name) => set({ name })}
              refusal={nameRefusal}
              required
              autoFocus
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <ProjectField value={namespace} onValue={(value) => set({ namespace: value })} />
          </div>
          <Sizes t={t} form={form} set={set} refusal={refusals.size} />
          <details className="card">
            <summary>
              <strong>{t('create.more')}</strong> <span className="muted">{t('create.more.what')}</span>
            </summary>
            <div className="in">
              <Field
                label={t('create.sshKey')}
                hint={t('create.sshKey.what')}
                value={form.sshKey}
                onValue={(sshKey) => set({ sshKey })}
                autoComplete="off"
                spellCheck={false}
              />
              <Area
                label={t('create.userData')}
                hint={t('create.userData.what')}
                value={form.userData}
                onValue={(userData) => set({ userData })}
                refusal={refusals.userData}
              />
            </div>
          </details>
          {failure && (
            <div className="note bad" role="alert">
              {failure.message}
            </div>
          )}
          <div className="form-end">
            <Button type="submit" kind="primary" isPending={busy}>
              {t('create.andStart')}
              <kbd aria-hidden>Ctrl ⏎</kbd>
            </Button>
            <Button isPending={busy} onPress={() => void create(false)}>
              {t('create.only')}
            </Button>
          </div>
        </form>
        {wish && <Plan wish={wish} verdict={verdict} />}
      </div>
    </div>
  )
}

function numbersOf({ size, cpus, memoryGib, diskGib }: Form) {
  if (size !== 'own') return SIZES[size]
  return { cpus: Number(cpus), memoryGib: Number(memoryGib), diskGib: Number(diskGib) }
}

function refusalsOf(
  failure: ApiFailure | undefined,
): Readonly<Record<'name' | 'size' | 'userData', string | undefined>> {
  const of = (field: string) =>
    failure?.causes
      .filter((cause) => fieldOf(cause.field) === field)
      .map(({ message }) => message)
      .join('; ') || undefined
  const taken = failure?.reason === 'AlreadyExists' ? failure.message : undefined
  return { name: of('name') ?? taken, size: of('size'), userData: of('userData') }
}

/** Keys come faster than the server should be asked. */
const ASK_AFTER_MS = 350

/** What the server would say to the machine, by a dry run. */
function useVerdict(wish: Wish | undefined): Verdict {
  const [verdict, setVerdict] = useState<Verdict>({ is: 'waits' })
  const asked = useRef(0)
  useEffect(() => {
    const own = ++asked.current
    if (!wish || wish.name === '') {
      setVerdict({ is: 'waits' })
      return
    }
    setVerdict({ is: 'asks' })
    const timer = setTimeout(() => {
      const path = `${pathOf(MACHINES, wish.namespace)}?dryRun=All&fieldValidation=Strict`
      call(path, { method: 'POST', body: machineFor(wish) }).then(
        () => own === asked.current && setVerdict({ is: 'fits' }),
        (error: unknown) =>
          own === asked.current &&
          setVerdict({
            is: 'refused',
            failure: error instanceof ApiFailure ? error : new ApiFailure(0, '', String(error)),
          }),
      )
    }, ASK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [wish])
  return verdict
}

function ProjectField({
  value,
  onValue,
}: {
  readonly value: string
  readonly onValue: (value: string) => void
}) {
  const { t } = useWords()
  const { list } = useObjects(NAMESPACES)
  const names = list
    .map(({ metadata }) => metadata.name ?? '')
    .filter((name) => name === value || !isSystemNamespace(name))
  return (
    <div className="field">
      <label htmlFor="create-project">{t('create.project')}</label>
      <select
        id="create-project"
        className="input"
        value={value}
        onChange={(event) => onValue(event.target.value)}
      >
        {(names.includes(value) ? names : [value, ...names]).sort().map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  )
}

interface SizesProps {
  readonly t: Say
  readonly form: Form
  readonly set: (change: Partial<Form>) => void
  readonly refusal: string | undefined
}

function Sizes({ t, form, set, refusal }: SizesProps) {
  const tiles = (Object.keys(SIZES) as (keyof typeof SIZES)[]).map((id) => {
    const { cpus, memoryGib, diskGib } = SIZES[id]
    return {
      id,
      title: t(`create.size.${id}`),
      what: t('create.size.what', { cpus, memory: `${memoryGib} GiB`, disk: `${diskGib} GiB` }),
    }
  })
  const own = { id: 'own', title: t('create.size.own'), what: t('create.size.ownWhat') }
  const number = (key: 'cpus' | 'memoryGib' | 'diskGib', label: string, step: string) => (
    <Field
      label={label}
      type="number"
      min={step}
      step={step}
      inputMode="decimal"
      value={form[key]}
      onValue={(value) => set({ [key]: value })}
    />
  )
  return (
    <>
      <Tiles
        label={t('create.size')}
        chosen={form.size}
        onChoose={(size) => set({ size: size as Size })}
        tiles={[...tiles, own]}
      />
      {form.size === 'own' && (
        <div className="pair">
          {number('cpus', t('create.cpus'), '1')}
          {number('memoryGib', t('create.memory'), '0.25')}
          {number('diskGib', t('create.disk'), '1')}
        </div>
      )}
      {refusal && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
    </>
  )
}
