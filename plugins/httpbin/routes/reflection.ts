/** What came: `/get`, `/post`, `/anything`, `/headers`, `/ip` and the like. */
import type { Operation } from '../operation.ts'
import type { Call } from '../call.ts'
import {
  HTTPBIN_ANYTHING,
  HTTPBIN_GET,
  HTTPBIN_HEADERS,
  HTTPBIN_IP,
  HTTPBIN_POST,
  HTTPBIN_USER_AGENT,
} from '../replies.ts'

export const METHODS_OF_ANYTHING = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'QUERY']
const FORM_TYPE = [{ name: 'Content-Type', value: 'application/x-www-form-urlencoded' }]
const FACTS = ['args', 'headers', 'origin', 'url'] as const
const BODY = ['data', 'files', 'form', 'json'] as const

export async function sendFacts(call: Call): Promise<unknown> {
  return call.json(await call.describeRequest(call.isGo ? [...FACTS, 'method'] : FACTS))
}

async function sendWithBody(call: Call): Promise<unknown> {
  return call.json(await call.describeRequest(call.isGo ? [...FACTS, 'method', ...BODY] : [...FACTS, ...BODY]))
}

/** go-httpbin treats HEAD like GET, without reading a body. */
export async function sendAnything(call: Call): Promise<unknown> {
  if (call.isGo && call.request.method === 'HEAD') return sendFacts(call)
  return call.json(await call.describeRequest([...FACTS, 'method', ...BODY]))
}

const withBody = (method: string): Operation => ({
  path: `/${method.toLowerCase()}`,
  summary: `Reflect a ${method} request`,
  reply: HTTPBIN_POST,
  takes: 'deliveries',
  methods: { httpbin: [method], 'go-httpbin': [method] },
  atRoot: true,
  // Some clients send no body with DELETE.
  examples: [
    method === 'DELETE'
      ? { name: 'Query', path: '/delete?x=1', method }
      : { name: 'Form', path: `/${method.toLowerCase()}`, method, headers: FORM_TYPE, body: 'a=1&b=2' },
  ],
  handle: sendWithBody,
})

const anything = (path: string, example: string): Operation => ({
  path,
  summary: 'Reflect a request of any method',
  reply: HTTPBIN_ANYTHING,
  takes: 'deliveries',
  methods: { httpbin: METHODS_OF_ANYTHING },
  examples: [{ name: 'Query', path: example }],
  handle: sendAnything,
})

export const REFLECTION: readonly Operation[] = [
  {
    path: '/get',
    summary: 'Reflect a GET request',
    reply: HTTPBIN_GET,
    methods: { 'go-httpbin': ['GET'] },
    atRoot: true,
    examples: [{ name: 'Query', path: '/get?x=1&x=2' }],
    handle: sendFacts,
  },
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map(withBody),
  {
    path: '/head',
    summary: 'Reflect a HEAD request',
    methods: { httpbin: null, 'go-httpbin': ['HEAD'] },
    atRoot: true,
    examples: [{ name: 'Head', path: '/head', method: 'HEAD' }],
    handle: sendFacts,
  },
  anything('/anything', '/anything?x=1'),
  anything('/anything/{*path}', '/anything/orders/7'),
  {
    path: '/headers',
    summary: 'The request headers',
    reply: HTTPBIN_HEADERS,
    atRoot: true,
    examples: [{ name: 'Headers', path: '/headers' }],
    handle: call => call.json({ headers: call.shownHeaders() }),
  },
  {
    path: '/ip',
    summary: 'The client address',
    reply: HTTPBIN_IP,
    examples: [{ name: 'Address', path: '/ip' }],
    handle: call =>
      call.isGo && call.queryValue('format') === 'text'
        ? call.send('text/plain; charset=utf-8', `${call.origin}\n`)
        : call.json({ origin: call.origin }),
  },
  {
    path: '/user-agent',
    summary: 'The User-Agent header',
    reply: HTTPBIN_USER_AGENT,
    atRoot: true,
    examples: [{ name: 'User agent', path: '/user-agent' }],
    handle: call => call.json({ 'user-agent': call.header('user-agent') ?? (call.isGo ? '' : null) }),
  },
  {
    path: '/upload',
    summary: 'Count the bytes of a body',
    methods: { httpbin: null, 'go-httpbin': ['POST', 'PUT', 'PATCH'] },
    atRoot: true,
    examples: [{ name: 'Three bytes', path: '/upload', method: 'POST', body: 'abc' }],
    handle: async call =>
      call.json(await call.describeRequest([...FACTS, 'method'], { bytes_received: call.body.length })),
  },
  {
    path: '/dump/request',
    summary: 'The request as text',
    methods: { httpbin: null },
    atRoot: true,
    examples: [{ name: 'Dump', path: '/dump/request' }],
    handle: dumpRequest,
  },
]

/** Request line, `Host`, the other headers sorted by name, and the body. */
function dumpRequest(call: Call): unknown {
  const { headers, request } = call
  const host = headers.get('Host')?.[0] ?? ''
  headers.delete('Host')
  const lines = [...headers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, values]) => values.map(value => `${name}: ${value}`))
  const version = request.raw.httpVersionMajor === 2 ? '2.0' : request.raw.httpVersion
  const head = [`${request.method} ${call.svc.http.target(request)} HTTP/${version}`, `Host: ${host}`, ...lines, '', '']
  return call.send('text/plain; charset=utf-8', Buffer.concat([Buffer.from(head.join('\r\n')), call.body]))
}
