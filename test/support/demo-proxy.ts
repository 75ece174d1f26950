/** A small gateway with switches for one test: each feature can be on, off or subtly wrong. */
import {
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { startGrpcProxy, type GrpcSwitches } from './demo-grpc-gateways.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

const TICK_MS = 50

export interface ProxySwitches {
  /** Attempts for a 503; `retriesPosts` is the mistake. */
  attempts?: number
  retriesPosts?: boolean
  /** Requests in a window for each value of a header, or, which is the mistake, for each connection. */
  limit?: { requests: number; by: string; perConnection?: boolean /** Number of the window now. */; window(): number }
  /** The answer says in `x-held-ms` how long its timer was, so that a test needs no clock. */
  timeoutMs?: number
  add?: Record<string, string>
  remove?: readonly string[]
  addToResponse?: Record<string, string>
  removeFromResponse?: readonly string[]
  /** Removes every header that begins with `x-svc`, `baggage` and the credential. */
  losesMarks?: boolean
  refusesAll?: number
  /** What the gateway does with a request; `forward` sends one to the upstream. */
  handle?: Handler
  /** Answers are passed on as they come, without all that is changed in an answer. */
  streams?: boolean
  /** The same, with what the filter of each answer makes of its pieces. */
  filter?: () => StreamFilter
  /** The gateway is another program, for which the other switches do nothing. */
  serves?: OwnGateway
  /** It speaks HTTP/2 alone, and nothing else of what is here. */
  grpc?: GrpcSwitches
  /** Upgrades are forwarded; `handshake`, which is the mistake: nothing is passed on after the handshake. */
  upgrades?: 'all' | 'handshake'
}

/** Starts a gateway until the test ends; resolves with its URL. */
export type OwnGateway = (t: Test, upstream: string) => Promise<string>

/** What is passed on after a piece of an answer, and (null) at its end. */
export type StreamFilter = (piece: string | null) => string

export interface ProxyRequest {
  method: string
  path: string
  headers: Record<string, unknown>
  body: string
}

export type Handler = (request: ProxyRequest, forward: (request: ProxyRequest) => Promise<Answer>) => Promise<Answer>

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Starts the gateway until the test ends; returns its URL. */
export async function startDemoProxy(t: Test, upstream: string, switches: ProxySwitches): Promise<string> {
  if (switches.serves !== undefined) return switches.serves(t, upstream)
  if (switches.grpc !== undefined) return startGrpcProxy(t, upstream, switches.grpc)
  const target = new URL(upstream)
  const windows = new Map<string, { number: number; count: number }>()
  const connections = new WeakMap<Socket, string>()
  let connected = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (switches.refusesAll !== undefined) return void response.writeHead(switches.refusesAll).end()
    const { limit } = switches
    if (limit !== undefined) {
      if (!connections.has(request.socket)) connections.set(request.socket, String(++connected))
      const group = limit.perConnection ? connections.get(request.socket)! : String(request.headers[limit.by] ?? '')
      const number = limit.window()
      const known = windows.get(group)
      const window = known?.number === number ? known : { number, count: 0 }
      windows.set(group, window)
      if (++window.count > limit.requests) return void response.writeHead(429, { 'retry-after': '1' }).end('too many')
    }
    const headers: Record<string, unknown> = { ...request.headers, ...switches.add }
    for (const name of switches.remove ?? []) delete headers[name]
    if (switches.losesMarks)
      for (const name of Object.keys(headers))
        if (name.startsWith('x-svc') || name === 'baggage' || name === 'authorization') delete headers[name]
    delete headers.connection
    if (switches.streams === true || switches.filter !== undefined)
      return void pass(request, response, headers, Buffer.concat(chunks))
    if (switches.handle !== undefined) {
      const given = { method: request.method!, path: request.url!, headers, body: Buffer.concat(chunks).toString() }
      const {
        status,
        headers: own,
        body,
      } = await switches.handle(given, one => forward(one.method, one.path, one.headers, Buffer.from(one.body)))
      delete own['transfer-encoding']
      delete own['content-length']
      return void response.writeHead(status, own).end(body)
    }
    const mayRetry = request.method === 'GET' || switches.retriesPosts === true
    let answer: Answer | null = null
    for (let left = mayRetry ? (switches.attempts ?? 1) : 1; left > 0; left--) {
      answer = await forward(request.method!, request.url!, headers, Buffer.concat(chunks))
      if (answer.status !== 503) break
    }
    const own = { ...answer!.headers, ...switches.addToResponse }
    for (const name of switches.removeFromResponse ?? []) delete own[name]
    delete own['transfer-encoding']
    delete own.connection
    response.writeHead(answer!.status, own).end(answer!.body)
  })

  function pass(
    request: IncomingMessage,
    response: ServerResponse,
    headers: Record<string, unknown>,
    body: Buffer,
  ): void {
    const { hostname: host, port } = target
    const own = headers as IncomingHttpHeaders
    send({ host, port, method: request.method, path: request.url, headers: own, agent: false }, answer => {
      const isFiltered = switches.filter !== undefined && answer.headers['content-type']?.includes('event-stream')
      response.writeHead(answer.statusCode!, answer.headers)
      if (!isFiltered) return void answer.pipe(response)
      const filter = switches.filter!()
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => response.write(filter(piece)))
      answer.on('end', () => response.end(filter(null)))
    })
      .on('error', () => response.destroy())
      .end(body)
  }

  function forward(method: string, path: string, headers: Record<string, unknown>, body: Buffer): Promise<Answer> {
    return new Promise(resolve => {
      const failed = (status: number, own: IncomingHttpHeaders = {}): void =>
        resolve({ status, headers: own, body: Buffer.from('no answer') })
      const own = { ...headers }
      // The body may have been changed.
      if (body.length > 0) own['content-length'] = String(body.length)
      const sent = send(
        {
          host: target.hostname,
          port: target.port,
          method,
          path,
          headers: own as IncomingHttpHeaders,
          agent: false,
        },
        async response => {
          const chunks: Buffer[] = []
          try {
            for await (const chunk of response) chunks.push(chunk as Buffer)
            resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) })
          } catch {
            failed(502)
          }
        },
      )
      // In ticks between which answers are read: a busy machine delays both.
      const expire = (left: number): void => {
        if (left > 0) return void (timer = setTimeout(expire, TICK_MS, left - TICK_MS))
        failed(504, { 'x-held-ms': String(switches.timeoutMs) })
        sent.destroy()
      }
      let timer: NodeJS.Timeout | undefined
      if (switches.timeoutMs !== undefined) expire(switches.timeoutMs)
      sent.on('close', () => clearTimeout(timer))
      sent.on('error', () => failed(502))
      sent.end(body)
    })
  }

  if (switches.upgrades !== undefined)
    server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      const { hostname: host, port } = target
      const { url: path, headers } = request
      const sent = send({ host, port, path, headers, agent: false })
      sent.on('upgrade', (response, upstreamSocket) => {
        const lines = response.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`))
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
        if (switches.upgrades === 'all') socket.pipe(upstreamSocket).pipe(socket)
        for (const [one, other] of [
          [socket, upstreamSocket],
          [upstreamSocket, socket],
        ] as const)
          one.on('error', () => other.destroy()).on('close', () => other.destroy())
      })
      sent.on('error', () => socket.destroy()).end()
    })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
