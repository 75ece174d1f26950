/**
 * A balancer that sends the requests of each connection to servers in turn. It passes on whatever HTTP/1.1 lets a proxy pass on:
 * repeated fields, informational responses, trailers, upgrades. Connections of other protocols go to one server as a whole.
 */
import {
  createServer as createHttpServer,
  request as sendRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import {
  connect as connectSocket,
  createServer as createSocketServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import type { Duplex } from 'node:stream'

/** The servers reject large heads, and those with many fields, themselves. */
const MAX_HEADER_BYTES = 1024 * 1024
/** The first bytes of an HTTP/2 connection. */
const HTTP2_PREFACE = 'PRI '
const CONNECTION_FIELD = /^(?:connection|keep-alive|transfer-encoding)$/i

export interface Balancer {
  port: number
  url: string
  stop(): Promise<void>
}

/** Sends the requests of each connection to the ports in turn. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const next = inTurn(ports)
  const http = createHttpServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) =>
    passOn(next(), request, response),
  )
  http.maxHeadersCount = 0
  // Longer than that of clients, which would otherwise use a connection that is being closed.
  http.keepAliveTimeout = 120_000
  http.on('checkContinue', (request, response) => passOn(next(), request, response))
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    passUpgradeOn(next(), request, socket, head),
  )
  return listen(socket => {
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null
      if (first === null) return socket.destroy()
      socket.unshift(first)
      if (first.toString('latin1').startsWith(HTTP2_PREFACE)) join(socket, connectSocket(next(), '127.0.0.1'))
      else http.emit('connection', socket)
    })
  })
}

/** Sends each connection to the next port. */
export function startConnectionBalancer(ports: readonly number[]): Promise<Balancer> {
  const next = inTurn(ports)
  return listen(socket => join(socket, connectSocket(next(), '127.0.0.1')))
}

function inTurn(ports: readonly number[]): () => number {
  let count = 0
  return () => ports[count++ % ports.length]!
}

async function listen(serve: (socket: Socket) => void): Promise<Balancer> {
  const sockets = new Set<Socket>()
  const server: Server = createSocketServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    serve(socket)
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => {
        server.close(resolve)
      })
    },
  }
}

function passOn(port: number, request: IncomingMessage, response: ServerResponse): void {
  const upstream = sendRequest({
    host: '127.0.0.1',
    port,
    method: request.method,
    path: request.url,
    headers: request.rawHeaders,
    agent: false,
    setHost: false,
    insecureHTTPParser: true,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
  // As below for responses.
  upstream.write(Buffer.alloc(0))
  upstream.on('continue', () => response.writeContinue())
  upstream.on('information', ({ statusCode, rawHeaders }) => {
    if (statusCode === 100) return
    const lines = pairs(rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
    response.socket?.write(`HTTP/1.1 ${statusCode} Information\r\n${lines.join('')}\r\n`, 'latin1')
  })
  upstream.on('response', answer => {
    response.sendDate = false
    response.writeHead(
      answer.statusCode!,
      answer.statusMessage,
      pairs(answer.rawHeaders)
        .filter(([name]) => !CONNECTION_FIELD.test(name))
        .flat(),
    )
    // Sends the head as Latin-1, as it came; flushHeaders would encode it as UTF-8.
    response.write(Buffer.alloc(0))
    answer.on('data', chunk => response.write(chunk) || answer.pause())
    response.on('drain', () => answer.resume())
    answer.on('end', () => {
      response.addTrailers(pairs(answer.rawTrailers))
      response.end()
    })
    answer.on('error', () => response.destroy())
    answer.on('aborted', () => response.destroy())
  })
  upstream.on('error', () => response.destroy())
  // The rest of a body that the server does not want must be read, or the connection could not be used again.
  response.on('finish', () => request.removeAllListeners('data').resume())
  response.on('close', () => upstream.destroy())
  request.on('data', chunk => upstream.write(chunk) || request.pause())
  upstream.on('drain', () => request.resume())
  request.on('end', () => {
    if (request.rawTrailers.length > 0) upstream.addTrailers(pairs(request.rawTrailers))
    upstream.end()
  })
}

function passUpgradeOn(port: number, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const upstream = connectSocket(port, '127.0.0.1')
  const lines = pairs(request.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  upstream.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  upstream.write(head)
  join(socket, upstream)
}

/** Connects two sockets; the end of one ends the other. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2]!, flat[index * 2 + 1]!])
}
