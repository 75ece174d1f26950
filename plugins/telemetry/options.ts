/** The section `telemetry` of `svc.yaml`. */
import type { JsonSchema, Svc } from 'svc/plugin'
import { unknownName } from 'svc/toolkit'
import type { FactName } from './records/http-facts.ts'

/** What a host can have at its root, and where the same is on other hosts. */
export const MOUNTS = { otlp: '/otlp' } as const

export interface TelemetryOptions {
  hosts: { host: string; serve: keyof typeof MOUNTS }[]
  fields: Record<string, string>
}

const FACTS: readonly FactName[] = [
  'request_id',
  'method',
  'path',
  'status',
  'upstream_status',
  'attempts',
  'duration_ms',
  'bytes_sent',
  'bytes_received',
  'response_flags',
  'upstream',
]

export const SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    hosts: {
      type: 'array',
      maxItems: 20,
      default: [],
      description: 'Hosts whose root is a sink.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['host', 'serve'],
        properties: {
          host: { type: 'string', pattern: '^(?:\\*\\.)?[A-Za-z0-9.-]{1,253}$' },
          serve: { enum: Object.keys(MOUNTS) },
        },
      },
    },
    fields: {
      type: 'object',
      maxProperties: 50,
      default: {},
      description: 'Names of fields of logs, and of attributes, with what they hold: `{"my_status": "status"}`.',
      propertyNames: { maxLength: 200 },
      additionalProperties: { type: 'string' },
    },
  },
}

/** Names of fields by the fact that they hold; unknown facts are reported. */
export function readFields(svc: Svc<TelemetryOptions>): ReadonlyMap<FactName, readonly string[]> {
  const fields = new Map<FactName, string[]>()
  for (const [name, fact] of Object.entries(svc.options.fields)) {
    const known = FACTS.find(one => one === fact)
    if (known === undefined) svc.reportLoadError({ at: `fields.${name}`, ...unknownName('field', fact, FACTS) })
    else fields.set(known, [...(fields.get(known) ?? []), name])
  }
  return fields
}
