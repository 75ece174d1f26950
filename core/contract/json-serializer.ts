/** Owns how replies that are made very often become JSON: by a function that is compiled for their shape. */
import fastJson from 'fast-json-stringify'
import type { Schema } from 'fast-json-stringify'
import type { JsonSchema } from './json-schema.ts'

/**
 * A function that writes values of one shape as JSON, two to three times as fast as `JSON.stringify`; compiled by the library
 * that Fastify uses for `schema.response`, which takes some milliseconds. Members are written in the order of the schema,
 * those in `required` before the others; members that the schema does not name are left out. The function throws where a
 * required member is undefined.
 */
export function jsonSerializer<Value>(schema: JsonSchema): (value: Value) => string {
  return fastJson(schema as JsonSchema & Schema)
}
