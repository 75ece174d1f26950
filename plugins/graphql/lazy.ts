/** Lazy creation, for values that are expensive to create when a plugin registers. */

/** Returns a function that calls `make` on the first call and returns the same result afterwards. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
