/** JSON Schema of rules, for editors and the reference. Rules are read by code. */
import type { JsonSchema } from 'svc/plugin'
import { MATCH_SCHEMA } from 'svc/toolkit'

const FACT = { description: 'A value, or a value test' }

/** The conditions of a mock: those of all rules, and the facts that only a mock has. */
const MATCH: JsonSchema = {
  ...MATCH_SCHEMA,
  title: 'Match',
  description: 'Conditions, joined by and',
  properties: {
    ...MATCH_SCHEMA.properties,
    state: { type: 'object', description: 'Tests by the name of a state' },
    count: { ...FACT, title: 'Calls of the operation in this session' },
    violations: { ...FACT, title: 'Violations found by validation and security' },
  },
}

const THEN: JsonSchema = {
  type: 'object',
  title: 'Then',
  additionalProperties: false,
  properties: {
    status: { type: 'integer', minimum: 200, maximum: 599, title: 'Status' },
    example: { type: 'string', title: 'Example', description: 'Name of an example in the document.' },
    media_type: { type: 'string', title: 'Media type' },
    delay_ms: { type: 'integer', minimum: 0, title: 'Delay (ms)' },
    headers: {
      type: 'object',
      title: 'Headers',
      description: 'Texts or lists of texts. References such as {{request.body.id}} are replaced.',
    },
    body: { title: 'Body', description: 'Any JSON value.' },
    merge: { title: 'Merge', description: 'A JSON value to merge into the default body.' },
    set_state: { type: 'object', title: 'Set state', description: 'Texts by name. null removes a value.' },
    abort: { type: 'boolean', title: 'Close the connection without a response' },
    template: { type: 'boolean', default: true, title: 'Replace references' },
  },
}

/** In the present spelling. */
export const RULE_SCHEMA: JsonSchema = {
  type: 'object',
  title: 'Rule',
  required: ['then'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$', title: 'ID', description: 'Generated if empty.' },
    name: { type: 'string', maxLength: 200, title: 'Rule name' },
    enabled: { type: 'boolean', default: true, title: 'Enabled' },
    operation: { type: 'string', title: 'Operation', description: 'operationId or "METHOD /path". Default: all.' },
    bypass: { type: 'boolean', default: false, title: 'Apply before security and validation' },
    match: MATCH,
    // oxlint-disable-next-line unicorn/no-thenable -- the name of the outcome in a rule
    then: THEN,
  },
}

/** With the older spelling of conditions, for `svc.yaml`. */
export const ANY_RULE_SCHEMA: JsonSchema = {
  ...RULE_SCHEMA,
  properties: {
    ...(RULE_SCHEMA.properties as Record<string, JsonSchema>),
    match: { anyOf: [MATCH, { enum: ['all', 'any'], description: 'Older spelling: how the list "when" is joined' }] },
    when: { type: 'array', items: { type: 'object' }, description: 'Older spelling of conditions' },
  },
}
