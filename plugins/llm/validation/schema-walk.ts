/** Visits a JSON Schema and all schemas in it. */
import { isRecord } from 'svc/toolkit'

/** Levels below which schemas are not visited. */
const MAX_DEPTH = 64

/** Keywords whose members, items or value are schemas. */
const BY_NAME = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const SINGLE = [
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
]

type Schema = Readonly<Record<string, unknown>>
/** `path` changes after the call. */
type Visit = (schema: Schema, path: readonly string[]) => void

interface Walk {
  nodes: { left: number }
  visit: Visit
  /** Of the schema that is visited: one list for all, since most visits do not read it. */
  path: string[]
}

/**
 * Calls `visit` for a schema and all schemas in it, with the path of keywords, names and indexes, which is only valid during the call.
 * Stops when `nodes.left` is used up.
 */
export function walkSchema(schema: unknown, nodes: { left: number }, visit: Visit): void {
  enter(schema, { nodes, visit, path: [] })
}

function enter(schema: unknown, walk: Walk): void {
  const { nodes, visit, path } = walk
  if (!isRecord(schema) || path.length > MAX_DEPTH || nodes.left <= 0) return
  nodes.left--
  visit(schema, path)
  for (const keyword of BY_NAME) {
    const named = schema[keyword]
    if (isRecord(named)) for (const name in named) below(named[name], keyword, name, walk)
  }
  for (const keyword of LISTS) {
    const list = schema[keyword]
    if (Array.isArray(list)) list.forEach((item, index) => below(item, keyword, String(index), walk))
  }
  if (Array.isArray(schema.items)) schema.items.forEach((item, index) => below(item, 'items', String(index), walk))
  else if (schema.items !== undefined) below(schema.items, 'items', null, walk)
  for (const keyword of SINGLE) if (schema[keyword] !== undefined) below(schema[keyword], keyword, null, walk)
}

function below(schema: unknown, keyword: string, name: string | null, walk: Walk): void {
  const { path } = walk
  const { length } = path
  path.push(keyword)
  if (name !== null) path.push(name)
  enter(schema, walk)
  path.length = length
}
