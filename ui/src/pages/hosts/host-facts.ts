// What the pages of hosts say about a host, and the one thing they change.
import { useCallback } from 'react'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { HOSTS, type Host, pathOf } from '../../data/kinds.ts'
import type { Shown } from '../../data/machine-state.ts'

/** The label by which the agent tells what runs its guests. */
const ACCELERATOR = 'croft.io/accelerator'

export function useVirtualisation(): (host: Host) => Shown {
  const { t } = useWords()
  return useCallback(
    ({ metadata }) => {
      const accelerator = metadata.labels?.[ACCELERATOR]
      if (accelerator === undefined) return { tone: 'off', word: t('hosts.unknown') }
      if (accelerator === 'tcg') return { tone: 'warn', word: t('hosts.emulation') }
      return { tone: 'ok', word: t('hosts.hardware', { name: accelerator.toUpperCase() }) }
    },
    [t],
  )
}

export function addressOf({ status }: Host): string {
  return status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''
}

/** No new machines come to a host that is set so; those that run there stay. */
export function setCordon({ metadata }: Host, unschedulable: boolean): Promise<unknown> {
  return call(pathOf(HOSTS, undefined, metadata.name), {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { spec: { unschedulable: unschedulable ? true : null } },
  })
}
