// Makes a volume larger; the server says how large it may become.
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { bytesText } from '../../data/measures.ts'
import { Field } from '../../parts/field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { CLAIMS, type Claim } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import { gibFor, sizeOf, sizeText } from './volume-facts.ts'

interface ExpandProps {
  readonly claim: Claim | undefined
  readonly onClose: () => void
}

export function ExpandVolume({ claim, onClose }: ExpandProps) {
  const { t } = useWords()
  return (
    <FormDialog
      title={t('volumes.expandOf', { name: claim?.metadata.name ?? '' })}
      isOpen={claim !== undefined}
      onClose={onClose}
    >
      {claim && <ExpandForm claim={claim} onClose={onClose} />}
    </FormDialog>
  )
}

function ExpandForm({ claim, onClose }: { readonly claim: Claim; readonly onClose: () => void }) {
  const { t, language } = useWords()
  const { namespace, name = '' } = claim.metadata
  const form = useForm<{ readonly size: string }>({
    initial: { size: String(gibFor(sizeOf(claim))) },
    paths: { size: /resources|^spec$/ },
    check: ({ size }) => ({ size: sizeText(size) === undefined ? t('kit.number') : undefined }),
    send: async ({ size }) => {
      await call(pathOf(CLAIMS, namespace, name), {
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        body: { spec: { resources: { requests: { storage: sizeText(size) } } } },
      })
      tell('ok', t('volumes.expanded', { name }))
      onClose()
    },
  })
  return (
    <FormBody form={form} doIt={t('volumes.expand')} onClose={onClose}>
      <Field
        label={t('volumes.size')}
        hint={t('volumes.sizeWas', { size: bytesText(language, sizeOf(claim)) })}
        type="number"
        min="0"
        step="any"
        inputMode="decimal"
        autoFocus
        value={form.values.size}
        onValue={(size) => form.set({ size })}
        refusal={form.at('size')}
      />
    </FormBody>
  )
}
