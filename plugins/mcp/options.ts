/** Owns the options of the plugin (section `mcp` of svc.yaml): schema and types. */
import type { HttpListenerEntry, JsonSchema } from 'svc/plugin'
import { HOST_SCHEMA, HTTP_LISTENER_PROPERTIES } from 'svc/toolkit'
import type { JsonObject, ToolAnnotations } from './types.ts'

export interface Options {
  servers: ConfiguredServer[]
  /** Hosts that a server has for itself. */
  hosts: { host: string; server: string }[]
  /** Ports that a server has for itself. */
  listeners: (HttpListenerEntry & { server: string })[]
}

/** A server configured in svc.yaml. */
export interface ConfiguredServer {
  name: string
  /** `serverInfo.name`. Default: `svc-mcp-<name>`. */
  info_name?: string
  title?: string
  description?: string
  instructions?: string
  auth: 'open' | 'apikey' | 'oauth'
  /** Exact key for `auth: apikey`. */
  api_key?: string
  /** Members for `auth: oauth`. */
  issuer?: string
  scopes?: string[]
  dpop?: 'required' | 'optional' | 'off'
  filter_by_scope?: boolean
  /** Names of registered tools, `*`, or tools declared in place. */
  tools: (string | DeclaredTool)[]
  /** URIs and URI templates of registered resources, `*`. */
  resources: string[]
  prompts: string[]
  /** Folder whose sub-folders are skills, relative to svc.yaml. */
  skills?: string
  /** Program of a server that speaks over its standard input and output. */
  command?: string
  args?: string[]
  /** Relative to svc.yaml. Default: the folder of svc.yaml. */
  cwd?: string
  /** Variables of the process; `${NAME}` is replaced by a variable of svc's process. */
  env?: Record<string, string>
  per?: 'instance' | 'session'
  /** URL of a server on another host; `${NAME}` as in `env`. */
  url?: string
  headers?: Record<string, string>
  revision?: 'auto' | 'stateless' | 'session'
  /** Names of headers of the client that are passed on. */
  forward?: string[]
  /** Certificate authority in addition to the usual ones, relative to svc.yaml. */
  ca_file?: string
  /** For a call of a bridged server. */
  timeout_ms?: number
}

/** A tool that exists only on one configured server and returns configured answers. */
export interface DeclaredTool {
  name: string
  title?: string
  description?: string
  input_schema?: JsonSchema
  output_schema?: JsonSchema
  annotations?: ToolAnnotations
  scope?: string
  answers: DeclaredAnswer[]
}

/** An answer; it has `text`, `structured` or `content`. */
export interface DeclaredAnswer {
  /** Value tests of the arguments for which the answer is used. Default: any arguments. */
  when?: JsonObject
  text?: string
  structured?: JsonObject
  /** Content blocks, sent unchanged except for `{{args…}}`. */
  content?: JsonObject[]
  is_error?: boolean
  delay_ms?: number
  /** False: references are not replaced. */
  template?: boolean
}

const text = (maxLength: number): JsonSchema => ({ type: 'string', maxLength })
/** Names and values, such as headers. */
const texts = (maxProperties: number): JsonSchema => ({
  type: 'object',
  maxProperties,
  additionalProperties: { type: 'string', maxLength: 10_000 },
  'x-svc-secret': true,
})
const names: JsonSchema = { type: 'array', items: { type: 'string', maxLength: 500 }, maxItems: 200, default: [] }

const answer: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  anyOf: [{ required: ['text'] }, { required: ['structured'] }, { required: ['content'] }],
  properties: {
    when: { type: 'object', description: 'Values or value tests by the name of an argument' },
    text: { type: 'string' },
    structured: { type: 'object' },
    content: { type: 'array', items: { type: 'object', required: ['type'] }, maxItems: 100 },
    is_error: { type: 'boolean' },
    delay_ms: { type: 'integer', minimum: 0 },
    template: { type: 'boolean', default: true },
  },
}

const declaredTool: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,128}$' },
    title: text(200),
    description: text(4000),
    input_schema: { type: 'object' },
    output_schema: { type: 'object' },
    annotations: {
      type: 'object',
      additionalProperties: false,
      properties: {
        title: text(200),
        readOnlyHint: { type: 'boolean' },
        destructiveHint: { type: 'boolean' },
        idempotentHint: { type: 'boolean' },
        openWorldHint: { type: 'boolean' },
      },
    },
    scope: text(200),
    answers: { type: 'array', items: answer, maxItems: 200, default: [] },
  },
}

const server: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,63}$' },
    info_name: { type: 'string', minLength: 1, maxLength: 200 },
    title: text(200),
    description: text(4000),
    instructions: text(20_000),
    auth: { enum: ['open', 'apikey', 'oauth'], default: 'open' },
    api_key: { type: 'string', minLength: 1, maxLength: 1000, 'x-svc-secret': true },
    issuer: { type: 'string', minLength: 1, maxLength: 200 },
    // Characters of a scope (RFC 6749, 3.3).
    scopes: {
      type: 'array',
      items: { type: 'string', pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,200}$' },
      maxItems: 50,
      uniqueItems: true,
    },
    dpop: { enum: ['required', 'optional', 'off'] },
    filter_by_scope: { type: 'boolean' },
    // `if` instead of `anyOf`, so that an error is reported once and not for both alternatives.
    tools: {
      type: 'array',
      maxItems: 200,
      default: [],
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      items: { type: ['string', 'object'], if: { type: 'object' }, then: declaredTool },
    },
    resources: names,
    prompts: names,
    skills: { type: 'string', minLength: 1, maxLength: 1000 },
    command: { type: 'string', minLength: 1, maxLength: 1000 },
    args: { type: 'array', items: text(10_000), maxItems: 100, 'x-svc-secret': true },
    cwd: { type: 'string', minLength: 1, maxLength: 1000 },
    env: texts(100),
    per: { enum: ['instance', 'session'] },
    url: { type: 'string', minLength: 1, maxLength: 2000 },
    headers: texts(50),
    revision: { enum: ['auto', 'stateless', 'session'] },
    forward: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: 50 },
    ca_file: { type: 'string', minLength: 1, maxLength: 1000 },
    timeout_ms: { type: 'integer', minimum: 1, maximum: 60_000 },
  },
}

export const optionsSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    servers: { type: 'array', items: server, maxItems: 50, default: [] },
    listeners: {
      description: 'Ports whose requests are all answered by a server',
      type: 'array',
      maxItems: 64,
      default: [],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['port', 'server'],
        properties: {
          ...HTTP_LISTENER_PROPERTIES,
          server: { type: 'string', description: 'Name of a server, such as default' },
        },
      },
    },
    hosts: {
      description: 'Hosts whose requests are all answered by a server',
      type: 'array',
      maxItems: 100,
      default: [],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['host', 'server'],
        properties: { host: HOST_SCHEMA, server: { type: 'string', description: 'Name of a server, such as default' } },
      },
    },
  },
}
