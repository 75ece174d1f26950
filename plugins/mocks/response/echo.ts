/** Echoes request values in a generated or example body: a request for pet 7 returns a pet with id 7. */
import { isRecord } from 'svc/toolkit'
import type { Json, JsonObject } from '../document/json.ts'
import type { Flattener, FlatSchema } from '../schema/flat-schema.ts'

export interface EchoInput {
  template: string
  /** Path parameters in order. */
  path: ReadonlyMap<string, string>
  /** The JSON body whose scalars are echoed, too; undefined if not echoed. */
  body: Json | undefined
  schema: Json | undefined
}

/** Returns the body with path parameters (and members of the request body) inserted. Does not change the input. */
export function echo(body: Json, input: EchoInput, flattener: Flattener): Json {
  if (!isRecord(body)) return body
  const flat = input.schema === undefined ? undefined : flattener.flatten(input.schema)
  const result = withPath(body, flat, input)
  if (isRecord(input.body)) copyBody(result, input.body)
  const data = result['data']
  if (isRecord(data) && Object.hasOwn(result, 'data'))
    result['data'] = withPath(data, flat && flattener.flatten(flat.properties.get('data')), input)
  return result
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

function withPath(object: JsonObject, flat: FlatSchema | undefined, input: EchoInput): JsonObject {
  const result = { ...object }
  for (const [name, text] of input.path) {
    const own = Object.keys(result).find(key => plainName(key) === plainName(name))
    const isLast = input.template.endsWith(`{${name}}`)
    const target = own ?? (isLast && Object.hasOwn(result, 'id') ? 'id' : undefined)
    if (target === undefined) continue
    const value = typedLike(
      text,
      result[target],
      flat?.properties.has(target) ? flat.properties.get(target) : undefined,
    )
    if (value !== undefined && target !== '__proto__') result[target] = value
  }
  return result
}

/**
 * Converts the text to the type of the schema, or of the present value; undefined if that fails or is not a scalar
 * type.
 */
function typedLike(text: string, present: Json | undefined, schema: Json | undefined): Json | undefined {
  if (typeof present === 'object' && present !== null) return undefined
  const declared = isRecord(schema) ? schema['type'] : undefined
  const types = typeof declared === 'string' ? [declared] : Array.isArray(declared) ? declared : []
  const wants = (type: string, fallback: boolean): boolean => (types.length > 0 ? types.includes(type) : fallback)
  if (wants('integer', Number.isInteger(present)) || wants('number', typeof present === 'number')) {
    const isWhole = /^-?\d{1,15}$/.test(text)
    if (isWhole || (!wants('integer', Number.isInteger(present)) && /^-?\d{1,15}\.\d{1,15}$/.test(text)))
      return Number(text)
    return types.includes('string') ? text : undefined
  }
  if (wants('boolean', typeof present === 'boolean'))
    return text === 'true' || text === 'false' ? text === 'true' : undefined
  return wants('string', typeof present === 'string') ? text : undefined
}

function copyBody(result: JsonObject, sent: JsonObject): void {
  for (const [name, value] of Object.entries(sent)) {
    const present = Object.hasOwn(result, name) ? result[name] : undefined
    if (
      present !== undefined &&
      present !== null &&
      typeof present !== 'object' &&
      typeof present === typeof value &&
      name !== '__proto__'
    )
      result[name] = value
  }
}
