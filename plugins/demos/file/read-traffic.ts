/** Reads the traffic of a step: `send`. */
import type { Json, JsonObject } from 'svc/plugin'
import { asObject, asText, below, InputProblem } from 'svc/toolkit'
import {
  AGENT_CLIENTS,
  CERTIFICATES,
  LLM_FORMATS,
  type HttpTraffic,
  type McpAction,
  type Traffic,
  type TrafficKind,
  type Variant,
} from './demo.ts'
import { BOUNDS } from './bounds.ts'
import { readLogin } from './read-login.ts'
import { Part } from './values.ts'

const PACE = ['times', 'per_second', 'for_s', 'concurrency', 'as', 'timeout_ms', 'disconnect_after_ms', 'acknowledge']
const HTTP = [
  'method',
  'path',
  'query',
  'headers',
  'json',
  'body',
  'body_bytes',
  'form',
  'bearer',
  'basic',
  'http2',
  'follow',
  'cookies',
  'read',
  'certificate',
  'server_name',
]
const KINDS = ['llm', 'mcp', 'a2a', 'graphql', 'jsonrpc', 'websocket', 'grpc', 'login', 'agent']
const TOKEN = /^[!#$%&'*+.^_`|~\w-]{1,200}$/
const SERVER_NAME = /^[\w.-]{1,253}$/
const MAX_S = 120
/** Of `body_bytes`, and of requests that are sent at the same time. */
const MAX_BODY = 4 * 1024 * 1024
const MAX_CROWDED_BODY = 64 * 1024

/** Throws `InputProblem`. */
export function readTraffic(value: Json, at: string): Traffic {
  const part = new Part(value, at, [...PACE, ...HTTP, ...KINDS])
  const kind = part.onlyOne(KINDS)
  const times = part.integerOr('times', 1, BOUNDS.requests, null)
  const perSecond = part.numberOr('per_second', 0.01, BOUNDS.perSecond, null)
  const forS = part.numberOr('for_s', 0.1, MAX_S, null)
  if (forS !== null && times !== null) throw new InputProblem(part.place('times'), 'times and for_s cannot be combined')
  if (forS !== null && perSecond !== null && forS * perSecond > BOUNDS.requests)
    throw new InputProblem(part.place('for_s'), `expected at most ${BOUNDS.requests} requests in a step`)
  return {
    times: times ?? 1,
    perSecond,
    forMs: forS === null ? null : forS * 1000,
    concurrency: part.integerOr('concurrency', 1, BOUNDS.concurrency, 1),
    variants: part.list('as', 20).map((one, index) => readVariant(one, below(part.place('as'), index))),
    timeoutMs: part.integerOr('timeout_ms', 1, MAX_S * 1000, null),
    leaveAfterMs: part.integerOr('disconnect_after_ms', 0, MAX_S * 1000, null),
    acknowledge: part.optionalText('acknowledge'),
    kind: readKind(part, kind),
  }
}

function readVariant(value: Json, at: string): Variant {
  const part = new Part(value, at, ['share', 'headers', 'bearer', 'path'])
  return {
    share: part.numberOr('share', 0, 1, null),
    headers: headersOf(part, 'headers'),
    bearer: part.optionalText('bearer'),
    path: part.has('path') ? part.path('path') : null,
  }
}

function readKind(part: Part, kind: string | undefined): TrafficKind {
  if (kind === 'graphql' || kind === 'jsonrpc') return rpcOver(part, kind)
  if (kind === undefined) return readHttp(part)
  const own = ['headers', 'bearer']
  const foreign = HTTP.find(key => !own.includes(key) && part.has(key))
  if (foreign !== undefined) throw new InputProblem(part.place(foreign), `${kind} and ${foreign} cannot be combined`)
  const common = { headers: headersOf(part, 'headers'), bearer: part.optionalText('bearer') }
  const value = part.given[kind]
  const at = part.place(kind)
  switch (kind) {
    case 'llm':
      return readLlm(value, at, common)
    case 'mcp':
      return readMcp(value, at, common)
    case 'a2a':
      return readA2a(value, at, common)
    case 'agent':
      return readAgent(value, at, common)
    case 'login':
      return readLogin(value, at, common.headers)
    case 'grpc':
      return readGrpc(value, at, common)
    default:
      return readWebSocket(value, at, common)
  }
}

interface Common {
  headers: Record<string, string>
  bearer: string | null
}

function readHttp(part: Part, body = bodyOf(part), method = part.textOr('method', 'GET')): TrafficKind {
  if (!TOKEN.test(method)) throw new InputProblem(part.place('method'), 'expected a method such as POST')
  if (part.has('bearer') && part.has('basic'))
    throw new InputProblem(part.place('basic'), 'bearer and basic cannot be combined')
  return {
    kind: 'http',
    method,
    path: part.path('path'),
    query: part.named('query'),
    headers: { ...body.headers, ...headersOf(part, 'headers') },
    body: body.text,
    bearer: part.optionalText('bearer'),
    basic: part.optionalText('basic'),
    http2: part.flag('http2'),
    follow: part.flag('follow'),
    cookies: part.flag('cookies'),
    read: part.has('read') ? part.oneOf('read', ['all', 'events', 'none'] as const) : 'all',
    ...tlsOf(part),
  }
}

/** How the client makes its TLS connection. */
export function tlsOf(part: Part): Pick<HttpTraffic, 'certificate' | 'serverName'> {
  const serverName = part.optionalText('server_name')
  if (serverName !== null && !SERVER_NAME.test(serverName))
    throw new InputProblem(part.place('server_name'), 'expected a name such as api.example')
  return { certificate: part.has('certificate') ? part.oneOf('certificate', CERTIFICATES) : null, serverName }
}

interface Body {
  headers: Record<string, string>
  text: string | null
}

function bodyOf(part: Part): Body {
  const kind = part.onlyOne(['json', 'body', 'body_bytes', 'form'])
  if (kind === 'body_bytes') return { headers: {}, text: 'x'.repeat(part.integer('body_bytes', 0, bodyBound(part))) }
  if (kind === 'json') return { headers: { 'content-type': 'application/json' }, text: JSON.stringify(part.given.json) }
  if (kind === 'form')
    return {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      text: new URLSearchParams(part.named('form')).toString(),
    }
  return { headers: {}, text: kind === undefined ? null : asText(part.given.body, part.place('body'), 64 * 1024) }
}

/** Large bodies are sent one at a time. */
function bodyBound(part: Part): number {
  const isAlone = !part.has('per_second') && part.integerOr('concurrency', 1, BOUNDS.concurrency, 1) === 1
  return isAlone ? MAX_BODY : MAX_CROWDED_BODY
}

/** GraphQL over HTTP, and JSON-RPC 2.0 over HTTP. */
function rpcOver(part: Part, kind: 'graphql' | 'jsonrpc'): TrafficKind {
  for (const key of ['json', 'body', 'body_bytes', 'form', 'method'])
    if (part.has(key)) throw new InputProblem(part.place(key), `${kind} and ${key} cannot be combined`)
  const own = new Part(
    part.given[kind],
    part.place(kind),
    kind === 'graphql' ? ['query', 'variables', 'operation'] : ['method', 'params', 'id'],
  )
  const message: JsonObject =
    kind === 'graphql'
      ? {
          query: own.text('query'),
          ...(own.has('variables') ? { variables: own.object('variables') } : {}),
          ...(own.has('operation') ? { operationName: own.text('operation') } : {}),
        }
      : {
          jsonrpc: '2.0',
          method: own.text('method'),
          ...(own.has('params') ? { params: own.given.params! } : {}),
          id: own.given.id ?? 1,
        }
  const headers = { 'content-type': 'application/json' }
  const path = part.has('path')
    ? part
    : new Part({ ...part.given, path: `/${kind}` }, part.at, Object.keys({ ...part.given, path: '' }))
  return readHttp(path, { headers, text: JSON.stringify(message) }, 'POST')
}

function readLlm(value: Json | undefined, at: string, common: Common): TrafficKind {
  const part = new Part(value, at, ['format', 'model', 'prompt', 'system', 'messages', 'stream', 'tools', 'max_tokens'])
  if (part.onlyOne(['prompt', 'messages']) === undefined)
    throw new InputProblem(part.place('prompt'), 'expected prompt or messages')
  const messages = part.has('prompt')
    ? [{ role: 'user', content: part.text('prompt', 32_768) }]
    : part.list('messages', 100).map((one, index) => {
        const message = new Part(one, below(part.place('messages'), index), ['role', 'content'])
        return { role: message.oneOf('role', ['user', 'assistant'] as const), content: message.text('content', 32_768) }
      })
  return {
    kind: 'llm',
    format: part.has('format') ? part.oneOf('format', LLM_FORMATS) : 'openai',
    model: part.textOr('model', 'gpt-4o-mini'),
    messages,
    system: part.optionalText('system'),
    stream: part.flag('stream'),
    tools: part.list('tools', 128).map((tool, index) => asObject(tool, below(part.place('tools'), index))),
    maxTokens: part.integerOr('max_tokens', 1, 1_000_000, null),
    ...common,
  }
}

const LISTS = ['list_tools', 'list_prompts', 'list_resources', 'ping'] as const

function readMcp(value: Json | undefined, at: string, { headers, bearer }: Common): TrafficKind {
  const part = new Part(value, at, ['path', 'do', 'revision', 'token', 'elicit'])
  const actions = part.list('do', 50).map((one, index) => readAction(one, below(part.place('do'), index)))
  if (actions.length === 0) throw new InputProblem(part.place('do'), 'expected a list such as [list_tools]')
  return {
    kind: 'mcp',
    path: part.has('path') ? part.path('path') : '/mcp',
    actions,
    revision: part.optionalText('revision'),
    token: part.optionalText('token') ?? bearer,
    elicit: part.has('elicit') ? part.object('elicit') : null,
    headers,
  }
}

export function readAction(value: Json, at: string): McpAction {
  if (typeof value === 'string') {
    const word = LISTS.find(one => one === value)
    if (word === undefined)
      throw new InputProblem(at, `expected one of ${LISTS.join(', ')}, or an object such as {call: name}`)
    return { do: word }
  }
  const part = new Part(value, at, ['call', 'prompt', 'arguments'])
  const kind = part.onlyOne(['call', 'prompt'])
  if (kind === undefined) throw new InputProblem(at, 'expected call or prompt')
  return { do: kind as 'call' | 'prompt', name: part.text(kind), arguments: part.object('arguments') }
}

function readA2a(value: Json | undefined, at: string, common: Common): TrafficKind {
  const part = new Part(value, at, ['agent', 'text', 'stream', 'card'])
  const kind = part.onlyOne(['agent', 'card'])
  if (kind === undefined) throw new InputProblem(at, 'expected agent or card')
  return {
    kind: 'a2a',
    isCard: kind === 'card',
    agent: part.text(kind),
    text: kind === 'card' ? '' : part.text('text'),
    stream: part.flag('stream'),
    ...common,
  }
}

function readWebSocket(value: Json | undefined, at: string, { headers, bearer }: Common): TrafficKind {
  const part = new Part(value, at, ['path', 'messages', 'for_ms'])
  return {
    kind: 'websocket',
    path: part.path('path'),
    messages: part.texts('messages', 100),
    forMs: part.integerOr('for_ms', 1, MAX_S * 1000, 1000),
    headers: { ...headers, ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }) },
  }
}

