/** The section `telemetry` of `svc.yaml`. */
import type { JsonSchema, Svc } from 'svc/plugin'
import { unknownName } from 'svc/toolkit'
import type { FactName } from './records/http-facts.ts'
import type { SinkPorts } from './sockets/ports.ts'

/** What a host can have at its root, and where the same is on other hosts. */
export const MOUNTS = { otlp: '/otlp', zipkin: '/zipkin', datadog: '/datadog', logs: '/logs' } as const

export interface TelemetryOptions {
  hosts: { host: string; serve: keyof typeof MOUNTS }[]
  fields: Record<string, string>
  syslog?: SinkPorts
  statsd?: SinkPorts
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

const ports = (what: string): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  description: `Ports that receive ${what}; 0 is a free one. Default: none. Not opened in public mode.`,
  properties: {
    udp: { type: 'integer', minimum: 0, maximum: 65_535, description: 'The UDP port.' },
    tcp: { type: 'integer', minimum: 0, maximum: 65_535, description: 'The TCP port.' },
  },
})

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
    syslog: ports('syslog messages (RFC 5424, RFC 3164)'),
    statsd: ports('StatsD and DogStatsD metrics'),
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
    if (known === undefined)
      svc.reportLoadError({ at: `telemetry.fields.${name}`, ...unknownName('field', fact, FACTS) })
    else fields.set(known, [...(fields.get(known) ?? []), name])
  }
  return fields
}
