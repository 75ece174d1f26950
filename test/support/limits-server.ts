/** A server with a single plugin that has a route for each kind of response. It starts fast and counts nothing else. */
import type { ServerOptions } from '../../core/server/server.ts'
import { pluginFolder } from './plugins.ts'
import { serve, type TestServer } from './server.ts'

const ROUTES = `import { definePlugin, describe } from 'svc/plugin'
const plain = { summary: 's', category: 'Test', examples: [] }
const wait = ms => new Promise(resolve => setTimeout(resolve, ms))
// As in built-in plugins.
const exempt = [
  { path: '/', from: ['limits', 'keys', 'inspector'], reason: 'test' },
  { path: '/docs', below: true, from: ['keys'], reason: 'test' },
  { path: '/ui', below: true, from: ['faults', 'limits', 'keys', 'inspector'], reason: 'test' },
  { path: '/oauth/jwks', from: ['keys'], reason: 'test' },
]
export default definePlugin({ title: 'x', paths: ['/', '/x', '/ui', '/health', '/docs', '/.well-known', '/oauth/jwks'], exempt, faultKinds: ['ai'], register(app, svc) {
  const held = svc.shared('held', () => new Set())
  app.all('/x', describe(plain), async () => 'fine')
  app.get('/x/items/:id', describe(plain), async () => 'item')
  app.get('/x/never', describe(plain), async () => new Promise(() => {}))
  // Responds when /x/release is called.
  app.get('/x/hold', describe(plain), () => new Promise(resolve => held.add(resolve)))
  app.get('/x/release', describe(plain), async () => { for (const resolve of held) resolve('held'); held.clear(); return 'released' })
  app.get('/x/bytes/:n', describe(plain), async (request, reply) => reply.type('application/octet-stream').send(Buffer.alloc(Number(request.params.n))))
  app.get('/x/chunks', describe(plain), (request, reply) => {
    const body = svc.streams.body(request, reply, { headers: { 'Content-Type': 'application/x-ndjson' } })
    body.write('12345')
  })
  app.get('/x/empty', describe(plain), (request, reply) => reply.code(204).send())
  app.get('/x/hijacked', describe(plain), (request, reply) => { reply.hijack(); reply.raw.writeHead(200, { 'Content-Type': 'text/plain' }); reply.raw.write('open') })
  // Declared as streams.
  app.get('/x/feed', describe({ ...plain, protocol: 'sse', endless: true }), (request, reply) => { svc.streams.sse(request, reply, { endless: true, farewell: () => {} })?.send({ data: 'first' }); return reply })
  app.get('/x/refusing-feed', describe({ ...plain, protocol: 'sse' }), (request, reply) => reply.code(400).send({ error: 'no' }))
  // Streams detected by their head: through svc.streams, written by hand, sent by the framework.
  app.get('/x/late', describe(plain), async (request, reply) => { await wait(5); svc.streams.sse(request, reply, { headers: { 'X-Route': '1' } })?.send({ data: 'late' }); return reply })
  app.get('/x/late-body', describe(plain), (request, reply) => { const body = svc.streams.body(request, reply, { headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Route': '1' } }); body?.write('data: late\\n\\n') })
  app.get('/x/raw', describe(plain), (request, reply) => { reply.hijack(); reply.raw.setHeader('X-Route', '1'); reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }); reply.raw.write('data: unfinished') })
  app.get('/x/implicit', describe(plain), (request, reply) => { reply.hijack(); reply.raw.setHeader('Content-Type', 'text/event-stream'); reply.raw.write('data: implicit\\n\\n') })
  app.get('/x/sent', describe(plain), (request, reply) => reply.header('X-Route', '1').type('text/event-stream').send('data: whole\\n\\n'))
  app.get('/x/ws', { websocket: true, ...describe({ ...plain, protocol: 'websocket' }) }, () => {})
  app.get('/x/llm', describe({ ...plain, area: 'llm' }), async (request, reply) => { svc.http.markFault(request, reply, 'ai'); return 'llm' })
  app.get('/x/admin', describe(plain), async request => ({ admin: svc.http.isAdmin(request) }))
  app.post('/x/guarded', describe(plain), async request => { svc.http.guardAdmin(request); return 'passed' })
  app.get('/x/entry/:id', describe(plain), async request => ({ entry: (await svc.inspector.entry(request.params.id)) ?? null }))
  app.get('/x/redacted', describe(plain), async request => ({
    headers: svc.inspector.redactHeaders(Object.entries(request.headers).map(([name, value]) => ({ name, value: String(value) }))),
    url: svc.inspector.redactUrl(request.url),
  }))
  app.get('/x/call', describe(plain), async request => svc.use('core.media-types').admitCall({ session: request.query.session ?? null, peer: request.query.peer ?? '10.0.0.9', key: request.query.key ?? null }))
  const calls = svc.metrics.counter('svc_protocol_requests_total', 'x', ['protocol'])
  app.post('/x/count-call', describe(plain), async () => { calls.inc({ protocol: 'grpc' }); return '' })
  for (const path of ['/', '/docs/x', '/.well-known/x', '/oauth/jwks']) app.get(path, describe(plain), async () => 'open')
} })`

/** The areas of built-in plugins, each declared by a plugin without routes. */
const AREAS = Object.fromEntries(
  ['graphql', 'grpc', 'mcp', 'a2a', 'llm'].map(area => [
    `area-${area}`,
    `export default { title: '${area}', paths: [], area: '${area}', register() {} }`,
  ]),
)

type Test = Parameters<typeof serve>[0]

/** The folder of the plugins. */
export function limitsFolder(t: Test): string {
  return pluginFolder(t, { x: ROUTES, ...AREAS }).folder
}

/** In one process, whose entries, metrics, files and log lines a test looks at. */
export async function serveLimits(
  t: Test,
  env: Record<string, string> = {},
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const oneProcess = 'it looks at the entries, the metrics, the files or the log of a process'
  return serve(t, { env, builtinFolder: limitsFolder(t), oneProcess, ...options })
}

/** For what replicas limit and count together. */
export async function serveTogether(t: Test, env: Record<string, string> = {}): Promise<TestServer> {
  return serve(t, { env, builtinFolder: limitsFolder(t) })
}

/** The rejections that the metrics count, of all replicas: consecutive requests reach one after the other. */
export async function rejectionsOf({ url }: TestServer, dimension: string): Promise<number> {
  const { replicas } = (await (await fetch(`${url}/_svc/status`)).json()) as { replicas: number }
  let sum = 0
  for (let replica = 0; replica < replicas; replica++) {
    const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
    const [, value = '0'] =
      new RegExp(`^svc_limit_rejections_total\\{dimension="${dimension}"\\} (\\d+)$`, 'm').exec(metrics) ?? []
    sum += Number(value)
  }
  return sum
}

/** The record of `GET /_svc/usage`. */
export interface Usage {
  plan: string
  active: boolean
  scope: string
  session?: string
  limits: Record<string, unknown>
  requests: { used: number; limit: number | null; remaining: number | null }
  egress: { used_bytes: number; limit_bytes: number | null; remaining_bytes: number | null }
  rate: { rps: number | null; burst: number | null; available: number | null }
  in_flight: { current: number; limit: number | null }
  open_streams: { current: number; limit: number | null; lifetime_secs: number | null }
  persisted: boolean
}

export async function usageOf(server: TestServer, headers: Record<string, string> = {}): Promise<Usage> {
  return (await (await fetch(`${server.url}/_svc/usage`, { headers })).json()) as Usage
}
