/** The section `httpbin` of svc.yaml. */
import type { JsonSchema } from 'svc/plugin'
import { HOST_SCHEMA } from 'svc/toolkit'
import type { Original } from './operation.ts'

export type Served = Original | 'echo-basic'

export interface HttpbinOptions {
  flavour: Original
  root: boolean
  hosts: { host: string; serve: Served }[]
  redirect_hosts: string[]
  echo_basic: EchoBasicOptions
}

/** What the echo server says about where it runs. */
export interface EchoBasicOptions {
  namespace?: string
  ingress?: string
  service?: string
  pod?: string
}

const HOST = '^(?:\\*|(?:\\*\\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?|[0-9A-Fa-f:]{2,45})$'
const text: JsonSchema = { type: 'string', maxLength: 253 }

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    flavour: {
      type: 'string',
      enum: ['httpbin', 'go-httpbin'],
      default: 'httpbin',
      description: 'The server whose responses /httpbin and the root reproduce.',
    },
    root: {
      type: 'boolean',
      default: true,
      description: 'Also serve the paths at the root that nothing else has there.',
    },
    hosts: {
      type: 'array',
      maxItems: 100,
      default: [],
      description: 'Hosts whose requests are all served as by one of the servers. The first match counts.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['host', 'serve'],
        properties: {
          host: HOST_SCHEMA,
          serve: { type: 'string', enum: ['httpbin', 'go-httpbin', 'echo-basic'] },
        },
      },
    },
    redirect_hosts: {
      type: 'array',
      maxItems: 100,
      default: [],
      description: 'Public mode: further hosts that /redirect-to may name.',
      items: { type: 'string', pattern: HOST },
    },
    echo_basic: {
      type: 'object',
      additionalProperties: false,
      default: {},
      description: 'What echo-basic says about where it runs, instead of the variables of the process.',
      properties: { namespace: text, ingress: text, service: text, pod: text },
    },
  },
}
