// What is asked before a machine is kept, put back to what it was, or made anew from what was kept or from another one.
import type { ReactNode } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import type { KeptMachine, Machine } from '../../data/kinds.ts'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameField } from '../kit/name-fields.tsx'
import { useForm } from '../kit/use-form.ts'
import { bringBack, clone, keep, keptName } from './kept.ts'

interface TakeProps {
  readonly machine: Machine | undefined
  readonly onClose: () => void
}

export function TakeKept({ machine, onClose }: TakeProps) {
  const { t } = useWords()
  const of = machine?.metadata.name ?? ''
  return (
    <FormDialog title={t('kept.takeOf', { name: of })} isOpen={machine !== undefined} onClose={onClose}>
      {machine && (
        <Named
          initial={keptName(of, new Date())}
          doIt={t('kept.take')}
          onClose={onClose}
          send={async (name) => {
            await keep(machine, name)
            tell('ok', t('kept.taken', { name }))
          }}
        >
          {t('kept.what')}
        </Named>
      )}
    </FormDialog>
  )
}

interface BackProps {
  readonly kept: KeptMachine | undefined
  readonly machine: string
  readonly onClose: () => void
}

export function BringBack({ kept, machine, onClose }: BackProps) {
  const { t } = useWords()
  const name = kept?.metadata.name ?? ''
  return (
    <FormDialog title={t('kept.backTitle', { machine, name })} isOpen={kept !== undefined} onClose={onClose}>
      {kept && <BackForm kept={kept} machine={machine} onClose={onClose} />}
    </FormDialog>
  )
}

function BackForm({ kept, machine, onClose }: BackProps & { readonly kept: KeptMachine }) {
  const { t } = useWords()
  const form = useForm<object>({
    initial: {},
    paths: {},
    send: async () => {
      await bringBack(kept, machine)
      tell('ok', t('kept.backAsked', { machine, name: kept.metadata.name ?? '' }))
      onClose()
    },
  })
  return (
    <FormBody form={form} doIt={t('kept.back')} onClose={onClose} isDanger>
      <p>{t('kept.backWhat')}</p>
    </FormBody>
  )
}

interface NewProps {
  /** From what was kept, or from a machine as it is. */
  readonly from:
    | { readonly name: string; readonly kept?: KeptMachine; readonly machine?: Machine }
    | undefined
  readonly onClose: () => void
}

export function NewFrom({ from, onClose }: NewProps) {
  const { t } = useWords()
  const title = from?.machine ? 'kept.cloneTitle' : 'kept.newTitle'
  return (
    <FormDialog title={t(title, { name: from?.name ?? '' })} isOpen={from !== undefined} onClose={onClose}>
      {from && (
        <Named
          initial=""
          doIt={from.machine ? t('kept.clone') : t('kept.newDo')}
          onClose={onClose}
          send={async (name) => {
            if (from.machine) await clone(from.machine, name)
            else if (from.kept) await bringBack(from.kept, name)
            tell('ok', t('kept.newAsked', { name }))
          }}
        >
          {from.machine ? t('kept.cloneWhat') : t('kept.newWhat')}
        </Named>
      )}
    </FormDialog>
  )
}

interface NamedProps {
  readonly initial: string
  readonly doIt: string
  readonly onClose: () => void
  readonly send: (name: string) => Promise<void>
  readonly children: ReactNode
}

function Named({ initial, doIt, onClose, send, children }: NamedProps) {
  const { t } = useWords()
  const form = useForm<{ readonly name: string }>({
    initial: { name: initial },
    paths: { name: /^(metadata\.name|spec\.target)/ },
    check: ({ name }) => ({ name: name === '' ? t('create.required') : undefined }),
    send: async ({ name }) => {
      await send(name)
      onClose()
    },
  })
  return (
    <FormBody form={form} doIt={doIt} onClose={onClose}>
      <p>{children}</p>
      <NameField value={form.values.name} refusal={form.at('name')} onValue={(name) => form.set({ name })} />
    </FormBody>
  )
}
