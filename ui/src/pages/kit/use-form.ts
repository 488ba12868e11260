// A form: its values, what the form itself and the server say against them, and sending it. The server's messages
// stand at the fields that they are about; what concerns no field stands at the end.
import { type FormEvent, useRef, useState } from 'react'
import { ApiFailure, messageOf } from '../../data/api.ts'
import { type Paths, type Refusals, refusalsOf } from './refusals.ts'

export interface FormPlan<V> {
  readonly initial: V
  /** Paths of the API by the field of the form that makes them. */
  readonly paths: Paths<V>
  /** What the form itself refuses, before anything is sent. */
  readonly check?: (values: V) => Refusals<V>
  readonly send: (values: V) => Promise<void>
}

export interface Form<V> {
  readonly values: V
  readonly set: (change: Partial<V>) => void
  readonly busy: boolean
  readonly at: (field: keyof V) => string | undefined
  /** What was refused and belongs to no field. */
  readonly elsewhere: string | undefined
  readonly submit: (event: FormEvent<HTMLFormElement>) => void
}

export function useForm<V extends object>({ initial, paths, check, send }: FormPlan<V>): Form<V> {
  const [values, setValues] = useState(initial)
  const [refused, setRefused] = useState<Refusals<V>>({})
  const [elsewhere, setElsewhere] = useState<string>()
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)

  const set = (change: Partial<V>) => {
    setValues((old) => ({ ...old, ...change }))
    setRefused((old) => ({
      ...old,
      ...Object.fromEntries(Object.keys(change).map((field) => [field, undefined])),
    }))
  }
  const refuse = (form: HTMLFormElement, fields: Refusals<V>, rest?: string) => {
    setRefused(fields)
    setElsewhere(rest)
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }
  const submit = async (form: HTMLFormElement) => {
    if (sending.current) return
    const own = check?.(values) ?? {}
    if (Object.values(own).some((message) => message !== undefined)) return refuse(form, own)
    sending.current = true
    setBusy(true)
    setElsewhere(undefined)
    try {
      await send(values)
    } catch (error) {
      const failure = error instanceof ApiFailure ? error : new ApiFailure(0, '', messageOf(error))
      const { fields, elsewhere: rest } = refusalsOf<V>(failure, paths)
      refuse(form, fields, rest)
    } finally {
      sending.current = false
      setBusy(false)
    }
  }
  return {
    values,
    set,
    busy,
    at: (field) => refused[field],
    elsewhere,
    submit: (event) => {
      event.preventDefault()
      event.stopPropagation()
      void submit(event.currentTarget)
    },
  }
}
