/** The setup of the playground, and the request built from it. */
import { isRecord } from '../../../../../core/contract/record.ts'
import type { OutgoingRequest } from '../../lib/instance/gateway.ts'
import { parseJson, type NameValue } from '../../lib/protocol/http.ts'
import { trimEndCharacters } from '../../lib/protocol/trim.ts'
import type { Gateway } from '../../lib/shell/storage.ts'
import { formatOf } from './formats/index.ts'
import type { ModelRequest, Tool, Turn, WireFormat } from './types.ts'

/** A provider, as `GET /ai` lists it. */
export interface Provider {
  id: string
  format: string
  title: string
  base_path: string
  credentials: string[]
  models: string[]
  /** How strictly its requests are checked; absent if it has no rules. */
  validation?: string
}

export interface AiIndex {
  providers: Provider[]
  modes: string[]
  fail_kinds: string[]
}

/** A provider, one of its models, and the gateway to use. */
export interface ModelTarget {
  provider: string
  model: string
  /** Null: direct. */
  gateway: Gateway | null
}

export interface Setup {
  key: string
  /** Replaces the provider's base path; empty: the path from the instance. */
  basePath: string
  system: string
  stream: boolean
  temperature: string
  maxTokens: string
  offersTools: boolean
  tools: string
  responseFormat: 'text' | 'json' | 'schema'
  schema: string
  mode: string
  fault: string
  faultPercent: string
  latencyMs: string
  ttftMs: string
  tokensPerSecond: string
  headers: NameValue[]
}

/** Texts that fit the narrow editor. */
const WEATHER = `[{
  "name": "get_weather",
  "description": "Weather of a city",
  "parameters": {
    "type": "object",
    "properties": {
      "city": { "type": "string" },
      "unit": { "enum": ["C", "F"] }
    },
    "required": ["city"]
  }
}]`
const CUSTOMER = `{
  "type": "object",
  "properties": {
    "name": { "type": "string" },
    "tier": { "enum": ["gold", "silver"] },
    "orders": { "type": "integer" }
  },
  "required": ["name", "tier", "orders"],
  "additionalProperties": false
}`

export const DEFAULT_SETUP: Setup = {
  key: 'demo-key-1234',
  basePath: '',
  system: '',
  stream: true,
  temperature: '',
  maxTokens: '',
  offersTools: false,
  tools: WEATHER,
  responseFormat: 'text',
  schema: CUSTOMER,
  mode: '',
  fault: '',
  faultPercent: '',
  latencyMs: '',
  ttftMs: '',
  tokensPerSecond: '',
  headers: [],
}

/** The tools of a namespace of OpenAI's Responses API, by the flat names that all wire formats have. */
function toolsOf(item: unknown): unknown[] {
  const { type, name: namespace, tools } = (item ?? {}) as { type?: unknown; name?: unknown; tools?: unknown }
  if (type !== 'namespace' || !Array.isArray(tools)) return [item]
  return tools.map((tool: unknown) => {
    const { name } = (tool ?? {}) as { name?: unknown }
    return typeof name === 'string' && name !== ''
      ? { ...(tool as object), name: `${String(namespace)}__${name}` }
      : tool
  })
}

/** The tools from the editor, or an error. */
export function readTools(text: string): { tools: Tool[]; error: string | null } {
  const value = parseJson(text)
  if (!Array.isArray(value)) return { tools: [], error: 'The tools must be a JSON array.' }
  const tools: Tool[] = []
  for (const item of (value as unknown[]).flatMap(toolsOf)) {
    const {
      name,
      description = '',
      parameters,
      function: wrapped,
    } = (item ?? {}) as { name?: unknown; description?: unknown; parameters?: unknown; function?: object }
    if (wrapped !== undefined)
      return {
        tools: [],
        error: 'A tool must have only name, description and parameters; the console adds what the wire format needs.',
      }
    if (typeof name !== 'string' || name === '') return { tools: [], error: `Tool ${tools.length + 1} has no name.` }
    tools.push({
      name,
      description: String(description),
      parameters:
        typeof parameters === 'object' && parameters !== null ? parameters : { type: 'object', properties: {} },
    })
  }
  return { tools, error: null }
}

/** Why the setup is invalid, or null if it is valid. */
export function problemOf({ offersTools, tools, responseFormat, schema }: Setup): string | null {
  if (offersTools && readTools(tools).error !== null) return readTools(tools).error
  const value = parseJson(schema)
  return responseFormat === 'schema' && !isRecord(value) ? 'The response schema must be a JSON object.' : null
}

export function modelRequestOf(setup: Setup, model: string, turns: readonly Turn[]): ModelRequest {
  const number = (text: string) => (text.trim() === '' || Number.isNaN(Number(text)) ? null : Number(text))
  return {
    model,
    turns,
    system: setup.system.trim(),
    stream: setup.stream,
    temperature: number(setup.temperature),
    maxTokens: number(setup.maxTokens),
    tools: setup.offersTools ? readTools(setup.tools).tools : [],
    format: setup.responseFormat === 'schema' ? (parseJson(setup.schema) as object) : setup.responseFormat,
  }
}

/** The X-Svc headers from the setup, and the user's own headers. */
export function svcHeaders({
  mode,
  fault,
  faultPercent,
  latencyMs,
  ttftMs,
  tokensPerSecond,
  headers,
}: Setup): NameValue[] {
  const given: [string, string][] = [
    ['X-Svc-Mode', mode],
    ['X-Svc-Fail', fault === '' ? '' : `${fault}${faultPercent.trim() === '' ? '' : `:${faultPercent.trim()}`}`],
    ['X-Svc-Latency-Ms', latencyMs],
    ['X-Svc-TTFT-Ms', ttftMs],
    ['X-Svc-Tokens-Per-Second', tokensPerSecond],
  ]
  return [
    ...given.filter(([, value]) => value.trim() !== '').map(([name, value]) => ({ name, value: value.trim() })),
    ...headers.filter(({ name }) => name.trim() !== ''),
  ]
}

/** A request to send, and the format to read its response with. */
export interface Prepared {
  request: OutgoingRequest
  format: WireFormat
  body: object
}

/** Throws for a wire format that the console does not support. */
export function prepare(
  setup: Setup,
  provider: Provider,
  model: string,
  gateway: Gateway | null,
  turns: readonly Turn[],
): Prepared {
  const format = formatOf(provider.format)
  if (format === null)
    throw new Error(`The console does not support the wire format ${provider.format}. Use the API explorer instead.`)
  const { path, body, headers = {} } = format.request(modelRequestOf(setup, model, turns))
  const list = [
    { name: 'Content-Type', value: 'application/json' },
    ...Object.entries(headers).map(([name, value]) => ({ name, value })),
    ...(setup.key === '' ? [] : [format.credential(setup.key)]),
    ...svcHeaders(setup),
  ]
  return {
    format,
    body,
    request: {
      method: 'POST',
      path: baseOf(setup, provider) + path,
      headers: list,
      body: JSON.stringify(body),
      gateway,
    },
  }
}

export function baseOf({ basePath }: Setup, provider: Provider): string {
  return basePath.trim() === '' ? provider.base_path : `/${trimEndCharacters(basePath.trim().replace(/^\/+/, ''), '/')}`
}
