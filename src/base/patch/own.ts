// Reading and writing of keys that come from outside: `__proto__` and `constructor` are keys like any other.

/** Sets an own key. An assignment to `__proto__` would change the prototype instead. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}

/** The own value at the key, else undefined. */
export function getOwn(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
