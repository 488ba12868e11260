// The form of the interface's own texts; the same rules as src/words: English is the one that keys and places are
// taken from, and the compiler sees that every other language has them all.
import type { Places } from '../../../src/words/catalogue.ts'
import type { en } from './en.ts'

export type Key = keyof typeof en
export type Params<K extends Key> = { readonly [Name in Places<(typeof en)[K]>]: string | number | bigint }
export type Catalogue = { readonly [K in Key]: string }

type SamePlaces<T extends Catalogue> = {
  readonly [K in Key]: [Places<T[K]>] extends [Places<(typeof en)[K]>]
    ? [Places<(typeof en)[K]>] extends [Places<T[K]>]
      ? T[K]
      : never
    : never
}

/** Gives the catalogue back, checked. */
export function translation<const T extends Catalogue>(catalogue: T & SamePlaces<T>): T {
  return catalogue
}
