// What can be done to a machine: as buttons of a row or of a page, and the dialog before it is deleted.
import { useNavigate, useRouter } from '@tanstack/react-router'
import {
  CopyPlus,
  Ellipsis,
  Pause,
  Play,
  Power,
  RotateCcw,
  RotateCw,
  SquareTerminal,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { messageOf } from '../../data/api.ts'
import type { Instance, Machine } from '../../data/kinds.ts'
import { type Action, act, canDo, claimsOf, deleteMachine } from '../../data/machine-actions.ts'
import { machineState } from '../../data/machine-state.ts'
import { useMay, type Wanted } from '../../data/rights.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { QuickButton } from '../../parts/quick-button.tsx'
import { NewFrom } from './kept-forms.tsx'

export interface MachineProps {
  readonly machine: Machine
  readonly instance: Instance | undefined
}

type Other = 'delete' | 'console' | 'clone'

const ICONS = {
  start: Play,
  stop: Power,
  restart: RotateCw,
  pause: Pause,
  unpause: Play,
  softreboot: RotateCcw,
} as const satisfies Record<Action, unknown>

const SUBRESOURCES = 'subresources.kubevirt.io'
const on = (resource: string) => ({ verb: 'update', group: SUBRESOURCES, resource })
/** What the API asks for before it does them. */
const RIGHTS: Readonly<Record<Action | Other, Wanted>> = {
  start: on('virtualmachines/start'),
  stop: on('virtualmachines/stop'),
  restart: on('virtualmachines/restart'),
  pause: on('virtualmachineinstances/pause'),
  unpause: on('virtualmachineinstances/unpause'),
  softreboot: on('virtualmachineinstances/softreboot'),
  console: { verb: 'get', group: SUBRESOURCES, resource: 'virtualmachineinstances/console' },
  clone: { verb: 'create', group: 'snapshot.kubevirt.io', resource: 'virtualmachinerestores' },
  delete: { verb: 'delete', group: 'kubevirt.io', resource: 'virtualmachines' },
}

const IN_MENU: readonly Action[] = ['restart', 'pause', 'unpause', 'softreboot']

function useAct({ metadata }: Machine) {
  const { t } = useWords()
  const { namespace = '', name = '' } = metadata
  return (action: Action) => {
    act(action, namespace, name).then(
      () => tell('ok', t(`action.asked.${action}`, { name })),
      (error: unknown) =>
        tell('bad', t('action.failed', { action: t(`action.${action}`), name, message: messageOf(error) })),
    )
  }
}

/** Why an action cannot be done, in words; undefined where it can. */
function useWhyNot({ machine, instance }: MachineProps) {
  const { t, language } = useWords()
  const { namespace, name } = machine.metadata
  const may = useMay(namespace)
  return (action: Action | Other): string | undefined => {
    if (!may({ ...RIGHTS[action], ...(name === undefined ? {} : { name }) })) return t('rights.missing')
    if (action === 'delete' || action === 'clone')
      return machine.metadata.deletionTimestamp ? t('state.deleting') : undefined
    if (action === 'console') return instance?.status?.phase === 'Running' ? undefined : t('console.off')
    return canDo(action, machine, instance) ? undefined : machineState(language, machine).word
  }
}

export function RowActions({ machine, instance }: MachineProps) {
  const { t } = useWords()
  const router = useRouter()
  const { namespace = '', name = '' } = machine.metadata
  const doIt = useAct(machine)
  const whyNot = useWhyNot({ machine, instance })
  // The row may show another machine before the dialog is closed.
  const [deleting, setDeleting] = useState<Machine>()
  const [cloning, setCloning] = useState<Machine>()
  const main: Action = canDo('start', machine, instance) ? 'start' : 'stop'
  return (
    <span className="btns row-actions">
      <QuickButton
        icon={SquareTerminal}
        label={t('action.console')}
        longLabel={t('action.of', { action: t('action.console'), name })}
        whyNot={whyNot('console')}
        onPress={() =>
          void router.navigate({ to: '/machines/$namespace/$name/console', params: { namespace, name } })
        }
      />
      <QuickButton
        icon={ICONS[main]}
        label={t(`action.${main}`)}
        longLabel={t('action.of', { action: t(`action.${main}`), name })}
        whyNot={whyNot(main)}
        onPress={() => doIt(main)}
      />
      <MachineMenu
        machine={machine}
        instance={instance}
        whyNot={whyNot}
        onAct={doIt}
        onClone={() => setCloning(machine)}
        onDelete={() => setDeleting(machine)}
        isQuick
      />
      {deleting && <DeleteMachine machine={deleting} onClose={() => setDeleting(undefined)} />}
      {cloning && <CloneMachine machine={cloning} onClose={() => setCloning(undefined)} />}
    </span>
  )
}

export function PageActions({ machine, instance }: MachineProps) {
  const { t } = useWords()
  const doIt = useAct(machine)
  const navigate = useNavigate()
  const whyNot = useWhyNot({ machine, instance })
  const [deleting, setDeleting] = useState(false)
  const [cloning, setCloning] = useState(false)
  const offered = (['start', 'restart', 'stop'] as const).filter((action) => canDo(action, machine, instance))
  return (
    <span className="btns push">
      {offered.map((action) => {
        const Icon = ICONS[action]
        return (
          <span key={action} title={whyNot(action)}>
            <Button isDisabled={whyNot(action) !== undefined} onPress={() => doIt(action)}>
              <Icon className="icon" aria-hidden />
              {t(`action.${action}`)}
            </Button>
          </span>
        )
      })}
      <MachineMenu
        machine={machine}
        instance={instance}
        whyNot={whyNot}
        onAct={doIt}
        onClone={() => setCloning(true)}
        onDelete={() => setDeleting(true)}
      />
      {deleting && (
        <DeleteMachine
          machine={machine}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate({ to: '/machines' })}
        />
      )}
      {cloning && <CloneMachine machine={machine} onClose={() => setCloning(false)} />}
    </span>
  )
}

