/** Coerces strings of parameters and form fields to the types of their schema. */
import { isRecord } from 'svc/toolkit'
import type { Flattener, FlatSchema } from '../schema/flat-schema.ts'
import { setOwn, type Json, type JsonObject } from '../document/json.ts'

/** Converts strings to numbers, booleans or null where the schema allows these types. */
export function coerce(value: Json, schema: Json | undefined, flattener: Flattener, level = 0): Json {
  if (schema === undefined || level > 20) return value
  const flat = flattener.flatten(schema)
  if (typeof value === 'string') return coerceText(value, typesOf(flat, flattener, 0))
  if (Array.isArray(value))
    return value.map((item, index) => coerce(item, flat.prefixItems[index] ?? flat.items, flattener, level + 1))
  if (!isRecord(value)) return value
  const result: JsonObject = {}
  for (const [name, member] of Object.entries(value))
    setOwn(
      result,
      name,
      coerce(
        member,
        flat.properties.get(name) ??
          (isRecord(flat.additional) ? flat.additional : memberOfAlternatives(flat, name, flattener)),
        flattener,
        level + 1,
      ),
    )
  return result
}

/** The types that a schema and its alternatives allow. Empty if it allows any type. */
export function typesOf(flat: FlatSchema, flattener: Flattener, level: number): Set<string> {
  const types = new Set(flat.types ?? [])
  if (flat.isNullable) types.add('null')
  if (types.size === 0 && flat.enum)
    for (const value of flat.enum) types.add(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
  if (level < 5)
    for (const union of flat.unions)
      for (const alternative of union.alternatives)
        for (const type of typesOf(flattener.flatten(alternative), flattener, level + 1)) types.add(type)
  return types
}

function memberOfAlternatives(flat: FlatSchema, name: string, flattener: Flattener): Json | undefined {
  for (const union of flat.unions) {
    for (const alternative of union.alternatives) {
      const property = flattener.flatten(alternative).properties.get(name)
      if (property !== undefined) return property
    }
  }
  return undefined
}

function coerceText(text: string, types: Set<string>): Json {
  if ((types.has('integer') || types.has('number')) && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) {
    const number = Number(text)
    if (Number.isFinite(number)) return number
  }
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (types.has('null') && !types.has('string') && (text === 'null' || text === '')) return null
  return text
}
