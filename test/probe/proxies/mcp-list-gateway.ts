/**
 * A small gateway in front of svc's MCP server that keeps lists of tools for as long as they say, and hides tools. All else is
 * forwarded as it is.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ListFault {
  /** Lists are kept forever. */
  ignoresTime?: boolean
  /** Private lists are used for all users. */
  ignoresScope?: boolean
  /** Lists with a time of 0 are kept too, for a while. */
  keepsAtZero?: boolean
  /** Lists that do not say for how long are kept too. */
  keepsWithoutTime?: boolean
  /** Tools that are hidden. */
  hidden?: readonly string[]
  /** Hidden tools can be called. */
  hidesOnlyInLists?: boolean
  /** Hidden tools can be called in another spelling. */
  comparesExactly?: boolean
}

interface Kept {
  body: Buffer
  untilMs: number
}
type Rpc = { id?: unknown; method?: string; params?: { name?: unknown; cursor?: unknown } }
type List = { result?: { tools?: { name: string }[]; ttlMs?: number; cacheScope?: string } }

const ALWAYS = 60_000

export async function startListGateway(
  upstreamPort: number,
  fault: ListFault = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const gateway = new ListGateway(upstreamPort, fault)
  const server = createServer((request, response) => {
    gateway.serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

class ListGateway {
  readonly #port: number
  readonly #fault: ListFault
  readonly #kept = new Map<string, Kept>()

  constructor(port: number, fault: ListFault) {
    this.#port = port
    this.#fault = fault
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request)
    const message = rpcOf(request, body)
    if (message?.method === 'tools/call' && this.#isHidden(String(message.params?.name)))
      return answer(response, Buffer.from(refusal(message.id)))
    if (message?.method !== 'tools/list') return this.#forward(request, response, body)
    const user = String(request.headers.authorization)
    const place = `${JSON.stringify(message.params?.cursor ?? null)} ${String(request.headers['mcp-session-id'])}`
    const kept = [place, `${place} ${user}`].map(key => this.#kept.get(key)).find(one => one !== undefined)
    if (kept !== undefined && kept.untilMs > Date.now()) return answer(response, withId(kept.body, message.id))
    const upstream = await this.#send(request, body)
    const came = this.#filtered(await bytesOf(upstream))
    this.#keep(place, user, came)
    response.writeHead(upstream.statusCode!, { 'Content-Type': 'application/json' }).end(came)
  }

  #keep(place: string, user: string, body: Buffer): void {
    const { ttlMs, cacheScope } = (JSON.parse(body.toString()) as List).result ?? {}
    const { ignoresTime, ignoresScope, keepsAtZero, keepsWithoutTime } = this.#fault
    const own = ttlMs === 0 && keepsAtZero === true ? 1_000 : (ttlMs ?? (keepsWithoutTime === true ? ALWAYS : 0))
    if (own === 0) return
    const key = cacheScope === 'private' && ignoresScope !== true ? `${place} ${user}` : place
    this.#kept.set(key, { body, untilMs: Date.now() + (ignoresTime === true ? ALWAYS : own) })
  }

  #filtered(body: Buffer): Buffer {
    const { hidden = [] } = this.#fault
    if (hidden.length === 0) return body
    const list = JSON.parse(body.toString()) as List
    if (list.result?.tools !== undefined)
      list.result.tools = list.result.tools.filter(({ name }) => !hidden.includes(name))
    return Buffer.from(JSON.stringify(list))
  }

  #isHidden(name: string): boolean {
    const { hidden = [], hidesOnlyInLists, comparesExactly } = this.#fault
    if (hidesOnlyInLists === true) return false
    return hidden.some(one => (comparesExactly === true ? one === name : one === name.trim().toLowerCase()))
  }

  async #forward(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const upstream = await this.#send(request, body)
    response.on('close', () => upstream.destroy())
    response.writeHead(upstream.statusCode!, upstream.rawHeaders)
    response.flushHeaders()
    upstream.pipe(response)
  }

  #send({ method, url: path, rawHeaders: headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const onward = httpRequest({ port: this.#port, method, path, headers, agent: false }, resolve)
      onward.on('error', reject)
      onward.end(body)
    })
  }
}

function rpcOf({ method, url }: IncomingMessage, body: Buffer): Rpc | null {
  if (method !== 'POST' || url !== '/mcp') return null
  try {
    return JSON.parse(body.toString()) as Rpc
  } catch {
    return null
  }
}

function withId(body: Buffer, id: unknown): Buffer {
  return Buffer.from(JSON.stringify({ ...(JSON.parse(body.toString()) as object), id }))
}

function refusal(id: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code: -32_602, message: 'Unknown tool' } })
}

function answer(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
