/** The section `grpc_services` of svc.yaml. */
import type { JsonSchema } from 'svc/plugin'
import { SERVICES } from './catalog.ts'

export interface GrpcServicesOptions {
  /** Full names of services; absent: all. */
  enable?: string[]
  disable: string[]
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
  },
}
