/** A gateway with a circuit breaker and retries for one test; it forwards requests unchanged. */
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Test {
  teardown(callback: () => unknown): unknown
}

export interface BreakerOptions {
  /** Consecutive failures after which the breaker opens and the gateway responds with 503. */
  failures: number
  /** How long the breaker stays open before one trial request, in milliseconds. */
  openMs: number
  /** How often a 503 of the instance is retried. Default 0. */
  retries?: number
}

/** Starts the gateway until the test ends; returns its base URL. */
export async function startBreaker(
  t: Test,
  instanceUrl: string,
  { failures, openMs, retries = 0 }: BreakerOptions,
): Promise<string> {
  let failed = 0
  let openUntil = 0
  function judge(status: number): void {
    failed = status >= 500 ? failed + 1 : 0
    if (failed >= failures) openUntil = Date.now() + openMs
  }
  const server = createServer((request, response) => {
    const isPreflight = request.method === 'OPTIONS'
    if (!isPreflight && Date.now() < openUntil)
      return void response
        .writeHead(503, { 'access-control-allow-origin': '*', 'content-type': 'application/json' })
        .end('{"message":"circuit open"}')
    forward(request, response, new URL(instanceUrl), isPreflight ? 0 : retries, status => {
      if (!isPreflight) judge(status)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: URL,
  retries: number,
  judge: (status: number) => void,
): void {
  const upstreamRequest = send(
    {
      host: upstream.hostname,
      port: upstream.port,
      method: request.method,
      path: request.url,
      headers: request.headers,
    },
    upstreamResponse => {
      if (upstreamResponse.statusCode === 503 && retries > 0) {
        upstreamResponse.resume()
        return forward(request, response, upstream, retries - 1, judge)
      }
      judge(upstreamResponse.statusCode!)
      response.writeHead(upstreamResponse.statusCode!, upstreamResponse.headers)
      upstreamResponse.pipe(response)
    },
  )
  upstreamRequest.on('error', () => response.destroy())
  request.pipe(upstreamRequest)
}
