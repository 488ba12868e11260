// Creating a machine: an image, a name, a size. What will happen is asked from the server while the form is filled in.
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { printYaml } from '../../../../src/kinds/yaml.ts'
import { useWords } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { ProjectField } from '../kit/name-fields.tsx'
import { EMPTY, type Form, refusalsOf } from './create-form.ts'
import { CreateMore } from './create-more.tsx'
import { Plan } from './create-plan.tsx'
import { Sizes } from './create-sizes.tsx'
import { CreateYaml } from './create-yaml.tsx'
import { Origins } from './origins.tsx'
import { useCreate } from './use-create.ts'
import { useOffer, useVerdict, useWish } from './use-wish.ts'
import '../kit/kit.css'

export function CreatePage() {
  const { t } = useWords()
  const offer = useOffer()
  const [form, setForm] = useState(EMPTY)
  const set = (change: Partial<Form>) => setForm((old) => ({ ...old, ...change }))
  const { namespace, wish, machine } = useWish(form, offer)
  const yaml = useMemo(() => (machine ? printYaml(machine(true)) : ''), [machine])
  const asked = useMemo(
    () => (machine && form.name !== '' ? JSON.stringify(machine(true)) : ''),
    [machine, form.name],
  )
  const [text, setText] = useState<string>()
  const verdict = useVerdict(namespace, text === undefined ? asked : '')
  const [tried, setTried] = useState(false)
  const { busy, failure, create } = useCreate(namespace)
  const submit = (start: boolean) => {
    setTried(true)
    if (machine && form.name !== '') void create(machine(start), start)
  }
  const refusals = refusalsOf(failure ?? (verdict.is === 'refused' ? verdict.failure : undefined))
  const nameRefusal = tried && form.name === '' ? t('create.required') : refusals.name
  const isNothing = offer.images.length === 0 && offer.versions.length === 0
  if (isNothing && text === undefined) return <NothingYet isLoading={offer.isLoading} />
  if (text !== undefined) return <CreateYaml text={text} onText={setText} />
  return (
    <div className="page">
      <h1>{t('create.title')}</h1>
      <div className="create">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            submit(true)
          }}
          onKeyDown={(event) => event.key === 'Enter' && event.ctrlKey && submit(true)}
        >
          <Origins form={form} set={set} offer={offer} />
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
          {form.from === 'image' && <Sizes form={form} set={set} refusal={refusals.size} />}
          {form.from === 'image' && (
            <CreateMore form={form} set={set} keys={offer.keys} refusal={refusals.userData} />
          )}
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
            <Button isPending={busy} onPress={() => submit(false)}>
              {t('create.only')}
            </Button>
          </div>
        </form>
        <Plan wish={wish} verdict={verdict} yaml={yaml} onEditYaml={() => setText(yaml)} />
      </div>
    </div>
  )
}

function NothingYet({ isLoading }: { readonly isLoading: boolean }) {
  const { t } = useWords()
  return (
    <div className="page">
      <h1>{t('create.title')}</h1>
      {!isLoading && (
        <div className="card empty">
          <strong>{t('create.noImages')}</strong>
          <Link to="/images" className="btn">
            {t('create.noImages.next')}
          </Link>
        </div>
      )}
    </div>
  )
}
