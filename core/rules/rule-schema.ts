/** JSON Schemas of rules, and of the sections `rules` and `sessions` of `svc.yaml`, for editors. Rules are read by code. */
import type { JsonSchema } from '../contract/plugin.ts'
import type { Match, Rule, Step, ValueTest } from '../contract/rule-types.ts'

/** A schema for each member of a type: a member without one, or with another name, is an error of the compiler. */
type SchemasOf<T> = Record<keyof T, JsonSchema>
type Named<T> = { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] }

const text = { type: 'string' }
const count = { type: 'integer', minimum: 1 }
const fromZero = { type: 'integer', minimum: 0 }
const scalar = { type: ['string', 'number', 'boolean', 'null'] }

const valueTest = {
  anyOf: [
    scalar,
    {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        equals: { description: 'Equal to this value' },
        not: { description: 'Not equal to this value, or absent' },
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

const match = {
  type: 'object',
  description: 'Conditions, joined by and. Plugins add keys for their protocols, such as rpc',
  properties: {
    method: { anyOf: [text, { type: 'array', items: text }] },
    path: { type: 'string', pattern: '^/', description: '{name} and * are one segment, ** is the rest' },
    host: valueTest,
    header: named('Tests by header name'),
    query: named('Tests by parameter name'),
    cookie: named('Tests by cookie name'),
    body: valueTest,
    json: named('Tests by JSON pointer (/model) or JSONPath ($..name)'),
    like: { description: 'JSON that the body contains' },
    session: valueTest,
    client_ip: valueTest,
  } satisfies SchemasOf<Named<Match>>,
}

const delay = {
  description: 'Milliseconds, or a distribution',
  anyOf: [fromZero, { type: 'object', minProperties: 1, maxProperties: 1 }],
}

const stepProperties = {
  delay,
  fail: {
    description:
      'A status from 400 to 599, or a word: of a protocol, such as rate_limit, or of the plugin that serves the route',
    type: ['integer', 'string'],
  },
  message: { type: 'string', maxLength: 500 },
  type: { type: 'string', maxLength: 100, description: 'The type of the error, in formats that have one' },
  code: { type: 'string', maxLength: 100, description: 'The code of the error, in formats that have one' },
  retry_after: { type: 'integer', minimum: 0, maximum: 86_400 },
  abort: { enum: ['reset', 'close', 'empty', 'truncate', 'bad-chunk'] },
  respond: {
    type: 'object',
    additionalProperties: false,
    properties: {
      status: { type: 'integer', minimum: 200, maximum: 599, default: 200 },
      headers: { type: 'object', additionalProperties: text },
      body: { description: 'A text, or JSON' },
      body_base64: text,
      content_type: text,
      chunks: { type: 'array', items: { type: 'object' } },
      template: { type: 'boolean', default: true },
    },
  },
  reply: { type: 'object', description: 'A reply in the terms of a protocol' },
  pass: { const: true },
  quiet: { type: 'boolean' },
} satisfies SchemasOf<Step>
const step = { type: 'object', additionalProperties: false, minProperties: 1, properties: stepProperties }
const listedStep = {
  ...step,
  properties: { ...stepProperties, times: { anyOf: [count, { const: 'always' }], default: 1 } },
}

const name = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' }
const properties = {
  match,
  then: { anyOf: [step, { type: 'array', minItems: 1, items: listedStep }] },
  priority: { type: 'integer', minimum: -1000, maximum: 1000, default: 0 },
  skip: { ...fromZero, default: 0 },
  every: { ...count, default: 1 },
  sample: { type: 'number', exclusiveMinimum: 0, maximum: 1, default: 1 },
  seed: { type: 'string', maxLength: 64 },
  times: count,
  loop: { type: 'boolean', default: false },
  count: { enum: ['session', 'instance'], default: 'session' },
  expires_in_secs: { type: 'integer', minimum: 1, maximum: 86_400 },
  enabled: { type: 'boolean', default: true },
  description: { type: 'string', maxLength: 200 },
} satisfies SchemasOf<Omit<Rule, 'name'>>

/** A rule that is stored over HTTP. */
export const RULE_SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['then'],
  properties: { name, ...properties },
}

/** The sections, by key. */
export const CORE_SECTION_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  rules: {
    title: 'Rules',
    type: ['array', 'null'],
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'then'],
      properties: {
        name,
        session: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$', description: 'Only for this session' },
        ...properties,
      },
    },
  },
  sessions: {
    title: 'Sessions',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      headers: { type: 'array', maxItems: 10, items: text, description: 'Further headers that name sessions' },
    },
  },
}
