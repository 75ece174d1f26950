/** Reads and writes nested objects by dotted paths, as used in the table of variables. */

/** Sets the value at a dotted path and creates missing groups. */
export function setAt(target: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.')
  const last = keys.pop()!
  let group = target
  for (const key of keys)
    group = (Object.hasOwn(group, key) ? group[key] : (group[key] = {})) as Record<string, unknown>
  group[last] = value
}

/** The value at a dotted path. */
export function getAt(source: unknown, path: string): unknown {
  let value = source
  for (const key of path.split('.')) value = (value as Record<string, unknown>)[key]
  return value
}
