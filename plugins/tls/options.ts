/** The options of the plugin. */
import type { JsonSchema } from 'svc/plugin'

export interface TlsOptions {
  slow_ms: number
  base_url?: string
}

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
    base_url: {
      type: 'string',
      maxLength: 500,
      pattern: '^https?://[^\\s?#]{1,480}[^\\s?#/]$',
      description: 'Address in certificates for CRL, OCSP and CA. Default: the HTTP port on localhost.',
    },
  },
}
