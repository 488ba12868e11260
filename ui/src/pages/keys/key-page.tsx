// One public SSH key.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { timeText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { Card, Facts } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectPage } from '../kit/object-page.tsx'
import { KEYS, type KeyPair } from '../kit/places.ts'
import { KeyForm } from './key-form.tsx'
import { useKeyUsers } from './use-key-users.ts'

export function KeyPage() {
  const { t, language } = useWords()
  const { namespace, name } = useParams({ from: '/keys/$namespace/$name' })
  const keys = useObjects(KEYS, { namespace, name })
  const usersOf = useKeyUsers(namespace)
  return (
    <ObjectPage
      place={KEYS}
      objects={keys}
      name={name}
      about={namespace}
      back={<Link to="/keys">{t('kit.backToList')}</Link>}
      actions={(key) => <Actions pair={key} users={usersOf(key)} />}
      overview={(key) => (
        <div className="stack">
          <Facts
            title={t('keys.facts')}
            facts={[
              [
                t('keys.fingerprint'),
                <span key="print" className="mono">
                  {key.status?.fingerPrint ?? '–'}
                </span>,
              ],
              [t('keys.users'), usersOf(key).join(', ') || t('keys.unused')],
              [t('machine.created'), timeText(language, key.metadata.creationTimestamp)],
            ]}
          />
          <Card
            title={t('keys.public')}
            end={<CopyButton text={key.spec?.publicKey ?? ''} of={t('keys.public')} />}
          >
            <code className="in secret-text">{key.spec?.publicKey}</code>
          </Card>
        </div>
      )}
    />
  )
}

function Actions({ pair, users }: { readonly pair: KeyPair; readonly users: readonly string[] }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { namespace, name } = pair.metadata
  const mayChange = useMay({ verb: 'patch', place: KEYS, namespace, name })
  const [open, setOpen] = useState<'edit' | 'delete'>()
  return (
    <>
      {mayChange && <Button onPress={() => setOpen('edit')}>{t('kit.edit')}</Button>}
      <DeleteButton place={KEYS} object={pair} onPress={() => setOpen('delete')} />
      <KeyForm isOpen={open === 'edit'} old={pair} onClose={() => setOpen(undefined)} />
      <DeleteDialog
        place={KEYS}
        object={open === 'delete' ? pair : undefined}
        note={t('keys.delete')}
        users={users}
        onClose={() => setOpen(undefined)}
        onDeleted={() => void navigate({ to: '/keys' })}
      />
    </>
  )
}
