/** Schemas for the forms of overrides and settings. The instance validates the values. */
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

/** Of a mock of a GraphQL schema. */
export const GRAPH_OVERRIDE_SCHEMA: FormSchema = {
  type: 'object',
  title: 'Override',
  properties: {
    enabled: { type: 'boolean', title: 'Enabled', default: true },
    value: { title: 'Value', description: 'Any JSON value, in place of the generated one.' },
    merge: { title: 'Merge', description: 'A JSON object to merge into the generated object.' },
    size: { type: 'integer', minimum: 0, maximum: 100, title: 'List size' },
    error: {
      title: 'Error',
      description:
        'A JSON object with message, code and extensions. The field fails, and its null climbs by the schema.',
    },
    fail_percent: { type: 'number', minimum: 0, maximum: 100, title: 'Fail percent' },
    delay_ms: { type: 'integer', minimum: 0, title: 'Delay (ms)' },
  },
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

/** Of a mock of a GraphQL schema. */
export const GRAPH_SETTINGS_SCHEMA: FormSchema = {
  type: 'object',
  title: 'Settings',
  required: ['stateful'],
  properties: {
    list_size: { type: 'integer', minimum: 0, maximum: 50, title: 'List size' },
    null_percent: { type: 'number', minimum: 0, maximum: 100, title: 'Null percent of nullable fields' },
    stateful: { enum: ['off', 'session'], title: 'Keep objects that mutations change' },
    introspection: { type: 'boolean', title: 'Introspection' },
    subscription: { title: 'Subscriptions', description: 'A JSON object with count and interval_ms.' },
    batching: { type: 'integer', minimum: 0, maximum: 10, title: 'Operations of a batch' },
    csrf: { type: 'boolean', title: 'Require a preflight' },
    depth: { type: 'integer', minimum: 1, maximum: 100, title: 'Maximum depth' },
    complexity: { type: 'integer', minimum: 1, maximum: 20_000, title: 'Maximum number of fields' },
    delay_ms: { type: 'integer', minimum: 0, title: 'Delay (ms)' },
    seed: { type: 'string', maxLength: 64, title: 'Seed' },
    capture: { type: 'boolean', title: 'Capture requests' },
    block_breaking: { type: 'boolean', title: 'Reject breaking changes' },
  },
}

/** Initial value for a new rule. */
// oxlint-disable-next-line unicorn/no-thenable -- the name of the outcome in a rule
export const NEW_RULE = { enabled: true, match: {}, then: { status: 503 } }
