// The form of the catalogues of user-facing text. English is the one that keys and places are taken from; every
// other language must have the same keys and, in each text, the same places: the compiler sees to both.
//
// `{name}` is a place. `{count|volume|volumes}` is the first word when count is 1, else the second; languages
// without plurals leave it out.
import type { en } from './en.ts'

export type Key = keyof typeof en

/** Names of the places in a text; the choice of a plural form needs its number, too. */
export type Places<T extends string> = T extends `${string}{${infer Place}}${infer Rest}`
  ? (Place extends `${infer Name}|${string}` ? Name : Place) | Places<Rest>
  : never

/** What a text wants filled in. */
export type Params<K extends Key> = { readonly [Name in Places<(typeof en)[K]>]: string | number | bigint }

/** A whole catalogue in another language. */
export type Catalogue = { readonly [K in Key]: string }

/** Compiles only when every text has exactly the places of its English one. */
export type SamePlaces<T extends Catalogue> = {
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
