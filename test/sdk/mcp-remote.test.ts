/** Servers from svc.yaml that have a URL: the official server-everything, and svc itself in both kinds of revisions. */
import t, { type Test } from 'tap'
import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { call, callTool, items, type Json, openSession, openStream, envelope, routing, textOf } from '../support/mcp.ts'
import { serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { freePort } from '../support/free-ports.ts'

t.setTimeout(600_000)

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')

const yamlOf = (...servers: Record<string, unknown>[]): string => `mcp: ${JSON.stringify({ servers })}\n`

/** Two instances: `far` has the servers, `near` has a bridge to one of them. */
async function servePair(t: Test, name: string, members: Record<string, unknown> = {}, env = {}) {
  const far = await serve(t, { plugins: ['mcp'], env: { SVC_MCP_CLOCK_TICK_SECS: '1', ...env } })
  const near = await serve(t, {
    yaml: yamlOf({ name: 'far', url: `${far.url}${name}`, ...members }),
    env: { SVC_INSTANCE_ID: 'near' },
  })
  return { far, near, url: `${near.url}/mcp/servers/far` }
}

interface Status extends Record<string, unknown> {
  state: string
  last_error: string | null
}

async function statusOf({ url }: TestServer, name = 'far'): Promise<Status> {
  const { servers } = (await (await fetch(`${url}/_svc/mcp-servers`)).json()) as { servers: Status[] }
  return servers.find(one => one.name === name)!
}

for (const revision of ['stateless', 'session', 'auto']) {
  t.test(`a remote server works like its original, ${revision} [MCPX-18]`, async t => {
    const { url, near, far } = await servePair(t, '/mcp', { revision })
    t.match((await callTool(url, 'add', { a: 2, b: 3 })).answer.result, { structuredContent: { sum: 5 } })
    t.match(await statusOf(near), { source: 'remote', state: 'up', auth: 'open' })
    const names = async (base: string) =>
      items((await call(`${base}`, 'tools/list')).answer.result?.tools).map(({ name }) => String(name))
    t.strictSame(await names(url), await names(`${far.url}/mcp`))
    t.match((await callTool(url, 'get_weather', { city: 'Den Haag' })).answer.result, { isError: false })
    t.match((await call(url, 'resources/read', { uri: 'svc://clock' })).answer.result, { contents: [{}] })
    t.match((await call(url, 'resources/read', { uri: 'svc://nope' })).answer.error, {
      message: 'Resource not found: svc://nope',
    })
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }))
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    t.teardown(() => client.close())
    t.match(await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } }), { structuredContent: { sum: 2 } })
    const progress: number[] = []
    await client.callTool({ name: 'slow_task', arguments: { duration_ms: 100, steps: 2 } }, undefined, {
      onprogress: ({ progress: value }) => progress.push(value),
    })
    t.ok(progress.length > 0, String(progress))
  })
}

t.test('questions of a remote server reach the client, in both kinds of revisions [MCPX-18]', async t => {
  for (const revision of ['stateless', 'session']) {
    const { url } = await servePair(t, '/mcp/servers/conformance', { revision })
    const params = { name: 'test_elicitation', arguments: { message: 'Name?' } }
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, () => ({
      action: 'accept',
      content: { username: 'ada', email: 'a@b.c' },
    }))
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    t.teardown(() => client.close())
    t.match(JSON.stringify(await client.callTool(params)), /ada/, revision)
    const capabilities = { elicitation: {} }
    const first = (await call(url, 'tools/call', params, { capabilities })).answer.result as Json
    t.match(first, { resultType: 'input_required', inputRequests: { q1: { method: 'elicitation/create' } } }, revision)
    const inputResponses = { q1: { action: 'accept', content: { username: 'eve', email: 'a@b.c' } } }
    const second = await call(
      url,
      'tools/call',
      { ...params, requestState: first.requestState, inputResponses },
      { capabilities },
    )
    t.match(second.text, /eve/, revision)
  }
})

t.test('changes of resources are passed on [MCPX-18]', async t => {
  for (const revision of ['stateless', 'session']) {
    const { url } = await servePair(t, '/mcp', { revision })
    await call(url, 'tools/list')
    const stream = await openStream(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...routing('subscriptions/listen') },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions: ['svc://clock'] }, _meta: envelope() },
      }),
    })
    t.match(await stream.message(), { params: { notifications: { resourceSubscriptions: ['svc://clock'] } } })
    t.match(
      await stream.message(),
      { method: 'notifications/resources/updated', params: { uri: 'svc://clock' } },
      revision,
    )
    stream.close()
  }
})

