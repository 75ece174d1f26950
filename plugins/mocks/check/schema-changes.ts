/** Finds differences between two schemas that affect clients. */
import { StepBudget } from 'svc/plugin'
import type { ApiDocument } from '../document/api-document.ts'
import { deepEqual, type Json } from '../document/json.ts'
import type { Flattener, FlatSchema } from '../schema/flat-schema.ts'

export interface SchemaDifference {
  kind:
    | 'type_changed'
    | 'enum_narrowed'
    | 'enum_widened'
    | 'became_required'
    | 'became_optional'
    | 'required_removed'
    | 'property_added'
  message: string
}

export interface SchemaSide {
  document: ApiDocument
  flattener: Flattener
  schema: Json | undefined
}

const MAX_LEVELS = 8
const MAX_DIFFERENCES = 50

/** Compares up to eight levels deep. Recursive schemas are entered once. */
export function compareSchemas(before: SchemaSide, after: SchemaSide): SchemaDifference[] {
  const differences: SchemaDifference[] = []
  const budget = { left: 2000 }
  const compare = (
    old: Json | undefined,
    now: Json | undefined,
    path: string,
    level: number,
    seen: ReadonlySet<string>,
  ): void => {
    if (
      level > MAX_LEVELS ||
      old === undefined ||
      now === undefined ||
      differences.length >= MAX_DIFFERENCES ||
      budget.left-- <= 0
    )
      return
    const [a, b] = [before.flattener.flatten(old), after.flattener.flatten(now)]
    const inner = new Set([...seen, ...a.refs])
    if (a.refs.some(ref => seen.has(ref))) return
    compareValues(a, b, path, differences)
    compareMembers(a, b, path, differences)
    for (const [name, property] of a.properties)
      compare(property, b.properties.get(name), path === '' ? name : `${path}.${name}`, level + 1, inner)
    compare(a.items, b.items, `${path}[]`, level + 1, inner)
  }
  compare(before.schema, after.schema, '', 0, new Set())
  return differences
}

function label(path: string): string {
  return path === '' ? 'the value' : `"${path}"`
}

function compareValues(a: FlatSchema, b: FlatSchema, path: string, differences: SchemaDifference[]): void {
  const types = (flat: FlatSchema): string =>
    [...new Set([...(flat.types ?? ['any']), ...(flat.isNullable ? ['null'] : [])])].sort().join(' or ')
  if (types(a) !== types(b))
    differences.push({
      kind: 'type_changed',
      message: `the type of ${label(path)} changed from ${types(a)} to ${types(b)}`,
    })
  const missing = (from: FlatSchema, to: FlatSchema): Json[] =>
    from.enum && to.enum
      ? from.enum.filter(value => !to.enum?.some(other => deepEqual(value, other, StepBudget.unlimited())))
      : []
  const removed = missing(a, b)
  const added = missing(b, a)
  if (removed.length > 0 || (!a.enum && b.enum))
    differences.push({
      kind: 'enum_narrowed',
      message: `${label(path)} no longer accepts ${removed.length > 0 ? list(removed) : 'any value'}`,
    })
  if (added.length > 0 || (a.enum && !b.enum))
    differences.push({
      kind: 'enum_widened',
      message: `${label(path)} can now be ${added.length > 0 ? list(added) : 'any value'}`,
    })
}

function list(values: Json[]): string {
  return values
    .slice(0, 5)
    .map(value => JSON.stringify(value).slice(0, 60))
    .join(', ')
}

function compareMembers(a: FlatSchema, b: FlatSchema, path: string, differences: SchemaDifference[]): void {
  const at = (name: string): string => label(path === '' ? name : `${path}.${name}`)
  for (const name of a.properties.keys()) {
    if (!a.required.has(name)) continue
    if (!b.properties.has(name)) differences.push({ kind: 'required_removed', message: `${at(name)} was removed` })
    else if (!b.required.has(name))
      differences.push({ kind: 'became_optional', message: `${at(name)} became optional` })
  }
  for (const name of b.required)
    if (!a.required.has(name)) differences.push({ kind: 'became_required', message: `${at(name)} became required` })
  for (const name of b.properties.keys())
    if (!a.properties.has(name)) differences.push({ kind: 'property_added', message: `${at(name)} was added` })
}
