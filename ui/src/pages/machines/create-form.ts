// The fields of the form that makes a machine, and what they mean together. Pure.
import type { ApiFailure } from '../../data/api.ts'
import { fieldOf } from './new-machine.ts'

export const SIZES = {
  small: { cpus: 1, memoryGib: 1, diskGib: 10 },
  medium: { cpus: 2, memoryGib: 4, diskGib: 20 },
  large: { cpus: 4, memoryGib: 16, diskGib: 40 },
} as const
export type Size = keyof typeof SIZES | 'own'

export interface Form {
  readonly from: 'image' | 'template'
  readonly image: string | undefined
  readonly template: string | undefined
  readonly name: string
  readonly namespace: string | undefined
  readonly size: Size
  readonly cpus: string
  readonly memoryGib: string
  readonly diskGib: string
  readonly network: string
  readonly host: string
  readonly keys: readonly string[]
  readonly sshKey: string
  readonly userData: string
  readonly runStrategy: string
  readonly description: string
}

export const EMPTY: Form = {
  from: 'image',
  image: undefined,
  template: undefined,
  name: '',
  namespace: undefined,
  size: 'small',
  cpus: '2',
  memoryGib: '2',
  diskGib: '10',
  network: '',
  host: '',
  keys: [],
  sshKey: '',
  userData: '',
  runStrategy: 'Always',
  description: '',
}

export function numbersOf({ size, cpus, memoryGib, diskGib }: Form) {
  if (size !== 'own') return SIZES[size]
  return { cpus: Number(cpus), memoryGib: Number(memoryGib), diskGib: Number(diskGib) }
}

export type FieldRefusals = Readonly<Record<'name' | 'size' | 'userData', string | undefined>>

/** The API's own messages at the fields that they are about. */
export function refusalsOf(failure: ApiFailure | undefined): FieldRefusals {
  const of = (field: string) =>
    failure?.causes
      .filter((cause) => fieldOf(cause.field) === field)
      .map(({ message }) => message)
      .join('; ') || undefined
  const taken = failure?.reason === 'AlreadyExists' ? failure.message : undefined
  return { name: of('name') ?? taken, size: of('size'), userData: of('userData') }
}
