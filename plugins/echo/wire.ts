/** `/wire`: the head of the request as it arrived, in the case, order and number of its lines. */
import {
  describe,
  readQuery,
  type FastifyInstance,
  type FastifyRequest,
  type ProxyHeader,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'

const description: RouteDescription = {
  category: 'Echo & Reflection',
  takes: 'deliveries',
  summary: 'Show the head of the request as received',
  description:
    'The request line and the field lines in the case, order and number received, each ended by CRLF, and an empty line. Over HTTP/2 `:method` and so on, without a request line. White space around values is not kept; credentials of the control plane are replaced.',
  parameters: [
    {
      name: 'format',
      in: 'query',
      description: '`json` for an object with the trailers and the size of the body as well',
      schema: { type: 'string', enum: ['text', 'json'], default: 'text' },
    },
  ],
  responses: {
    200: {
      description: 'The head',
      content: { 'text/plain': { type: 'string' }, 'application/json': { type: 'object' } },
    },
  },
  examples: [
    { name: 'Text', path: '/wire?x=1', expectStatus: 200 },
    { name: 'JSON', path: '/wire?format=json', expectStatus: 200 },
  ],
}

const below: RouteDescription = {
  ...description,
  summary: 'Show the head of a request to any path below',
  parameters: [
    { name: 'path', in: 'path', description: 'Any path', schema: { type: 'string' } },
    ...description.parameters!,
  ],
  examples: [{ name: 'Sub path', path: '/wire/orders/7', expectStatus: 200 }],
}

export function registerWire(app: FastifyInstance, svc: Svc): void {
  for (const [path, described] of [
    ['/wire', description],
    ['/wire/*', below],
  ] as const)
    app.all(path, describe(described), (request, reply) => {
      const head = headOf(request, svc)
      const isJson = readQuery(request).get('format') === 'json'
      if (isJson) return reply.type('application/json; charset=utf-8').send(JSON.stringify(head))
      const lines = head.fields.map(([name, value]) => `${name}: ${value}`)
      if (head.request_line !== null) lines.unshift(head.request_line)
      return reply.type('text/plain; charset=utf-8').send(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))
    })
}

interface WireHead {
  /** Null over HTTP/2. */
  request_line: string | null
  version: string
  fields: [name: string, value: string][]
  trailers: [name: string, value: string][]
  body_size: number
  listener: string
  proxy_protocol: ProxyHeader | null
}

function headOf(request: FastifyRequest, { http, inspector }: Svc): WireHead {
  const { raw } = request
  const target = inspector.redactUrl(request.originalUrl)
  const version = raw.httpVersion
  return {
    request_line: version.startsWith('2') ? null : `${request.method} ${target} HTTP/${version}`,
    version,
    fields: pairsOf(http.receivedHeaders(request)).map(([name, value]) => [
      name,
      name === ':path' ? inspector.redactUrl(value) : inspector.redactHeader(name, value),
    ]),
    // Calls without a connection have none.
    trailers: pairsOf((raw as Partial<typeof raw>).rawTrailers ?? []),
    body_size: http.receivedBody(request).length,
    listener: http.listener(request).name,
    proxy_protocol: http.proxyHeader(request),
  }
}

function pairsOf(lines: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index < lines.length; index += 2) pairs.push([lines[index]!, lines[index + 1]!])
  return pairs
}
