/** JSON Schemas of rules, and of the sections `rules` and `sessions` of `svc.yaml`, for editors. Rules are read by code. */
import type { JsonSchema } from '../contract/plugin.ts'
import { TYPE_NAME, typed } from '../toolkit/reply-schemas.ts'
import type { Rule, Step } from '../contract/rule-types.ts'
import { ENCODINGS } from './encoding.ts'
import { MATCH_SCHEMA as match } from '../match/match-schema.ts'

/** A schema for each member of a type: a member without one, or with another name, is an error of the compiler. */
type SchemasOf<T> = Record<keyof T, JsonSchema>

const text = { type: 'string' }
const count = { type: 'integer', minimum: 1 }
const fromZero = { type: 'integer', minimum: 0 }

const delay = {
  description: 'Milliseconds, or a distribution',
  anyOf: [fromZero, { type: 'object', minProperties: 1, maxProperties: 1 }],
}

const headersByName = {
  type: 'object',
  additionalProperties: { anyOf: [text, { type: 'array', minItems: 1, items: text }] },
}
const headers = {
  description: 'A list of values is a line each; a list of names and values keeps its order',
  anyOf: [headersByName, { type: 'array', items: { type: 'array', items: text, minItems: 2, maxItems: 2 } }],
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
  abort: { enum: ['reset', 'close', 'empty', 'truncate', 'bad-chunk', 'garbage'] },
  respond: {
    type: 'object',
    additionalProperties: false,
    properties: {
      status: { type: 'integer', minimum: 200, maximum: 599, default: 200 },
      headers,
      body: { description: 'A text, or JSON' },
      body_base64: text,
      body_file: { ...text, description: 'A file below the folder of this one; in files only' },
      size: { ...fromZero, description: 'Bytes of a body of the letters a to z' },
      content_type: { type: ['string', 'null'] },
      trailers: headersByName,
      interim: {
        type: 'array',
        maxItems: 5,
        description: 'Responses before the final one',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['status'],
          properties: { status: { type: 'integer', minimum: 102, maximum: 104 }, headers },
        },
      },
      reason: { type: 'string', maxLength: 100 },
      chunks: { type: 'array', items: { type: 'object' } },
      template: { type: 'boolean', default: true },
    },
  },
  reply: { type: 'object', description: 'A reply in the terms of a protocol' },
  encoding: { enum: [...ENCODINGS], description: 'The content coding of the response' },
  notify: {
    type: 'array',
    minItems: 1,
    maxItems: 5,
    description: 'Requests that are sent after the response',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['url'],
      properties: {
        method: { enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], default: 'POST' },
        url: {
          ...text,
          description: 'A path of this instance that takes deliveries, or a URL of a host in notify.allow',
        },
        headers: headersByName,
        body: { description: 'A text, or JSON' },
        delay,
      },
    },
  },
  scenario: { type: 'object', additionalProperties: text, description: 'New states of scenarios' },
  pass: { const: true },
  quiet: { type: 'boolean' },
} satisfies SchemasOf<Step>
const step = {
  type: 'object',
  minProperties: 1,
  description: 'Plugins add steps',
  properties: stepProperties,
}
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
  [TYPE_NAME]: 'Rule',
  type: 'object',
  additionalProperties: false,
  required: ['then'],
  properties: {
    name,
    ...properties,
    match: typed('Match', match),
    // oxlint-disable-next-line unicorn/no-thenable -- the name of the outcome in a rule
    then: {
      anyOf: [typed('Step', step), { type: 'array', minItems: 1, items: typed('ListedStep', listedStep) }],
    },
  },
}

/** The sections, by key. */
export const CORE_SECTION_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  rules: {
    title: 'Rules',
    type: ['array', 'null'],
    items: {
      type: 'object',
      additionalProperties: false,
      anyOf: [{ required: ['name', 'then'] }, { required: ['file'], maxProperties: 1 }],
      properties: {
        name,
        file: { type: 'string', description: 'A file or folder with rules, in place of a rule' },
        session: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$', description: 'Only for this session' },
        ...properties,
      },
    },
  },
  notify: {
    title: 'Notifications',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      allow: {
        type: 'array',
        maxItems: 100,
        items: text,
        description: 'Hosts to which notify of rules sends requests: host, or host:port',
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
