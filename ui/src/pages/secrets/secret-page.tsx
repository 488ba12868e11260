// One Secret or ConfigMap: its values, hidden until asked for where they are secret, and who uses it.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { MACHINES } from '../../data/kinds.ts'
import { bytesText, timeText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { Card, Facts, SmallTable } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectPage } from '../kit/object-page.tsx'
import { CONFIGS, type ConfigMap, type KindPlace, SECRETS, type Secret } from '../kit/places.ts'
import { machinesWithConfig, machinesWithSecret } from '../kit/users-of.ts'
import { type Holds, ValueForm } from './value-form.tsx'
import { sizeOfBase64, textOf } from './values.ts'

type Holder = Secret | ConfigMap

export function SecretPage() {
  const { namespace, name } = useParams({ from: '/secrets/$namespace/$name' })
  return <Page holds="secret" place={SECRETS as KindPlace<Holder>} namespace={namespace} name={name} />
}

export function ConfigPage() {
  const { namespace, name } = useParams({ from: '/configs/$namespace/$name' })
  return <Page holds="config" place={CONFIGS as KindPlace<Holder>} namespace={namespace} name={name} />
}

interface PageProps {
  readonly holds: Holds
  readonly place: KindPlace<Holder>
  readonly namespace: string
  readonly name: string
}

function Page({ holds, place, namespace, name }: PageProps) {
  const { t, language } = useWords()
  const objects = useObjects(place, { namespace, name })
  const machines = useObjects(MACHINES, { namespace })
  const users =
    holds === 'secret'
      ? machinesWithSecret(machines.list, namespace, name)
      : machinesWithConfig(machines.list, namespace, name)
  return (
    <ObjectPage
      place={place}
      objects={objects}
      name={name}
      about={namespace}
      back={
        <Link to="/secrets" search={holds === 'config' ? { kind: 'config' } : {}}>
          {t('kit.backToList')}
        </Link>
      }
      actions={(object) => <Actions holds={holds} place={place} object={object} users={users} />}
      overview={(object) => (
        <div className="stack">
          <Facts
            title={t(holds === 'secret' ? 'secrets.secrets' : 'secrets.configs')}
            facts={[
              ...(holds === 'secret' ? ([[t('secrets.type'), (object as Secret).type ?? '–']] as const) : []),
              [t('secrets.usedBy'), users.join(', ') || '–'],
              [t('machine.created'), timeText(language, object.metadata.creationTimestamp)],
            ]}
          />
          <Values holds={holds} object={object} />
        </div>
      )}
    />
  )
}

function Values({ holds, object }: { readonly holds: Holds; readonly object: Holder }) {
  const { t } = useWords()
  return (
    <Card title={t('secrets.values')}>
      <SmallTable
        label={t('secrets.values')}
        titles={[t('secrets.key'), t('secrets.value')]}
        empty={t('secrets.noValues')}
        rows={Object.entries(object.data ?? {}).map(([key, value]) => ({
          key,
          cells: [
            <span key="key" className="mono">
              {key}
            </span>,
            holds === 'secret' ? (
              <Hidden key="value" name={key} base64={String(value)} />
            ) : (
              <code key="value" className="secret-text">
                {String(value)}
              </code>
            ),
          ],
        }))}
      />
    </Card>
  )
}

function Hidden({ name, base64 }: { readonly name: string; readonly base64: string }) {
  const { t, language } = useWords()
  const [open, setOpen] = useState(false)
  const text = textOf(base64)
  if (text === undefined)
    return (
      <span className="muted">
        {t('secrets.value.binary', { size: bytesText(language, sizeOfBase64(base64)) })}
      </span>
    )
  const action = t(open ? 'secrets.hide' : 'secrets.show')
  return (
    <>
      {open && <code className="secret-text">{text}</code>}
      <span className="btns">
        <Button
          label={t('secrets.valueOf', { action, key: name })}
          isPressed={open}
          onPress={() => setOpen(!open)}
        >
          {action}
        </Button>
        {open && <CopyButton text={text} of={name} />}
      </span>
    </>
  )
}

interface ActionsProps {
  readonly holds: Holds
  readonly place: KindPlace<Holder>
  readonly object: Holder
  readonly users: readonly string[]
}

function Actions({ holds, place, object, users }: ActionsProps) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { namespace, name } = object.metadata
  const mayChange = useMay({ verb: 'patch', place, namespace, name })
  const [open, setOpen] = useState<'edit' | 'delete'>()
  return (
    <>
      {mayChange && <Button onPress={() => setOpen('edit')}>{t('kit.edit')}</Button>}
      <DeleteButton place={place} object={object} onPress={() => setOpen('delete')} />
      <ValueForm holds={holds} isOpen={open === 'edit'} old={object} onClose={() => setOpen(undefined)} />
      <DeleteDialog
        place={place}
        object={open === 'delete' ? object : undefined}
        note={t('secrets.delete')}
        users={users}
        onClose={() => setOpen(undefined)}
        onDeleted={() =>
          void navigate({ to: '/secrets', search: holds === 'config' ? { kind: 'config' } : {} })
        }
      />
    </>
  )
}
