/** Schemas of functions and of replies. */
import { isRecord } from 'svc/toolkit'
import type { CheckedRequest, Report } from '../../llm/types.ts'
import { camelCase, SCHEMA_MEMBERS, snakeCase, VERTEX_SCHEMA_MEMBERS } from './known-members.ts'

const TYPES = new Set(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL', 'TYPE_UNSPECIFIED'])
const MAX_DEPTH = 64

/** A place in two notations: of the JSON reader, which counts the entries of maps, and of the later check, which names them. */
interface Place {
  json: string
  named: string
  depth: number
}

export interface SchemaOptions {
  /** Path in snake case. */
  at: string
  isVertex: boolean
}

export function checkSchema(
  schema: unknown,
  { at, isVertex }: SchemaOptions,
  request: CheckedRequest,
  report: Report,
): void {
  walk(schema, { json: at, named: at, depth: 0 }, isVertex, request, report)
}

function walk(schema: unknown, place: Place, isVertex: boolean, request: CheckedRequest, report: Report): void {
  if (!isRecord(schema) || place.depth > MAX_DEPTH || request.nodes.left <= 0) return
  request.nodes.left--
  const known = isVertex ? VERTEX_SCHEMA_MEMBERS : SCHEMA_MEMBERS
  for (const name in schema)
    if (!known.has(camelCase(name)) && !request.fields.has(name)) report('gemini.schema-field', place.json, { name })
  checkType(schema, place, isVertex, report)
  const inner = (json: string, named = json): Place => ({
    json: `${place.json}.${json}`,
    named: `${place.named}.${named}`,
    depth: place.depth + 1,
  })
  if (isRecord(schema.properties)) {
    let index = 0
    for (const name in schema.properties)
      walk(
        schema.properties[name],
        inner(`properties[${index++}].value`, `properties[${name}]`),
        isVertex,
        request,
        report,
      )
  }
  walk(schema.items, inner('items'), isVertex, request, report)
  const anyOf = schema.anyOf ?? schema.any_of
  if (Array.isArray(anyOf))
    anyOf.forEach((item, index) => walk(item, inner(`${snakeCase('anyOf')}[${index}]`), isVertex, request, report))
}

function checkType(
  schema: Readonly<Record<string, unknown>>,
  { json, named }: Place,
  isVertex: boolean,
  report: Report,
): void {
  const { type } = schema
  if (Array.isArray(type)) return report('gemini.type-list', json)
  if (typeof type !== 'string') return
  const name = type.toUpperCase()
  if (!TYPES.has(name))
    return report('gemini.enum-value', `${json}.type`, { value: type, ...(isVertex ? { form: 'vertex' } : {}) })
  if (name === 'ARRAY' && schema.items === undefined) report('gemini.schema-items', named)
  if (schema.enum !== undefined && name !== 'STRING' && schema.format !== 'enum') report('gemini.schema-enum', named)
}
