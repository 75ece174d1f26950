/** A gateway for one test: serves an instance below `/demo` and changes requests as gateways do. */
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Test {
  teardown(callback: () => unknown): unknown
}

export interface TestGateway {
  /** Base URL with the prefix, without a trailing slash. */
  url: string
}

export interface GatewayOptions {
  /** Allows cross-origin requests. Default true. */
  cors?: boolean
  /** Forwards path, headers and body unchanged. Default false. */
  isTransparent?: boolean
  /** Only strips the prefix and sends `X-Forwarded-Prefix`; other paths get its own 404. Default false. */
  isPrefixOnly?: boolean
}

const PREFIX = '/demo'

/** Starts a gateway in front of an instance until the test ends. */
export async function startGateway(
  t: Test,
  instanceUrl: string,
  { cors = true, isTransparent = false, isPrefixOnly = false }: GatewayOptions = {},
): Promise<TestGateway> {
  const server = createServer((request, response) => {
    if (isPrefixOnly) {
      if (!/^\/demo(?:[/?]|$)/.test(request.url!)) return void response.writeHead(404).end()
      request.headers['x-forwarded-prefix'] = PREFIX
      return forward(request, response, new URL(instanceUrl), { cors, isTransparent: true })
    }
    if (cors && !isTransparent && request.method === 'OPTIONS')
      return void response.writeHead(204, corsOf(request)).end()
    forward(request, response, new URL(instanceUrl), { cors, isTransparent })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}` }
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: URL,
  { cors, isTransparent }: { cors: boolean; isTransparent: boolean },
): void {
  const path = request.url!.startsWith(PREFIX) ? request.url!.slice(PREFIX.length) || '/' : request.url!
  const headers: Record<string, string | string[] | undefined> = { ...request.headers }
  if (!isTransparent) {
    delete headers['x-client-secret']
    Object.assign(headers, {
      host: upstream.host,
      via: '1.1 test-gateway',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-prefix': PREFIX,
      'x-kong-request-id': 'k-1',
      'x-tenant': 'acme',
    })
  }
  const upstreamRequest = send(
    {
      host: upstream.hostname,
      port: upstream.port,
      method: request.method,
      path: isTransparent ? path : path.replace('/v1/', '/'),
      headers,
    },
    upstreamResponse => {
      const forwarded = { ...upstreamResponse.headers }
      // The gateway replaces the CORS headers of the instance.
      for (const name of Object.keys(forwarded))
        if (!isTransparent && name.startsWith('access-control-')) delete forwarded[name]
      response.writeHead(upstreamResponse.statusCode!, {
        ...forwarded,
        ...(cors && !isTransparent ? corsOf(request) : {}),
      })
      upstreamResponse.pipe(response)
      response.on('close', () => upstreamResponse.destroy())
    },
  )
  upstreamRequest.on('error', () => response.destroy())
  request.pipe(upstreamRequest)
}

function corsOf({ headers }: IncomingMessage): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': headers['access-control-request-method'] ?? '*',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-expose-headers': '*',
  }
}
