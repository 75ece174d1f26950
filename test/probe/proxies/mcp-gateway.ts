/**
 * A small gateway that is an MCP server for its clients and a client of svc's: with sessions, request ids, progress tokens and ids
 * of events of its own, names of tools with a prefix, and one older revision. All other requests are forwarded as they are.
 */
import { randomUUID } from 'node:crypto'
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface McpFault {
  /** Answers calls itself, with tools of its own. */
  isAlone?: boolean
  /** Responses keep the id that the gateway gave the request. */
  keepsOwnId?: boolean
  /** Notifications of progress keep the token of the gateway. */
  keepsOwnToken?: boolean
  /** Requests are forwarded without their progress token. */
  dropsToken?: boolean
  /** Each event has the same id. */
  repeatsEventIds?: boolean
  /** Events have no ids, as those of a server whose streams cannot be resumed. */
  dropsEventIds?: boolean
  /** Events are held back until the stream ends. */
  buffers?: boolean
  /** Notifications about canceled requests go nowhere. */
  dropsCancellation?: boolean
}

interface Message {
  id?: unknown
  method?: string
  params?: Record<string, unknown>
  [name: string]: unknown
}

export const REVISION = '2025-06-18'
const PREFIX = 'svc_'
const OWN_TOOL = { name: 'weather_today', inputSchema: { type: 'object' } }

