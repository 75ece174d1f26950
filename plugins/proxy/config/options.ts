/** The section `proxy` of svc.yaml: upstream services. */
import type { JsonSchema } from 'svc/plugin'

export const MODES = ['record', 'replay', 'passthrough', 'replay-or-record'] as const
export type Mode = (typeof MODES)[number]

/** An item of the section. */
export interface UpstreamOptions {
  name: string
  target: string
  mode: Mode
  recordings?: string
  /** A number is a factor: 0.5 is twice as fast. */
  timing: 'none' | 'original' | number
  on_miss: 'error' | 'nearest'
  match_headers: string[]
  ignore: { query?: string[]; headers?: string[]; json?: string[] }
  redact: { headers?: string[]; json?: string[] }
  set_headers: Record<string, string>
  as: 'http' | 'llm'
  timeout_ms: number
  ca_file?: string
}

export const MAX_UPSTREAMS = 50
const MAX_NAMES = 50

const name: JsonSchema = { type: 'string', minLength: 1, maxLength: 200 }
const names: JsonSchema = { type: 'array', items: name, maxItems: MAX_NAMES }
const headerName: JsonSchema = { type: 'string', pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$" }
const headerNames: JsonSchema = { type: 'array', items: headerName, maxItems: MAX_NAMES }
const pointers: JsonSchema = {
  type: 'array',
  description: 'JSON pointers (RFC 6901)',
  items: { type: 'string', pattern: '^(?:/(?:[^~]|~[01])*)+$', maxLength: 1000 },
  maxItems: MAX_NAMES,
}
const path: JsonSchema = { type: 'string', minLength: 1, maxLength: 4096 }

function object(properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false }
}

export const optionsSchema: JsonSchema = {
  type: 'array',
  description: 'Upstream services at /proxy/<name>, whose responses are recorded and replayed',
  default: [],
  maxItems: MAX_UPSTREAMS,
  items: object(
    {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$', description: 'Served at /proxy/<name>' },
      target: {
        type: 'string',
        pattern: '^https?://',
        maxLength: 2000,
        description: 'Base URL of the upstream service; paths are appended to its path',
      },
      mode: { enum: [...MODES], default: 'replay-or-record' },
      recordings: { ...path, description: 'Folder relative to this file. Default: ./recordings/<name>' },
      timing: {
        description: 'Pace of replayed responses: none, original, or a factor (0.5 is twice as fast)',
        anyOf: [{ enum: ['none', 'original'] }, { type: 'number', exclusiveMinimum: 0, maximum: 100 }],
        default: 'none',
      },
      on_miss: {
        enum: ['error', 'nearest'],
        default: 'error',
        description: 'nearest: replay the recording of the same method and path with the fewest differences',
      },
      match_headers: { ...headerNames, default: [], description: 'Request headers that distinguish recordings' },
      ignore: {
        ...object({ query: names, headers: headerNames, json: pointers }),
        default: {},
        description: 'Parts of requests that do not distinguish recordings; ignored headers are not recorded',
      },
      redact: {
        ...object({ headers: headerNames, json: pointers }),
        default: {},
        description: 'Values that are not recorded, in addition to credentials',
      },
      set_headers: {
        type: 'object',
        propertyNames: headerName,
        additionalProperties: { type: 'string', maxLength: 8192 },
        maxProperties: MAX_NAMES,
        default: {},
        description: 'Headers sent to the upstream; ${NAME} is a variable of the process',
        'x-svc-secret': true,
      },
      as: {
        enum: ['http', 'llm'],
        default: 'http',
        description: 'llm: chat exchanges also become rules, which the mock LLM replays in every format',
      },
      timeout_ms: {
        type: 'integer',
        minimum: 1,
        maximum: 600_000,
        default: 60_000,
        description: 'Maximum time until the upstream sends the response head',
      },
      ca_file: { ...path, description: 'PEM file with an additional certificate authority, relative to this file' },
    },
    ['name', 'target'],
  ),
}
