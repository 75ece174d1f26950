/** JSON Schema of the listeners in sections of `svc.yaml`: all sections have the same keys. */
import type { JsonSchema } from '../contract/json-schema.ts'

/** Names of listeners. */
export const LISTENER_NAME = '^[a-z][a-z0-9-]{0,31}$'

const TLS: JsonSchema = {
  description:
    'Whether connections begin with a TLS handshake; or its settings. Default: `false`. Without `cert`, clients get a certificate of the demo CA for the name that they send.',
  anyOf: [
    { type: 'boolean' },
    {
      type: 'object',
      additionalProperties: false,
      dependentRequired: { cert: ['key'], key: ['cert'] },
      properties: {
        cert: { type: 'string', description: 'File with the certificate chain as PEM.' },
        key: { type: 'string', description: 'File with the key as PEM.' },
        client_ca: {
          type: 'string',
          description: 'File with the issuers of client certificates. Default: the demo CA.',
        },
        client: {
          enum: ['none', 'request', 'require'],
          description: 'Whether a certificate of the client is requested. Default: `request`.',
        },
        alpn: {
          type: 'array',
          maxItems: 20,
          items: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
          description: 'Protocols in ALPN, preferred first.',
        },
        min_version: { enum: ['1.2', '1.3'], description: 'Oldest version of TLS. Default: `1.2`.' },
        curves: {
          type: 'array',
          maxItems: 20,
          items: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,40}$' },
          description: 'Groups of the key exchange by names of OpenSSL, preferred first.',
        },
      },
    },
  ],
}

/** Keys of a listener over TCP or UDP. `port` is required. */
export const LISTENER_PROPERTIES: Record<string, JsonSchema> = {
  port: { type: 'integer', minimum: 0, maximum: 65_535, description: 'The port; 0 is a free one.' },
  name: {
    type: 'string',
    pattern: LISTENER_NAME,
    examples: ['echo'],
    description: 'Name of the listener, unique in the instance. Default: the section and the port.',
  },
  host: { type: 'string', maxLength: 100, description: 'Bind address. Default: that of `SVC_HOST`.' },
  tls: TLS,
  proxy_protocol: {
    enum: ['off', 'optional', 'strict'],
    description: 'Whether connections begin with a PROXY protocol header. Default: `off`.',
  },
}

/** Keys of a listener for HTTP. `port` is required. */
export const HTTP_LISTENER_PROPERTIES: Record<string, JsonSchema> = {
  ...LISTENER_PROPERTIES,
  http2: {
    type: 'boolean',
    description: 'Whether HTTP/2 is served: with prior knowledge, with TLS by ALPN. Default: `true`.',
  },
}
