/**
 * The reference servers: `node:http` and Fastify send recorded responses of svc, selected by the number in the path, and do
 * nothing else. Fastify's `/echo` also builds the echo record, and sends the same headers.
 */
import Fastify from 'fastify'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'

/** A response of svc. */
export interface Recorded {
  path: string
  headers: Record<string, string>
  body: string
  /** The response is an event stream; its events are written one by one. */
  isStream: boolean
}

/** Request header with the milliseconds between the events of a stream. */
const PACE_HEADER = 'x-pace-ms'

const [kind, file = ''] = process.argv.slice(2)
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded[]
const events = recorded.map(({ body, isStream }) => (isStream ? body.split(/(?<=\n\n)/) : []))

function announce(address: AddressInfo): void {
  process.stdout.write(`HTTP listening on 127.0.0.1:${address.port}\n`)
}

/** Builds an echo record as a simple server would. */
function echo(
  method: string,
  url: string,
  rawHeaders: string[],
  requestHeaders: IncomingHttpHeaders,
  ip: string,
  body: string,
): object {
  const [path = '', query = ''] = url.split('?')
  const headers: Record<string, string[]> = {}
  for (let index = 0; index < rawHeaders.length; index += 2)
    (headers[rawHeaders[index]!.toLowerCase()] ??= []).push(rawHeaders[index + 1]!)
  return {
    method,
    url: `http://${requestHeaders.host}${url}`,
    path,
    path_info: path.split('/').filter(Boolean),
    query_string: query,
    query_params: Object.fromEntries(new URLSearchParams(query)),
    headers,
    host: requestHeaders.host,
    port: 80,
    scheme: 'http',
    remote_ip: ip,
    body: {
      present: body !== '',
      included: true,
      body,
      bytes: body.length,
      truncated: false,
      utf8: true,
      reason: null,
    },
    timestamp_unix_ms: Date.now(),
  }
}

function serveNode(): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', chunk => chunks.push(chunk))
      .on('end', () => {
        const number = Number(request.url!.slice(1))
        const { headers, body, isStream } = recorded[number]!
        if (!isStream)
          return void response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body)
        response.writeHead(200, headers)
        const pace = request.headers[PACE_HEADER]
        if (pace !== undefined) return writePaced(response, events[number]!, 0, Number(pace))
        for (const event of events[number]!) response.write(event)
        response.end()
      })
  })
  server.listen(0, '127.0.0.1', () => announce(server.address() as AddressInfo))
}

/** Writes the first two events at once, since the first of a chat only opens it, then one every `ms` milliseconds. */
function writePaced(response: ServerResponse, list: readonly string[], index: number, ms: number): void {
  if (index === list.length) return void response.end()
  response.write(list[index]!)
  if (index === 0) writePaced(response, list, 1, ms)
  else setTimeout(writePaced, ms, response, list, index + 1, ms)
}

async function serveFastify(): Promise<void> {
  const app = Fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  const echoHeaders = recorded.find(({ path }) => path.startsWith('/echo'))?.headers ?? {}
  app.all('/echo', (request, reply) =>
    reply
      .headers(echoHeaders)
      .send(
        echo(
          request.method,
          request.url,
          request.raw.rawHeaders,
          request.headers,
          request.ip,
          (request.body as string | undefined) ?? '',
        ),
      ),
  )
  app.all<{ Params: { number: string } }>('/:number', (request, reply) => {
    const { headers, body } = recorded[Number(request.params.number)]!
    return reply.headers(headers).send(body)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  announce(app.server.address() as AddressInfo)
}

if (kind === 'node') serveNode()
else await serveFastify()
