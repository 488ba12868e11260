// What can be done to many machines at once.
import { Play, RotateCcw, Square, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useWords } from '../../app/words.ts'
import { type Action, act, canDo, claimsOf, deleteMachine } from '../../data/machine-actions.ts'
import type { BulkAction } from '../../parts/bulk-bar.tsx'
import type { MachineRow } from './machine-rows.ts'

const ICONS = { start: Play, stop: Square, restart: RotateCcw } as const

export function useBulkActions(): readonly BulkAction<MachineRow>[] {
  const { t } = useWords()
  return useMemo(() => {
    const plain = (['start', 'stop', 'restart'] as const).map(
      (id): BulkAction<MachineRow> => ({
        id,
        title: t(`action.${id}`),
        icon: ICONS[id],
        can: ({ machine, instance, shown }) => canDo(id satisfies Action, machine, instance) || shown.word,
        does: ({ namespace, name }) => act(id, namespace, name),
      }),
    )
    return [
      ...plain,
      {
        id: 'delete',
        title: t('delete.do'),
        icon: Trash2,
        isBad: true,
        warning: t('delete.machines'),
        can: ({ machine, shown }) => machine.metadata.deletionTimestamp === undefined || shown.word,
        does: ({ machine }) => deleteMachine(machine, claimsOf(machine)),
      },
    ]
  }, [t])
}
