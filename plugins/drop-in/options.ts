/** The section `drop_in` of svc.yaml. */
import type { HttpListenerEntry, JsonSchema } from 'svc/plugin'
import { HOST_SCHEMA, HTTP_LISTENER_PROPERTIES } from 'svc/toolkit'

/** What an entry says about the server that it serves. */
export interface FlavourSettings {
  /** http-echo: the body. */
  text?: string
  /** http-echo: the status. */
  status?: number
  /** whoami: the name that it shows. */
  name?: string
  /** istio-echo: the lines `ServiceVersion`, `Cluster`, `IstioVersion`, `Namespace`. */
  version?: string
  cluster?: string
  istio_version?: string
  namespace?: string
}

interface Served extends FlavourSettings {
  /** Name of a flavour. */
  serve: string
}

/** Servers whose request headers have their meaning on all routes. */
const ALIASES = ['testupstream'] as const

export interface DropInOptions {
  aliases: (typeof ALIASES)[number][]
  prefixes: (Served & { path: string })[]
  hosts: (Served & { host: string })[]
  /** `name` is that of the listener, so whoami shows `as`. */
  listeners: (Omit<Served, 'name'> & HttpListenerEntry & { as?: string; prefix?: string })[]
}

const PATH = String.raw`^(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)+$`
const line: JsonSchema = { type: 'string', maxLength: 253, pattern: '^[^\\r\\n]*$' }

const SETTINGS: Record<string, JsonSchema> = {
  text: { type: 'string', minLength: 1, maxLength: 65_536, description: 'http-echo: the body' },
  status: { type: 'integer', minimum: 200, maximum: 599, description: 'http-echo: the status; default 200' },
  version: { ...line, description: 'istio-echo: the line ServiceVersion' },
  cluster: { ...line, description: 'istio-echo: the line Cluster' },
  istio_version: { ...line, description: 'istio-echo: the line IstioVersion' },
  namespace: { ...line, description: 'istio-echo: the line Namespace' },
}
const serve: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'Name of a flavour, such as whoami',
}

function entries(
  description: string,
  max: number,
  required: string[],
  properties: Record<string, JsonSchema>,
): JsonSchema {
  return {
    type: 'array',
    description,
    maxItems: max,
    default: [],
    items: { type: 'object', additionalProperties: false, required, properties: { ...properties, serve, ...SETTINGS } },
  }
}

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    aliases: {
      type: 'array',
      description: 'Servers whose request headers are read on all routes, as X-Svc-Expect and X-Svc-Answer are.',
      maxItems: ALIASES.length,
      uniqueItems: true,
      default: [],
      items: { enum: [...ALIASES] },
    },
    hosts: entries(
      'Hosts whose requests are all answered by a flavour. The first match counts.',
      100,
      ['host', 'serve'],
      {
        host: HOST_SCHEMA,
        name: { ...line, description: 'whoami: the name that it shows' },
      },
    ),
    prefixes: entries(
      'Path prefixes whose requests are all answered by a flavour. The longest one counts.',
      50,
      ['path', 'serve'],
      {
        path: {
          type: 'string',
          maxLength: 200,
          pattern: PATH,
          examples: ['/apps/blue'],
          description: 'The prefix, such as /apps/blue.',
        },
        name: { ...line, description: 'whoami: the name that it shows' },
      },
    ),
    listeners: entries('Ports whose requests are all answered by a flavour.', 64, ['port', 'serve'], {
      ...HTTP_LISTENER_PROPERTIES,
      as: { ...line, description: 'whoami: the name that it shows' },
      prefix: {
        type: 'string',
        maxLength: 200,
        pattern: PATH,
        description: 'Path prefix that requests have; other paths are unknown.',
      },
    }),
  },
}