t.test('the official server-everything over HTTP, killed and started again [MCPX-18]', async t => {
  const port = await freePort()
  const start = async () => {
    const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    await new Promise(resolve => child.stderr.once('data', resolve))
    return child
  }
  const child = await start()
  const near = await serve(t, { yaml: yamlOf({ name: 'far', url: `http://127.0.0.1:${port}/mcp` }) })
  const url = `${near.url}/mcp/servers/far`
  t.equal(textOf(await callTool(url, 'echo', { message: 'hello' })), 'Echo: hello')
  const session = await openSession(url)
  const echo = { name: 'echo', arguments: { message: 'in a session' } }
  t.equal(textOf(await session.request('tools/call', echo)), 'Echo: in a session')
  child.kill('SIGKILL')
  await until(async () => (await statusOf(near)).state === 'down', 'the server is down')
  t.match((await callTool(url, 'echo', { message: 'x' })).answer.error, {
    code: -32603,
    message: 'the server is not running',
    data: { server: 'far', state: 'down' },
  })
  await start()
  await until(async () => (await statusOf(near)).state === 'up', 'the server is up')
  t.equal(textOf(await callTool(url, 'echo', { message: 'again' })), 'Echo: again')
})

/** A server that records requests and answers with `respond`. */
async function recorder(t: Test, respond: (message: Json, response: ServerResponse, request: IncomingMessage) => void) {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => respond(text === '' ? {} : JSON.parse(text), response, request))
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const answerTo = ({ id, method }: Json): unknown => {
  const results: Record<string, unknown> = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'r', version: '1' } },
    'tools/list': { tools: [{ name: 'run', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'ok' }] },
  }
  return { jsonrpc: '2.0', id, result: results[String(method)] ?? {} }
}

t.test('credentials of clients stay here unless they are forwarded; own headers are sent [MCPX-18]', async t => {
  const seen: { method: string; headers: IncomingMessage['headers'] }[] = []
  const remote = await recorder(t, (message, response, request) => {
    seen.push({ method: String(message.method ?? request.method), headers: request.headers })
    if (request.method !== 'POST') return response.writeHead(405).end()
    if (message.id === undefined) return response.writeHead(202).end()
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answerTo(message)))
  })
  const near = await serve(t, {
    yaml: yamlOf({
      name: 'far',
      url: remote,
      revision: 'session',
      headers: { Authorization: 'Bearer ${TOKEN}' },
      forward: ['X-Tenant'],
    }),
    env: { TOKEN: 's3cret', SVC_INSTANCE_ID: 'near-1' },
  })
  const url = `${near.url}/mcp/servers/far`
  const headers = { Authorization: 'Bearer mine', Cookie: 'a=b', 'X-API-Key': 'k', 'X-Tenant': 'acme', 'X-Other': 'o' }
  t.equal(textOf(await callTool(url, 'run', {}, { headers })), 'ok')
  const called = seen.find(({ method }) => method === 'tools/call')!.headers
  t.match(called, {
    authorization: 'Bearer s3cret',
    'x-tenant': 'acme',
    'x-svc-mcp-via': 'near-1',
    'mcp-protocol-version': '2025-06-18',
  })
  for (const name of ['cookie', 'x-api-key', 'x-other']) t.notOk(name in called, name)
  t.notOk(near.lines.join('').includes('s3cret'))
  t.notOk(JSON.stringify(await statusOf(near)).includes('s3cret'))
  await near.stop()
})

t.test('redirects, error pages and broken answers are errors of the call [MCPX-18]', async t => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    redirect: response => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
    page: response => response.writeHead(500, { 'Content-Type': 'text/html' }).end('<h1>no</h1>'),
    text: response => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"jsonrpc"'),
    nothing: response => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(': no\n\n'),
    unread: response =>
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"loop"}}'),
    denied: response =>
      response
        .writeHead(403, { 'Content-Type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"denied","data":{"a":1}}}'),
  }
  let kind = ''
  const remote = await recorder(t, (message, response, request) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    if (String(message.method) === 'tools/call') return answers[kind]!(response)
    if (message.id === undefined) return response.writeHead(202).end()
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answerTo(message)))
  })
  const near = await serve(t, { yaml: yamlOf({ name: 'far', url: remote, revision: 'session' }) })
  const expected: Record<string, Record<string, unknown>> = {
    redirect: { code: -32603, message: 'the server answered with status 302' },
    page: { code: -32603, message: 'the server answered with status 500' },
    text: { code: -32603, message: 'the server sent invalid JSON: {"jsonrpc"' },
    nothing: { code: -32603, message: 'the server did not answer' },
    unread: { code: -32603, message: 'loop' },
    denied: { code: -32000, message: 'denied', data: { a: 1 } },
  }
  for (kind of Object.keys(expected))
    t.match((await callTool(`${near.url}/mcp/servers/far`, 'run')).answer.error, expected[kind]!, kind)
})

t.test('a request that has passed through this instance is a loop [MCPX-18]', async t => {
  const near = await serve(t, { plugins: ['mcp'], env: { SVC_INSTANCE_ID: 'near-1' } })
  const headers = { 'X-Svc-Mcp-Via': 'other, near-1' }
  const { status, answer } = await call(`${near.url}/mcp`, 'tools/list', {}, { headers })
  t.equal(status, 200)
  t.match(answer.error, { code: -32603, message: 'loop' })
  t.ok((await call(`${near.url}/mcp`, 'tools/list', {}, { headers: { 'X-Svc-Mcp-Via': 'near-11' } })).answer.result)
})
