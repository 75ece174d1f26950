/** Fast JSON serialization with functions compiled from a schema. */
import fastJson, { type Schema } from 'fast-json-stringify'
import type { JsonSchema } from '../contract/json-schema.ts'

/**
 * Compiles a schema into a function that serializes values of this shape, two to three times as fast as `JSON.stringify`.
 * Compiling takes some milliseconds; Fastify uses the same library for `schema.response`. Members are written in the
 * order of the schema, `required` ones first. Members that are not in the schema are omitted. The function throws if a
 * required member is undefined.
 */
export function jsonSerializer<Value>(schema: JsonSchema): (value: Value) => string {
  return fastJson(schema as JsonSchema & Schema)
}
