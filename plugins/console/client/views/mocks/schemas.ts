/** Schemas for the forms of rules, overrides and settings. The instance validates the values. */
import type { FormSchema } from '../../lib/protocol/schema-form.ts'

const OUTCOME: Record<string, FormSchema> = {
  status: { type: 'integer', minimum: 100, maximum: 599, title: 'Status' },
  example: { type: 'string', title: 'Example', description: 'Name of an example in the document.' },
  media_type: { type: 'string', title: 'Media type' },
  delay_ms: { type: 'integer', minimum: 0, title: 'Delay (ms)' },
  headers: {
    title: 'Headers',
    description: 'A JSON object of strings. Templates such as {{request.body.id}} are replaced.',
  },
  body: { title: 'Body', description: 'Any JSON value.' },
  merge: { title: 'Merge', description: 'A JSON value to merge into the default body.' },
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
      description: 'Default: 503.',
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
      id: { type: 'string', title: 'ID', description: 'Generated if empty.' },
      name: { type: 'string', title: 'Rule name' },
      enabled: { type: 'boolean', title: 'Enabled', default: true },
      operation: {
        enum: operations as unknown[],
        title: 'Operation',
        description: 'If empty, the rule applies to all operations.',
      },
      bypass: { type: 'boolean', title: 'Apply before security and validation' },
      match: { enum: ['all', 'any'], title: 'Conditions that must match' },
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
            name: {
              type: 'string',
              title: 'Name',
              description: 'Name of the parameter, header, cookie or state value.',
            },
            pointer: {
              type: 'string',
              title: 'Pointer',
              description: 'JSON Pointer into the body, such as /items/0/sku.',
            },
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
            value: { title: 'Value', description: 'A JSON value. Strings need quotes.' },
          },
        },
      },
      // oxlint-disable-next-line unicorn/no-thenable -- the name of the outcome in a rule
      then: {
        type: 'object',
        title: 'Then',
        properties: {
          ...OUTCOME,
          set_state: { title: 'Set state', description: 'A JSON object of strings. null removes a value.' },
          abort: { type: 'boolean', title: 'Close the connection without a response' },
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
    validation: { enum: MODES, title: 'Request validation' },
    security: { enum: MODES, title: 'Security' },
    prefer: { type: 'boolean', title: 'Honor the Prefer header' },
    dynamic: { type: 'boolean', title: 'Generate values instead of using examples' },
    echo: { enum: ['off', 'path', 'path+body'], title: 'Echo request values' },
    base_path: {
      type: 'string',
      title: 'Base path',
      description: 'auto: with and without the path of each server URL.',
    },
    delay_ms: { type: 'integer', minimum: 0, title: 'Delay (ms)' },
    seed: { type: 'string', maxLength: 64, title: 'Seed' },
    capture: { type: 'boolean', title: 'Capture requests' },
    block_breaking: { type: 'boolean', title: 'Reject breaking changes' },
    credentials: { title: 'Credentials' },
  },
}

/** Initial value for a new rule. */
// oxlint-disable-next-line unicorn/no-thenable -- the name of the outcome in a rule
export const NEW_RULE = { enabled: true, when: [], then: { status: 503 } }
