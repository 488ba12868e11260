// Sends the new machine and goes to its page.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { type ApiFailure, call } from '../../data/api.ts'
import { MACHINES, type Machine, pathOf } from '../../data/kinds.ts'
import { asFailure } from './use-wish.ts'

export function useCreate(namespace: string) {
  const { t } = useWords()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  const create = async (machine: Machine, starts: boolean) => {
    if (busy) return
    setBusy(true)
    setFailure(undefined)
    const place = machine.metadata.namespace ?? namespace
    try {
      const made = await call<Machine>(`${pathOf(MACHINES, place)}?fieldValidation=Strict`, {
        method: 'POST',
        body: machine,
      })
      const { name = '' } = made.metadata
      if (starts) tell('ok', t('action.asked.start', { name }))
      await navigate({ to: '/machines/$namespace/$name', params: { namespace: place, name } })
    } catch (error) {
      setFailure(asFailure(error))
    } finally {
      setBusy(false)
    }
  }
  return { busy, failure, create }
}
