// Changing a machine in place: description, size, when it starts. Only what was changed is sent; user data and all else
// stay as they are.
import { type FormEvent, useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { ApiFailure, messageOf } from '../../data/api.ts'
import { type Conflict, save } from '../../data/changes.ts'
import { MACHINES, type Machine } from '../../data/kinds.ts'
import { cpusOf, memoryOf } from '../../data/measures.ts'
import { Button } from '../../parts/button.tsx'
import { Conflicts } from '../../parts/conflicts.tsx'
import { Field } from '../../parts/field.tsx'
import { ChoiceField } from '../kit/choice-field.tsx'
import { DESCRIPTION, type Edit, edited, STRATEGIES } from './machine-edit.ts'

export interface EditMachineProps {
  readonly machine: Machine
  readonly isRunning: boolean
  readonly onEnd: () => void
}

const GIB = 2 ** 30

function editOf(machine: Machine): Edit {
  return {
    description: machine.metadata.annotations?.[DESCRIPTION] ?? '',
    cpus: String(cpusOf(machine)),
    memoryGib: String(Math.round((memoryOf(machine) / GIB) * 1000) / 1000),
    runStrategy: machine.spec.runStrategy ?? (machine.spec.running ? 'Always' : 'Halted'),
  }
}

export function EditMachine({ machine, isRunning, onEnd }: EditMachineProps) {
  const { t } = useWords()
  /** As it was when the form was filled: what others change since then is seen. */
  const [seen, setSeen] = useState(machine)
  const [edit, setEdit] = useState(() => editOf(machine))
  const [refusal, setRefusal] = useState<ApiFailure>()
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])
  const [busy, setBusy] = useState(false)
  const set = (change: Partial<Edit>) => setEdit((old) => ({ ...old, ...change }))
  const wanted = edited(seen, editOf(seen), edit)
  const at = (part: RegExp) => refusal?.causes.find(({ field }) => part.test(field))?.message
  const send = async (force: boolean) => {
    setBusy(true)
    setRefusal(undefined)
    try {
      const result = await save(MACHINES, seen, wanted, force)
      if (result.is === 'conflict') setConflicts(result.conflicts)
      else {
        tell('ok', t('edit.saved', { name: machine.metadata.name ?? '' }))
        onEnd()
      }
    } catch (error) {
      setRefusal(error instanceof ApiFailure ? error : new ApiFailure(0, '', messageOf(error)))
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(false)
  }
  const isSizeChanged = edit.cpus !== editOf(seen).cpus || edit.memoryGib !== editOf(seen).memoryGib
  return (
    <form className="stack in" noValidate onSubmit={submit}>
      <Field
        label={t('edit.description')}
        value={edit.description}
        onValue={(description) => set({ description })}
        autoFocus
      />
      <div className="pair">
        <Field
          label={t('create.cpus')}
          inputMode="numeric"
          value={edit.cpus}
          onValue={(cpus) => set({ cpus })}
          refusal={at(/\.cpu\b/)}
        />
        <Field
          label={t('create.memory')}
          inputMode="decimal"
          value={edit.memoryGib}
          onValue={(memoryGib) => set({ memoryGib })}
          refusal={at(/\.memory\b/)}
        />
      </div>
      <ChoiceField
        label={t('machine.runs')}
        value={edit.runStrategy}
        options={STRATEGIES.map((id) => ({ id, text: t(`machine.runs.${id}`) }))}
        onValue={(runStrategy) => set({ runStrategy })}
      />
      {isRunning && isSizeChanged && <p className="tag">{t('edit.needsRestart')}</p>}
      {conflicts.length > 0 && (
        <Conflicts
          conflicts={conflicts}
          onMine={() => void send(true)}
          onTheirs={() => {
            setSeen(machine)
            setEdit(editOf(machine))
            setConflicts([])
          }}
        />
      )}
      {refusal && !at(/\.(cpu|memory)\b/) && (
        <p className="refusal" role="alert">
          {refusal.message}
        </p>
      )}
      <div className="dialog-end">
        <Button onPress={onEnd}>{t('app.cancel')}</Button>
        <Button type="submit" kind="primary" isPending={busy}>
          {t('edit.save')}
        </Button>
      </div>
    </form>
  )
}
