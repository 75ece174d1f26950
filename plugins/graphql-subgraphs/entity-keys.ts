/** Finds entities by the keys of their type (Apollo's subgraph specification, `_entities`). */
import { isRecord } from 'svc/toolkit'
import type { Representation } from './subgraph.ts'

/** The fields of a key as paths: `code`, `maker.id`. */
export type Key = readonly string[]

/**
 * The entity that a representation names: one complete key is enough, several must agree. Null if it has no complete key, or if
 * there is no such entity. `view` has the fields of the keys.
 */
export function findEntity<Row>(
  rows: readonly Row[],
  keys: readonly Key[],
  view: (row: Row) => Representation,
  representation: Representation,
): Row | null {
  const given = keys.filter(key => key.every(path => isKeyValue(fieldAt(representation, path)))).flat()
  if (given.length === 0) return null
  const found = rows.find(row => {
    const own = view(row)
    return given.every(path => String(fieldAt(own, path)) === String(fieldAt(representation, path)))
  })
  return found ?? null
}

function isKeyValue(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function fieldAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value)
}