/** The most requests of an agent to its model. */
const MAX_TURNS = 50

function readAgent(value: Json | undefined, at: string, common: Common): TrafficKind {
  const part = new Part(value, at, ['client', 'scenario', 'turns'])
  return {
    kind: 'agent',
    client: part.oneOf('client', AGENT_CLIENTS),
    scenario: part.optionalText('scenario'),
    turns: part.integerOr('turns', 1, MAX_TURNS, null),
    ...common,
  }
}

const SERVICE = /^[A-Za-z_]\w{0,99}(?:\.[A-Za-z_]\w{0,99}){0,15}$/

function readGrpc(value: Json | undefined, at: string, common: Common): TrafficKind {
  const part = new Part(value, at, ['service', 'method', 'message', 'metadata', 'deadline_ms', 'web'])
  const [service, method] = [part.text('service'), part.text('method')]
  if (!SERVICE.test(service))
    throw new InputProblem(part.place('service'), 'expected a full name such as svc.echo.v1.EchoService')
  if (!/^[A-Za-z_]\w{0,99}$/.test(method)) throw new InputProblem(part.place('method'), 'expected a name such as Echo')
  const messages = Array.isArray(part.given.message)
    ? part.list('message', 100).map((one, index) => asObject(one, below(part.place('message'), index)))
    : [part.object('message')]
  return {
    kind: 'grpc',
    service,
    method,
    messages,
    deadlineMs: part.integerOr('deadline_ms', 1, MAX_S * 1000, null),
    isWeb: part.flag('web'),
    headers: { ...common.headers, ...headersOf(part, 'metadata') },
    bearer: common.bearer,
  }
}

/** Header fields by name. */
export function headersOf(part: Part, key: string): Record<string, string> {
  const headers = part.named(key)
  for (const [name, value] of Object.entries(headers)) {
    const at = below(part.place(key), name)
    if (!TOKEN.test(name)) throw new InputProblem(at, 'the name of the header is not valid')
    if (['host', 'content-length', 'transfer-encoding', 'connection'].includes(name.toLowerCase()))
      throw new InputProblem(at, `${name} is set by the client`)
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
      throw new InputProblem(at, 'the value has characters that a header cannot have')
  }
  return headers
}
