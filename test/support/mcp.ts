/** MCP clients for tests of the wire format: plain requests, and event streams read event by event. */

export const STATELESS_VERSION = '2026-07-28'
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

/** Parsed JSON; the test asserts its shape. */
export interface Json {
  [member: string]: Json
}

/** The items of a JSON array. */
export function items(json: Json | undefined): Json[] {
  return Array.isArray(json) ? json : []
}

export interface McpReply {
  status: number
  headers: Headers
  /** The JSON body, or the last message of a stream. */
  answer: Json
  /** All messages: one for JSON, those of the stream otherwise. */
  messages: Json[]
  isStream: boolean
  text: string
}

type Params = Record<string, unknown>

/** `_meta` of a stateless request. */
export function envelope(capabilities: Params = {}, more: Params = {}): Params {
  return {
    'io.modelcontextprotocol/protocolVersion': STATELESS_VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...more,
  }
}

/** Posts a body unchanged. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<McpReply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json')
  const messages: Json[] = isStream
    ? readEvents(text)
        .filter(event => event.data !== '')
        .map(event => JSON.parse(event.data))
    : isJson && text !== ''
      ? [JSON.parse(text)]
      : []
  return { status: response.status, headers: response.headers, answer: messages.at(-1) ?? {}, messages, isStream, text }
}

/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAMES: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** Headers of a stateless request, derived from its parameters. */
export function routing(method: string, params: Params = {}): Record<string, string> {
  const name = NAMES[method] && params[NAMES[method]]
  return {
    'MCP-Protocol-Version': STATELESS_VERSION,
    'Mcp-Method': method,
    ...(typeof name === 'string' ? { 'Mcp-Name': encode(name) } : {}),
  }
}

/** A stateless request. */
export function call(
  url: string,
  method: string,
  params: Params = {},
  {
    headers = {},
    capabilities = {},
    meta = {},
    id = 1,
  }: { headers?: Record<string, string>; capabilities?: Params; meta?: Params; id?: string | number } = {},
): Promise<McpReply> {
  return post(
    url,
    { jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope(capabilities, meta) } },
    { ...routing(method, params), ...headers },
  )
}

/** A stateless `tools/call`; routed arguments of the demo tools get their headers. */
export function callTool(
  url: string,
  name: string,
  args: Params = {},
  options: Parameters<typeof call>[3] = {},
): Promise<McpReply> {
  const routed: Record<string, string> = {}
  if (typeof args.city === 'string') routed['Mcp-Param-City'] = encode(args.city)
  if (typeof args.customer_id === 'string' && name === 'lookup_customer')
    routed['Mcp-Param-Customer-Id'] = encode(args.customer_id)
  return call(url, 'tools/call', { name, arguments: args }, { ...options, headers: { ...routed, ...options.headers } })
}

/** The value itself if it is valid in a header, otherwise base64. */
function encode(value: string): string {
  return /^[\x21-\x7e]*$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

export interface TestSession {
  id: string
  url: string
  version: string
  headers: Record<string, string>
  /** The response to `initialize`. */
  opened: McpReply
  request(
    method: string,
    params?: Params,
    options?: { headers?: Record<string, string>; id?: string | number },
  ): Promise<McpReply>
  notify(method: string, params?: Params): Promise<McpReply>
  /** GET; the stream stays open until `close`. */
  stream(headers?: Record<string, string>): Promise<TestStream>
  /** Sends a POST and reads its stream event by event. */
  begin(method: string, params?: Params, id?: string | number): Promise<TestStream>
}

/** A session in a protocol version with a handshake. */
export async function openSession(
  url: string,
  {
    version = '2025-11-25',
    capabilities = {},
    headers = {},
  }: { version?: string; capabilities?: Params; headers?: Record<string, string> } = {},
): Promise<TestSession> {
  const opened = await post(
    url,
    {
      jsonrpc: '2.0',
      id: 'init',
      method: 'initialize',
      params: { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } },
    },
    headers,
  )
  const id = opened.headers.get('mcp-session-id') ?? ''
  const own = { ...headers, 'Mcp-Session-Id': id }
  let count = 0
  return {
    id,
    url,
    version,
    opened,
    headers: own,
    request: (method, params = {}, options = {}) =>
      post(url, { jsonrpc: '2.0', id: options.id ?? ++count, method, params }, { ...own, ...options.headers }),
    notify: (method, params) => post(url, { jsonrpc: '2.0', method, params }, own),
    stream: more => openStream(url, { headers: { Accept: 'text/event-stream', ...own, ...more } }),
    begin: (method, params = {}, requestId = ++count) =>
      openStream(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...own },
        body: JSON.stringify({ jsonrpc: '2.0', id: requestId, method, params }),
      }),
  }
}

export interface StreamEvent {
  id?: string
  event?: string
  retry?: string
  data: string
}

export interface TestStream {
  status: number
  headers: Headers
  /** The next event; null at the end. */
  next(): Promise<StreamEvent | null>
  /** The next event that carries a message, parsed; null at the end. */
  message(): Promise<Json | null>
  /** All messages until the end. */
  rest(): Promise<Json[]>
  /** Disconnects abruptly. */
  close(): void
}

/** Opens an event stream that can be read step by step. */
export async function openStream(url: string, init: RequestInit): Promise<TestStream> {
  const leave = new AbortController()
  const response = await fetch(url, { ...init, signal: leave.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<StreamEvent | null> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const [event] = readEvents(text.slice(0, end + 2))
        text = text.slice(end + 2)
        if (event) return event
        continue
      }
      const chunk = await reader?.read()
      if (!chunk || chunk.done) return null
      text += chunk.value
    }
  }
  const message = async (): Promise<Json | null> => {
    for (let event = await next(); event; event = await next()) if (event.data !== '') return JSON.parse(event.data)
    return null
  }
  const rest = async (): Promise<Json[]> => {
    const messages: Json[] = []
    for (let item = await message(); item; item = await message()) messages.push(item)
    return messages
  }
  return { status: response.status, headers: response.headers, next, message, rest, close: () => leave.abort() }
}

/** The events of a stream's text (WHATWG HTML, 9.2); without comments. */
export function readEvents(text: string): StreamEvent[] {
  return text.split('\n\n').flatMap(block => {
    const fields = block
      .split('\n')
      .filter(line => line !== '' && !line.startsWith(':'))
      .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()] as const)
    if (fields.length === 0) return []
    const values = new Map(fields)
    return [{ ...Object.fromEntries(values), data: values.get('data') ?? '' }]
  })
}

/** The text of a tool result. */
export function textOf(reply: McpReply): string {
  return String(reply.answer.result?.content?.[0]?.text)
}
