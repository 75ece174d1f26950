/** Owns laziness: what costs time to make is made when somebody asks, not when a plugin registers. */

/** Answers a function that calls `make` the first time and gives its result ever after. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
