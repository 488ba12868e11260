// Takes a snapshot of a volume.
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameField } from '../kit/name-fields.tsx'
import type { Claim } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import { SNAPSHOTS } from './snapshot-kind.ts'

interface TakeProps {
  readonly claim: Claim | undefined
  readonly onClose: () => void
}

export function TakeSnapshot({ claim, onClose }: TakeProps) {
  const { t } = useWords()
  const name = claim?.metadata.name ?? ''
  return (
    <FormDialog title={t('volumes.snapOf', { name })} isOpen={claim !== undefined} onClose={onClose}>
      {claim && <TakeForm claim={claim} onClose={onClose} />}
    </FormDialog>
  )
}

function TakeForm({ claim, onClose }: { readonly claim: Claim; readonly onClose: () => void }) {
  const { t } = useWords()
  const { namespace = '', name: volume = '' } = claim.metadata
  const form = useForm<{ readonly name: string }>({
    initial: { name: `${volume}-${dayText(new Date())}`.slice(0, 63) },
    paths: { name: /^metadata\.name/ },
    check: ({ name }) => ({ name: name === '' ? t('create.required') : undefined }),
    send: async ({ name }) => {
      await call(pathOf(SNAPSHOTS, namespace), {
        method: 'POST',
        body: {
          apiVersion: 'snapshot.storage.k8s.io/v1',
          kind: 'VolumeSnapshot',
          metadata: { name, namespace },
          spec: { source: { persistentVolumeClaimName: volume } },
        },
      })
      tell('ok', t('volumes.snapped', { name }))
      onClose()
    },
  })
  return (
    <FormBody form={form} doIt={t('volumes.snap')} onClose={onClose}>
      <NameField value={form.values.name} refusal={form.at('name')} onValue={(name) => form.set({ name })} />
    </FormBody>
  )
}

/** `20260102-0304`: sorts, and fits into a name. */
function dayText(date: Date): string {
  return date
    .toISOString()
    .replace(/[-:]/g, '')
    .replace(/^(\d{8})T(\d{4}).*$/, '$1-$2')
}
