// The columns of the list of machines.
import { useMemo } from 'react'
import type { Language } from '../../../../src/words/say.ts'
import { type Say, useWords } from '../../app/words.ts'
import { needsAttention } from '../../data/machine-state.ts'
import { bytesText, cpusOf, memoryOf, timeText } from '../../data/measures.ts'
import { Age } from '../../parts/age.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { RowLink } from '../../parts/row-link.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { RowActions } from './machine-buttons.tsx'
import type { MachineRow } from './machine-rows.ts'

export function useMachineColumns(): readonly Column<MachineRow>[] {
  const { t, language } = useWords()
  // None of the cells keeps anything that belongs to its row alone.
  return useMemo(() => columnsIn(t, language).map((column) => ({ ...column, isReused: true })), [t, language])
}

function columnsIn(t: Say, language: Language): readonly Column<MachineRow>[] {
  return [
    {
      id: 'state',
      title: t('column.state'),
      cell: ({ shown }) => <StateMark shown={shown} />,
      sortKey: ({ shown }) => shown.word,
    },
    {
      id: 'name',
      title: t('column.name'),
      cell: ({ namespace, name }) => (
        <RowLink to={`/machines/${namespace}/${name}`}>
          <strong>{name}</strong>
        </RowLink>
      ),
      sortKey: ({ name }) => name,
    },
    {
      id: 'project',
      title: t('column.project'),
      priority: 3,
      cell: ({ namespace }) => <span className="muted">{namespace}</span>,
      sortKey: ({ namespace }) => namespace,
    },
    {
      id: 'host',
      title: t('column.host'),
      priority: 3,
      cell: ({ host }) => host || '–',
      sortKey: ({ host }) => host,
    },
    {
      id: 'address',
      title: t('column.address'),
      priority: 2,
      cell: ({ address }) => <span className="mono">{address || '–'}</span>,
      sortKey: ({ address }) => address,
    },
    {
      id: 'cpu',
      title: t('column.cpu'),
      priority: 2,
      isNumber: true,
      cell: ({ machine }) => cpusOf(machine),
      sortKey: ({ machine }) => cpusOf(machine),
    },
    {
      id: 'memory',
      title: t('column.memory'),
      priority: 2,
      isNumber: true,
      cell: ({ machine }) => bytesText(language, memoryOf(machine)),
      sortKey: ({ machine }) => memoryOf(machine),
      text: ({ machine }) => bytesText(language, memoryOf(machine)),
    },
    {
      id: 'runs',
      title: t('machine.runs'),
      isExtra: true,
      cell: ({ machine }) => machine.spec.runStrategy ?? '',
      sortKey: ({ machine }) => machine.spec.runStrategy ?? '',
    },
    {
      id: 'age',
      title: t('column.age'),
      priority: 3,
      isNumber: true,
      cell: ({ machine }) => <Age since={machine.metadata.creationTimestamp} />,
      // Youngest first when it goes up, as ages do.
      sortKey: ({ machine }) => -Date.parse(machine.metadata.creationTimestamp ?? ''),
      text: ({ machine }) => timeText(language, machine.metadata.creationTimestamp),
    },
    {
      id: 'actions',
      title: t('column.actions'),
      isNumber: true,
      isLate: true,
      cell: ({ machine, instance }) => <RowActions machine={machine} instance={instance} />,
    },
    // Only for filters.
    {
      id: 'attention',
      title: '',
      isExtra: true,
      cell: () => null,
      text: ({ shown }) => (needsAttention(shown) ? 'yes' : 'no'),
    },
  ]
}
