/** The section `grpc_services` of svc.yaml. */
import type { JsonSchema } from 'svc/plugin'
import { SERVICES } from './catalog.ts'

/** `host:port`, `*.domain:port`, `address:port`, `range:port`; IPv6 addresses in brackets. */
const ENTRY = String.raw`^(?:(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252})|\d{1,3}(?:\.\d{1,3}){3}/(?:[0-9]|[12][0-9]|3[0-2])|\[[0-9A-Fa-f:.]{2,45}\](?:/(?:\d{1,2}|1[01]\d|12[0-8]))?):\d{1,5}$`

export interface GrpcServicesOptions {
  /** Full names of services; absent: all. */
  enable?: string[]
  disable: string[]
  /** Where `ForwardEcho` may connect, besides this instance. */
  forward_allow: string[]
  /** `ServiceVersion` of `EchoTestService`; absent: the version of svc. */
  version?: string
}

const names: JsonSchema = {
  type: 'array',
  maxItems: SERVICES.length,
  uniqueItems: true,
  items: { type: 'string', enum: SERVICES.map(({ name }) => name) },
}

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    enable: { ...names, description: 'Full names of the services that are served. Default: all.' },
    disable: { ...names, default: [], description: 'Full names of services that are not served.' },
    version: {
      type: 'string',
      maxLength: 200,
      pattern: '^[^\\r\\n]*$',
      description: 'The line `ServiceVersion` of proto.EchoTestService. Default: the version of svc.',
    },
    forward_allow: {
      type: 'array',
      maxItems: 100,
      default: [],
      description:
        'Where ForwardEcho may connect, besides ports and hosts of this instance: host:port, *.domain:port or a range of addresses with a port, such as 10.0.0.0/8:8080. Not in public mode.',
      items: { type: 'string', maxLength: 300, pattern: ENTRY },
    },
  },
}
