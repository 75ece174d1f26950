/** The options of the plugin. */
import type { JsonSchema } from 'svc/plugin'
import { KINDS } from './kinds.ts'

export interface TlsOptions {
  slow_ms: number
  base_url?: string
  ports: Record<string, number>
}

const PORT: JsonSchema = { type: 'integer', minimum: 0, maximum: 65_535 }

export const OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    slow_ms: {
      type: 'integer',
      minimum: 0,
      maximum: 30_000,
      default: 3000,
      description: 'Delay of slow-handshake in milliseconds.',
    },
    ports: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(Object.keys(KINDS).map(kind => [kind, PORT])),
      maxProperties: 32,
      default: {},
      description: 'Ports of their own for endpoints, for clients that send no server name; 0 for a free port.',
    },
    base_url: {
      type: 'string',
      maxLength: 500,
      pattern: '^https?://[^\\s?#]{1,480}[^\\s?#/]$',
      description: 'Address in certificates for CRL, OCSP and CA. Default: the HTTP port on localhost.',
    },
  },
}
