/** JSON as the well-known type `google.protobuf.Struct`. */
import { isRecord } from '../contract/record.ts'
import type { Json, JsonObject } from '../contract/json.ts'

/** A JSON object as `@grpc/proto-loader` takes a `Struct`: maps are lists of entries. */
export function structOf(value: JsonObject): JsonObject {
  return { fields: Object.entries(value).map(([key, member]) => ({ key, value: valueOf(member) })) }
}

function valueOf(value: Json): JsonObject {
  if (value === null) return { null_value: 'NULL_VALUE' }
  if (Array.isArray(value)) return { list_value: { values: value.map(valueOf) } }
  if (isRecord(value)) return { struct_value: structOf(value as JsonObject) }
  switch (typeof value) {
    case 'boolean':
      return { bool_value: value }
    case 'number':
      return { number_value: value }
    default:
      return { string_value: String(value) }
  }
}