export async function startMcpGateway(
  upstreamPort: number,
  fault: McpFault = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const agent = new Agent({ keepAlive: true })
  const gateway = new Gateway(upstreamPort, agent, fault)
  const server = createServer((request, response) => {
    if (request.url === '/mcp') void gateway.serve(request, response)
    else forward(request, response, upstreamPort, agent)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function forward(request: IncomingMessage, response: ServerResponse, port: number, agent: Agent): void {
  const { method, url: path, rawHeaders: headers } = request
  const onward = httpRequest({ port, method, path, headers, agent }, answer => {
    response.writeHead(answer.statusCode!, answer.rawHeaders)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}

class Gateway {
  readonly #port: number
  readonly #agent: Agent
  readonly #fault: McpFault
  #session: Promise<string> | null = null
  #ids = 700
  /** Ids of forwarded requests by session and id of the client. */
  readonly #forwarded = new Map<string, number>()

  constructor(port: number, agent: Agent, fault: McpFault) {
    this.#port = port
    this.#agent = agent
    this.#fault = fault
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'DELETE') return void response.writeHead(204).end()
    if (request.method !== 'POST') return void response.writeHead(405, { Allow: 'POST, DELETE' }).end()
    const message = JSON.parse(await textOf(request)) as Message
    const revision = request.headers['mcp-protocol-version']
    if (revision !== undefined && revision !== REVISION)
      return reply(response, 400, failure(message.id, -32_000, 'Unsupported protocol version'))
    const { method, id = null } = message
    if (method === 'initialize') {
      response.setHeader('Mcp-Session-Id', randomUUID())
      return reply(response, 200, result(id, { protocolVersion: REVISION, capabilities: { tools: {} }, serverInfo }))
    }
    const session = String(request.headers['mcp-session-id'])
    if (method === 'notifications/cancelled') await this.#cancel(session, message)
    if (method?.startsWith('notifications/') === true) return void response.writeHead(202).end()
    if (method === 'tools/list') return reply(response, 200, result(id, { tools: await this.#tools() }))
    if (method !== 'tools/call') return reply(response, 200, failure(id, -32_601, 'Method not found'))
    const name = String(message.params?.name)
    if (this.#fault.isAlone === true || !name.startsWith(PREFIX))
      return reply(response, 200, failure(id, -32_602, `Unknown tool: ${name}`))
    await this.#call(session, message, response)
  }

  async #tools(): Promise<unknown[]> {
    if (this.#fault.isAlone === true) return [OWN_TOOL]
    const answer = await this.#ask({ id: 1, method: 'tools/list' })
    const { tools } = answer.result as { tools: { name: string }[] }
    return tools.map(tool => ({ ...tool, name: `${PREFIX}${tool.name}` }))
  }

  async #cancel(session: string, { params = {} }: Message): Promise<void> {
    const requestId = this.#forwarded.get(`${session} ${String(params.requestId)}`)
    if (requestId === undefined || this.#fault.dropsCancellation === true) return
    await textOf(await this.#send({ method: 'notifications/cancelled', params: { ...params, requestId } }))
  }

  async #call(session: string, { id, params = {} }: Message, response: ServerResponse): Promise<void> {
    const own = ++this.#ids
    const key = `${session} ${String(id)}`
    this.#forwarded.set(key, own)
    const { progressToken, ...meta } = (params._meta ?? {}) as Record<string, unknown>
    const token = progressToken === undefined || this.#fault.dropsToken === true ? {} : { progressToken: `t${own}` }
    const leaving = new AbortController()
    response.on('close', () => leaving.abort())
    const { signal } = leaving
    const upstream = await this.#send(
      {
        id: own,
        method: 'tools/call',
        params: { ...params, name: String(params.name).slice(PREFIX.length), _meta: { ...meta, ...token } },
      },
      signal,
    ).catch(() => null)
    if (upstream === null) return void response.destroy()
    const back = (message: Message): Message[] => this.#back(message, { id, own, progressToken })
    try {
      if (upstream.headers['content-type'] === 'text/event-stream') await this.#stream(upstream, response, back)
      else for (const message of back(JSON.parse(await textOf(upstream)) as Message)) reply(response, 200, message)
    } catch {
      response.destroy()
    } finally {
      this.#forwarded.delete(key)
    }
  }

  /** A message as the client knows it; none for a request or a token that is not known. */
  #back(message: Message, known: { id: unknown; own: number; progressToken: unknown }): Message[] {
    const { keepsOwnId = false, keepsOwnToken = false } = this.#fault
    if (message.method === undefined)
      return message.id === known.own ? [{ ...message, id: keepsOwnId ? known.own : known.id }] : []
    if (message.params?.progressToken !== `t${known.own}`) return []
    const { progressToken } = keepsOwnToken ? message.params : known
    return [{ ...message, params: { ...message.params, progressToken } }]
  }

  async #stream(upstream: IncomingMessage, response: ServerResponse, back: (one: Message) => Message[]): Promise<void> {
    const { buffers = false, repeatsEventIds = false, dropsEventIds = false } = this.#fault
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    let pending = ''
    let held = ''
    let count = 0
    for await (const piece of upstream) {
      const events = `${pending}${String(piece)}`.split('\n\n')
      pending = events.pop()!
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1] ?? '{}'
        for (const message of back(JSON.parse(data) as Message)) {
          const id = dropsEventIds ? '' : `id: g${repeatsEventIds ? 1 : ++count}\n`
          const text = `${id}data: ${JSON.stringify(message)}\n\n`
          if (buffers) held += text
          else response.write(text)
        }
      }
    }
    response.end(held)
  }

  async #ask(message: Message): Promise<Message> {
    const text = await textOf(await this.#send(message))
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Message
  }

  /** Within the one session that the gateway has with svc. */
  async #send(message: Message, signal?: AbortSignal): Promise<IncomingMessage> {
    this.#session ??= this.#open()
    return this.#post(message, { 'MCP-Protocol-Version': REVISION, 'Mcp-Session-Id': await this.#session }, signal)
  }

  async #open(): Promise<string> {
    const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'gateway', version: '1' } }
    const answer = await this.#post({ id: 1, method: 'initialize', params }, {})
    await textOf(answer)
    const session = String(answer.headers['mcp-session-id'])
    await textOf(await this.#post({ method: 'notifications/initialized' }, { 'Mcp-Session-Id': session }))
    return session
  }

  #post(message: Message, headers: Record<string, string>, signal?: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const own = {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      }
      const request = httpRequest(
        { port: this.#port, path: '/mcp', method: 'POST', headers: own, agent: this.#agent, signal },
        resolve,
      )
      request.on('error', reject)
      request.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
    })
  }
}

const serverInfo = { name: 'gateway', version: '1' }
const result = (id: unknown, value: object): Message => ({ jsonrpc: '2.0', id, result: value })
const failure = (id: unknown, code: number, message: string): Message => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code, message },
})

function reply(response: ServerResponse, status: number, message: Message): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(message))
}

async function textOf(stream: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of stream) text += String(piece)
  return text
}
