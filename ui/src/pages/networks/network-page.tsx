// One network that is written down.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { MACHINES } from '../../data/kinds.ts'
import { timeText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { Card, Facts } from '../kit/facts.tsx'
import { ObjectPage } from '../kit/object-page.tsx'
import { NETWORKS, type Network } from '../kit/places.ts'
import { machinesOn, wiringOf } from './network-facts.ts'

export function NetworkPage() {
  const { t, language } = useWords()
  const { namespace, name } = useParams({ from: '/networks/$namespace/$name' })
  const networks = useObjects(NETWORKS, { namespace, name })
  const machines = useObjects(MACHINES, { namespace })
  return (
    <ObjectPage
      place={NETWORKS}
      objects={networks}
      name={name}
      about={namespace}
      back={<Link to="/networks">{t('kit.backToList')}</Link>}
      why={() => <p className="note">{t('networks.notYet')}</p>}
      actions={(one) => <Actions network={one} users={machinesOn(one, machines.list)} />}
      overview={(one) => {
        const { type, bridge, vlan } = wiringOf(one)
        return (
          <div className="columns">
            <Facts
              title={t('networks.facts')}
              facts={[
                [t('networks.type'), type],
                [t('networks.bridge'), bridge],
                [t('networks.vlan'), vlan || '–'],
                [t('networks.users'), machinesOn(one, machines.list).join(', ')],
                [t('machine.created'), timeText(language, one.metadata.creationTimestamp)],
              ]}
            />
            <Card title={t('networks.config')}>
              <code className="in secret-text">{one.spec?.config}</code>
            </Card>
          </div>
        )
      }}
    />
  )
}

function Actions({ network, users }: { readonly network: Network; readonly users: readonly string[] }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  return (
    <>
      <DeleteButton place={NETWORKS} object={network} onPress={() => setDeleting(true)} />
      <DeleteDialog
        place={NETWORKS}
        object={deleting ? network : undefined}
        note={t('networks.delete')}
        users={users}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: '/networks' })}
      />
    </>
  )
}
