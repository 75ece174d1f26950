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

/**
 * Calls `visit` for a schema and all schemas in it, with the path of keywords, names and indexes. Stops when `nodes.left` is
 * used up.
 */
export function walkSchema(
  schema: unknown,
  nodes: { left: number },
  visit: (schema: Readonly<Record<string, unknown>>, path: readonly string[]) => void,
): void {
  walk(schema, [], nodes, visit)
}

function walk(
  schema: unknown,
  path: readonly string[],
  nodes: { left: number },
  visit: (schema: Readonly<Record<string, unknown>>, path: readonly string[]) => void,
): void {
  if (!isRecord(schema) || path.length > MAX_DEPTH || nodes.left <= 0) return
  nodes.left--
  visit(schema, path)
  for (const keyword of BY_NAME) {
    const named = schema[keyword]
    if (isRecord(named)) for (const name in named) walk(named[name], [...path, keyword, name], nodes, visit)
  }
  for (const keyword of LISTS) {
    const list = schema[keyword]
    if (Array.isArray(list)) list.forEach((item, index) => walk(item, [...path, keyword, String(index)], nodes, visit))
  }
  if (Array.isArray(schema.items))
    schema.items.forEach((item, index) => walk(item, [...path, 'items', String(index)], nodes, visit))
  else walk(schema.items, [...path, 'items'], nodes, visit)
  for (const keyword of SINGLE) walk(schema[keyword], [...path, keyword], nodes, visit)
}
