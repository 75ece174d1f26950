/** Types of schemas and of values. */
import type { Json } from '../document/json.ts'
import type { FlatSchema } from './flat-schema.ts'

/** The minimal value of a type, used at the recursion limit. */
export function stub(flat: FlatSchema): Json {
  if (flat.isNullable) return null
  switch (typeOf(flat)) {
    case 'array':
      return []
    case 'string':
      return ''
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    default:
      return {}
  }
}

/** The type to build: the first that is not null, else the type that the keywords imply. */
export function typeOf(flat: FlatSchema): string | undefined {
  if (flat.types) return flat.types.find(type => type !== 'null') ?? 'null'
  if (
    flat.properties.size > 0 ||
    flat.required.size > 0 ||
    flat.additional !== undefined ||
    flat.patternProperties.length > 0 ||
    flat.minProperties > 0
  )
    return 'object'
  if (flat.items !== undefined || flat.prefixItems.length > 0 || flat.contains !== undefined || flat.minItems > 0)
    return 'array'
  if (flat.patterns.length > 0 || flat.minLength > 0 || Number.isFinite(flat.maxLength)) return 'string'
  if (
    flat.multipleOf !== undefined ||
    [flat.minimum, flat.maximum, flat.exclusiveMinimum, flat.exclusiveMaximum].some(bound => Number.isFinite(bound))
  )
    return 'number'
  return flat.format === undefined
    ? undefined
    : /^(?:int32|int64|float|double)$/.test(flat.format)
      ? 'number'
      : 'string'
}

/** The type of a value, as schemas name it. */
export function typeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value
}
