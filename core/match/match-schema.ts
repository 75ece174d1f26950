/** JSON Schema of conditions, for editors and the reference. Conditions are read by code. */
import type { JsonSchema } from '../contract/plugin.ts'
import type { Match, ValueTest } from '../contract/rule-types.ts'

/** A schema for each member of a type: a member without one, or with another name, is an error of the compiler. */
type SchemasOf<T> = Record<keyof T, JsonSchema>
type Named<T> = { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] }

const text = { type: 'string' }
const scalar = { type: ['string', 'number', 'boolean', 'null'] }
const tests = { type: 'array', minItems: 1, maxItems: 20 }

const valueTest = {
  anyOf: [
    scalar,
    {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        equals: { description: 'Equal to this value' },
        not: { description: 'Not equal to this value, or not passing this test, or absent' },
        any: { ...tests, description: 'Passes one of these values or tests' },
        all: { ...tests, description: 'Passes all of these values or tests' },
        contains: { description: 'Contains this text, or all texts of a list; a list has this item' },
        starts_with: text,
        ends_with: text,
        matches: { type: 'string', maxLength: 1000, description: 'A regular expression in RE2 syntax' },
        in: { type: 'array', minItems: 1, description: 'Equal to one of these' },
        exists: { type: 'boolean' },
        gt: { type: 'number' },
        gte: { type: 'number' },
        lt: { type: 'number' },
        lte: { type: 'number' },
        multiple_of: { type: 'integer', minimum: 1, description: 'Divisible by this number' },
        schema: { type: ['object', 'boolean'], description: 'Valid against this JSON Schema' },
        some_values: { ...tests, description: 'Each of these is passed by one of several values' },
        all_values: { ...tests, description: 'As many values as tests, each passed by another' },
        ignore_case: { type: 'boolean' },
      } satisfies SchemasOf<Extract<ValueTest, object>>,
    },
  ],
}
const named = (description: string): JsonSchema => ({
  type: 'object',
  minProperties: 1,
  additionalProperties: valueTest,
  description,
})

export const MATCH_SCHEMA = {
  type: 'object',
  description: 'Conditions, joined by and. Plugins add keys for their protocols, such as rpc',
  properties: {
    method: { anyOf: [valueTest, { type: 'array', items: text }] },
    path: {
      description: '{name} and * are one segment or a part of one, ** is any number of segments; or a test of the path',
      anyOf: [{ type: 'string', pattern: '^/' }, { type: 'object' }],
    },
    path_params: named('Tests by the name of what the path captures'),
    url: valueTest,
    scheme: { enum: ['http', 'https'] },
    host: valueTest,
    header: named('Tests by header name'),
    query: named('Tests by parameter name'),
    cookie: named('Tests by cookie name'),
    body: valueTest,
    body_base64: text,
    form: named('Tests by the name of a field'),
    json: named('Tests by JSON pointer (/model) or JSONPath ($..name)'),
    like: { description: 'JSON that the body contains' },
    json_equals: {
      type: 'object',
      additionalProperties: false,
      required: ['value'],
      properties: { value: {}, any_order: { type: 'boolean' }, extra: { type: 'boolean' } },
    },
    json_schema: { type: ['object', 'boolean'], description: 'A JSON Schema of the body, 2020-12 or draft 7' },
    any: { ...tests, items: { type: 'object' }, description: 'Matches, of which one holds' },
    none: { ...tests, items: { type: 'object' }, description: 'Matches, of which none holds' },
    scenario: named('Tests of states by the name of a scenario'),
    session: valueTest,
    client_ip: valueTest,
  } satisfies SchemasOf<Named<Match>>,
}
