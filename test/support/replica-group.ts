/** Several servers over one state store, behind a balancer that sends each request to the next one. */
import { createServer, request as sendRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect as connectSocket } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect } from '../../core/testing/client.mjs'
import { launch } from '../../core/testing/launch.ts'
import type { LaunchOptions } from '../../core/testing/launch.ts'
import type { TestServer } from './server.ts'
import { startStateServer } from './state-store.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

/** The first server, with the URL of the balancer; stop, reload, flush and log lines are those of all. */
export async function serveReplicas(t: Test, count: number, options: LaunchOptions): Promise<TestServer> {
  const store = await startStateServer(t)
  const env = { ...options.env, SVC_STATE_STORE: store.url }
  const servers = await Promise.all(Array.from({ length: count }, () => launch({ ...options, env })))
  const balancer = await startBalancer(servers.map(({ url }) => Number(new URL(url).port)))
  const [first] = servers as [(typeof servers)[0]]
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map(server => server.stop()))
    await balancer.stop()
  }
  const token = options.env?.SVC_ADMIN_TOKEN
  return {
    ...first,
    ...connect(balancer.url, token === undefined ? {} : { token }),
    url: balancer.url,
    get lines() {
      return servers.flatMap(({ lines }) => lines)
    },
    flush: () => {
      for (const { flush } of servers) flush()
    },
    reload: async () => (await Promise.all(servers.map(({ reload }) => reload())))[0]!,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The servers reject large heads themselves. */
const MAX_HEADER_BYTES = 1024 * 1024

/** Sends the requests of each connection to the ports in turn. */
export async function startBalancer(ports: readonly number[]): Promise<{ url: string; stop(): Promise<void> }> {
  let requests = 0
  const nextPort = (): number => ports[requests++ % ports.length]!
  const sockets = new Set<Duplex>()
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    const upstream = sendRequest({
      host: '127.0.0.1',
      port: nextPort(),
      method: request.method,
      path: request.url,
      headers: rawHeaders(request),
      agent: false,
    })
    upstream.on('response', answer => {
      response.writeHead(answer.statusCode!, answer.statusMessage, answer.rawHeaders.filter(withoutConnection))
      response.flushHeaders()
      answer.pipe(response)
      answer.on('error', () => response.destroy())
      answer.on('aborted', () => response.destroy())
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const upstream = connectSocket(nextPort(), '127.0.0.1', () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`]
      for (let at = 0; at < request.rawHeaders.length; at += 2)
        lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`)
      upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
      upstream.write(head)
      socket.pipe(upstream).pipe(socket)
    })
    for (const one of [upstream, socket]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        upstream.destroy()
        socket.destroy()
      })
    }
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise(resolve => {
        server.close(resolve)
      })
    },
  }
}

/** With repeated fields, as they were received. */
function rawHeaders({ rawHeaders: raw }: IncomingMessage): Record<string, string | string[]> {
  const headers: Record<string, string[]> = {}
  for (let at = 0; at < raw.length; at += 2) (headers[raw[at]!] ??= []).push(raw[at + 1]!)
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  )
}

/** Names and values in turn; the balancer decides about its own connections. */
function withoutConnection(_item: string, index: number, all: readonly string[]): boolean {
  return !/^(?:connection|keep-alive|transfer-encoding)$/i.test(all[index - (index % 2)]!)
}
