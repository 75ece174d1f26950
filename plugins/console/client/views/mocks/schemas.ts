/** What forms know of rules, overrides and settings; the instance checks what is sent. */
import type { FormSchema } from '../../lib/protocol/schema-form.ts'

const OUTCOME: Record<string, FormSchema> = {
  status: { type: 'integer', minimum: 100, maximum: 599, title: 'Status' },
  example: { type: 'string', title: 'Example', description: 'Name of an example of the document.' },
  media_type: { type: 'string', title: 'Media type' },
  delay_ms: { type: 'integer', minimum: 0, title: 'Delay (ms)' },
  headers: {
    title: 'Headers',
    description: 'An object of texts; templates such as {{request.body.id}} are filled in.',
  },
  body: { title: 'Body', description: 'Any JSON value.' },
  merge: { title: 'Merge', description: 'Laid over the body that would have been sent.' },
}

export const OVERRIDE_SCHEMA: FormSchema = {
  type: 'object',
  title: 'Override',
  properties: {
    enabled: { type: 'boolean', title: 'Enabled', default: true },
    fail_percent: { type: 'number', minimum: 0, maximum: 100, title: 'Fail percent' },
    fail_status: {
      type: 'integer',
      minimum: 400,
      maximum: 599,
      title: 'Fail with status',
      description: 'Default 503.',
    },
    ...OUTCOME,
  },
}

export function ruleSchema(operations: readonly string[]): FormSchema {
  return {
    type: 'object',
    title: 'Rule',
    required: ['then'],
    properties: {
      id: { type: 'string', title: 'Id', description: 'Given when left out.' },
      name: { type: 'string', title: 'Rule name' },
      enabled: { type: 'boolean', title: 'Enabled', default: true },
      operation: { enum: operations as unknown[], title: 'Operation', description: 'Left out: all of them.' },
      bypass: { type: 'boolean', title: 'Before security and validation' },
      match: { enum: ['all', 'any'], title: 'Conditions that must hold' },
      when: {
        type: 'array',
        title: 'Condition',
        items: {
          type: 'object',
          required: ['in', 'op'],
          properties: {
            in: {
              enum: ['path', 'query', 'header', 'cookie', 'body', 'method', 'session', 'state', 'count', 'violations'],
              title: 'In',
            },
            name: { type: 'string', title: 'Name', description: 'Of the parameter, header, cookie or state value.' },
            pointer: { type: 'string', title: 'Pointer', description: 'Into a JSON body, such as /items/0/sku.' },
            jsonpath: { type: 'string', title: 'JSONPath' },
            op: {
              enum: [
                'eq',
                'ne',
                'in',
                'contains',
                'starts_with',
                'ends_with',
                'matches',
                'exists',
                'absent',
                'gt',
                'gte',
                'lt',
                'lte',
                'every',
                'schema',
              ],
              title: 'Operator',
            },
            value: { title: 'Value', description: 'Texts in quotes.' },
          },
        },
      },
      // oxlint-disable-next-line unicorn/no-thenable -- the name of the outcome in a rule
      then: {
        type: 'object',
        title: 'Then',
        properties: {
          ...OUTCOME,
          set_state: { title: 'Set state', description: 'An object of texts; null removes.' },
          abort: { type: 'boolean', title: 'Close the connection without an answer' },
        },
      },
    },
  }
}

const MODES = ['off', 'warn', 'enforce']

export const SETTINGS_SCHEMA: FormSchema = {
  type: 'object',
  title: 'Settings',
  required: ['validation', 'security', 'echo'],
  properties: {
    validation: { enum: MODES, title: 'Validation of requests' },
    security: { enum: MODES, title: 'Security' },
    prefer: { type: 'boolean', title: 'Prefer header is honored' },
    dynamic: { type: 'boolean', title: 'Generate instead of using examples' },
    echo: { enum: ['off', 'path', 'path+body'], title: 'Echo values of the request' },
    base_path: { type: 'string', title: 'Base path', description: 'auto: with and without the path of each server.' },
    delay_ms: { type: 'integer', minimum: 0, title: 'Delay (ms)' },
    seed: { type: 'string', maxLength: 64, title: 'Seed' },
    capture: { type: 'boolean', title: 'Capture requests' },
    block_breaking: { type: 'boolean', title: 'Refuse breaking changes' },
    credentials: { title: 'Credentials' },
  },
}

/** What a form for a new rule begins with. */
// oxlint-disable-next-line unicorn/no-thenable -- the name of the outcome in a rule
export const NEW_RULE = { enabled: true, when: [], then: { status: 503 } }