interface MenuProps extends MachineProps {
  readonly whyNot: (action: Action | Other) => string | undefined
  readonly onAct: (action: Action) => void
  readonly onClone: () => void
  readonly onDelete: () => void
  readonly isQuick?: boolean
}

function MachineMenu({ machine, instance, whyNot, onAct, onClone, onDelete, isQuick }: MenuProps) {
  const { t } = useWords()
  const choice = (id: Action | 'delete') => {
    const note = whyNot(id)
    return { id, text: t(`action.${id}`), isDisabled: note !== undefined, note }
  }
  const choices = [
    ...IN_MENU.filter((action) => canDo(action, machine, instance)).map((action) => ({
      ...choice(action),
      icon: ICONS[action],
    })),
    {
      id: 'clone',
      text: t('kept.cloneMenu'),
      icon: CopyPlus,
      isDisabled: whyNot('clone') !== undefined,
      note: whyNot('clone'),
    },
    { ...choice('delete'), icon: Trash2, isBad: true },
  ]
  return (
    <MenuButton
      quiet
      isQuick={isQuick ?? false}
      icon={Ellipsis}
      label={t('action.of', { action: t('column.actions'), name: machine.metadata.name ?? '' })}
      choices={choices}
      onChoose={(id) => {
        if (id === 'delete') onDelete()
        else if (id === 'clone') onClone()
        else onAct(id as Action)
      }}
    />
  )
}

function CloneMachine({ machine, onClose }: { readonly machine: Machine; readonly onClose: () => void }) {
  return <NewFrom from={{ name: machine.metadata.name ?? '', machine }} onClose={onClose} />
}

interface DeleteProps {
  readonly machine: Machine
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

function DeleteMachine({ machine, onClose, onDeleted }: DeleteProps) {
  const { t } = useWords()
  const { name = '' } = machine.metadata
  const claims = claimsOf(machine)
  const [withDisks, setWithDisks] = useState(true)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const remove = async () => {
    setBusy(true)
    setRefusal(undefined)
    try {
      await deleteMachine(machine, withDisks ? claims : [])
      tell('ok', t('action.asked.delete', { name }))
      onClose()
      onDeleted?.()
    } catch (error) {
      setRefusal(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={t('delete.title', { name })} isOpen onClose={onClose} isGrave>
      <p>{t('delete.machine')}</p>
      {claims.length > 0 && (
        <label className="check-line">
          <input
            type="checkbox"
            checked={withDisks}
            onChange={(event) => setWithDisks(event.target.checked)}
          />
          <span>
            {t('delete.disks')} <span className="muted">({claims.join(', ')})</span>
            <br />
            <span className="muted small">{t('delete.disksKept')}</span>
          </span>
        </label>
      )}
      {refusal && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
      <div className="dialog-end">
        <Button autoFocus onPress={onClose}>
          {t('app.cancel')}
        </Button>
        <Button kind="danger" isPending={busy} onPress={() => void remove()}>
          {t('delete.do')}
        </Button>
      </div>
    </Dialog>
  )
}
