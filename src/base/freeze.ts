// Objects that are shared between caches, watchers and callers are frozen, so that nobody edits what others see.

/** Freezes the value and all below it, and returns it. A part that is frozen already is taken to be frozen whole. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) deepFreeze(value[index])
  else for (const key in value) deepFreeze((value as Record<string, unknown>)[key])
  return Object.freeze(value)
}
