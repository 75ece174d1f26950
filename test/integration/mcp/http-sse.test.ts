/** The HTTP+SSE transport of 2024-11-05. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { HANDSHAKE_VERSIONS, openStream, post, type Json } from '../../support/mcp.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

async function openLegacy(url: string, headers: Record<string, string> = {}) {
  const stream = await openStream(`${url}/mcp/sse`, { headers: { Accept: 'text/event-stream', ...headers } })
  const endpoint = await stream.next()
  const path = endpoint?.data ?? ''
  const send = (message: unknown) => post(url + path, message)
  const request = async (method: string, params: Record<string, unknown> = {}, id = method): Promise<Json | null> => {
    await send({ jsonrpc: '2.0', id, method, params })
    return stream.message()
  }
  return { stream, endpoint, path, send, request }
}

t.test('the stream names the path to post to and carries every response [MCP-4, MCP-16]', async t => {
  const { url } = await serve(t)
  const { stream, endpoint, path, send, request } = await openLegacy(url)
  t.match(endpoint, { event: 'endpoint', data: /^\/mcp\/messages\?sessionId=[0-9a-f]{32}$/ })
  const id = path.split('=')[1]
  t.strictSame(
    ['server', 'session', 'method', 'request-id', 'protocol-version'].map(name =>
      stream.headers.get(`x-svc-mcp-${name}`),
    ),
    ['default', id, 'none', 'none', '2024-11-05'],
  )
  const accepted = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":"p","method":"ping"}',
  })
  t.strictSame(
    [
      accepted.status,
      await accepted.text(),
      accepted.headers.get('content-type')?.split(';')[0],
      accepted.headers.get('x-svc-mcp-method'),
      accepted.headers.get('x-svc-mcp-session'),
    ],
    [202, 'Accepted', 'text/plain', 'ping', id],
  )
  const event = await stream.next()
  t.strictSame(
    [event?.event, event?.id, JSON.parse(event?.data ?? '')],
    ['message', undefined, { jsonrpc: '2.0', id: 'p', result: {} }],
  )
  const clientInfo = { name: 'c', version: '1' }
  for (const version of HANDSHAKE_VERSIONS)
    t.equal(
      (await request('initialize', { protocolVersion: version, capabilities: { sampling: {} }, clientInfo }))?.result
        ?.protocolVersion as unknown,
      version,
    )
  t.match(await request('initialize'), { id: 'initialize', error: { code: -32602 } })
  t.equal((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
  t.match(await request('tools/call', { name: 'echo', arguments: { message: 'hi' } }), {
    result: { content: [{ text: 'hi' }] },
  })
  t.match(await request('nothing'), { error: { code: -32601 } })
  const inspected = await request('tools/call', { name: 'inspect_request', arguments: {} })
  t.match(JSON.parse(String(inspected?.result?.content?.[0]?.text)), {
    transport: 'http+sse',
    session: id,
    protocolVersion: '2024-11-05',
  })
  stream.close()
})

t.test('progress, logs, questions and updates use the stream [MCP-16]', async t => {
  const { url } = await serve(t, { env: { SVC_MCP_CLOCK_TICK_SECS: '1' } })
  const { stream, send, request } = await openLegacy(url)
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { sampling: {} },
    clientInfo: { name: 'c', version: '1' },
  })
  await request('logging/setLevel', { level: 'info' })
  const received = [
    await request('tools/call', {
      name: 'slow_task',
      arguments: { duration_ms: 1, steps: 1 },
      _meta: { progressToken: 'p' },
    }),
    await stream.message(),
    await stream.message(),
    await stream.message(),
  ]
  t.strictSame(
    received.map(message => message?.method ?? message?.id),
    ['notifications/message', 'notifications/progress', 'notifications/message', 'tools/call'],
  )
  const question = await request('tools/call', { name: 'sample_llm', arguments: { prompt: 'x' } })
  t.match(question, { method: 'sampling/createMessage' })
  await send({
    jsonrpc: '2.0',
    id: question?.id,
    result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'four' } },
  })
  t.match(await stream.message(), { result: { content: [{ text: 'Client LLM (m) answered: four' }] } })
  await request('resources/subscribe', { uri: 'svc://clock' })
  t.match(await stream.message(), { method: 'notifications/resources/updated', params: { uri: 'svc://clock' } })
  stream.close()
})

t.test('the session ends with the stream and is valid only for this transport [MCP-16]', async t => {
  const server = await serve(t)
  const { url } = server
  const { stream, path, send } = await openLegacy(url)
  const id = path.split('=')[1] ?? ''
  t.equal((await post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'Mcp-Session-Id': id })).status, 404)
  const http = await post(`${url}/mcp`, {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  })
  t.equal(
    (
      await post(`${url}/mcp/messages?sessionId=${http.headers.get('mcp-session-id')}`, {
        jsonrpc: '2.0',
        id: 1,
        method: 'ping',
      })
    ).status,
    404,
  )
  const other = await openLegacy(url)
  stream.close()
  // The other stream shows that the server continues; the server detects the closed one with its next socket event.
  let status = 202
  while (status === 202) status = (await send({ jsonrpc: '2.0', id: 1, method: 'ping' })).status
  t.equal(status, 404)
  t.match(await other.request('ping'), { result: {} })
  const rest = other.stream.rest()
  await server.stop()
  t.strictSame(await rest, [])
})

t.test('bad input is rejected in the response to the POST [MCP-16, MCP-35]', async t => {
  const { url } = await serve(t)
  const { stream, path } = await openLegacy(url)
  const table: [string, string, number, number][] = [
    ['/mcp/messages', '{}', 400, -32600],
    ['/mcp/messages?sessionId=', '{"jsonrpc":"2.0","id":1,"method":"ping"}', 400, -32600],
    ['/mcp/messages?sessionId=a&sessionId=b', '{"jsonrpc":"2.0","id":1,"method":"ping"}', 400, -32600],
    [`/mcp/messages?sessionId=${'0'.repeat(32)}`, '{"jsonrpc":"2.0","id":1,"method":"ping"}', 404, -32001],
    [path, '{"broken', 400, -32700],
    [path, '', 400, -32700],
    [path, '[]', 400, -32600],
    [path, '7', 400, -32600],
  ]
  for (const [target, body, status, code] of table) {
    const reply = await post(url + target, body)
    t.strictSame([reply.status, reply.answer.error?.code] as unknown[], [status, code], `${target} ${body}`)
  }
  t.equal(
    (await post(url + path, '{"jsonrpc":"2.0","id":1,"method":"ping"}', { 'Content-Type': 'text/plain' })).status,
    415,
  )
  t.equal((await fetch(`${url}/mcp/sse`, { headers: { Accept: 'application/json' } })).status, 406)
  t.equal((await fetch(`${url}/mcp/sse`, { method: 'HEAD' })).status, 405)
  stream.close()
})

t.test('behind a trusted prefix the endpoint has the prefix [MCP-16]', async t => {
  const { url } = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  const { stream, endpoint } = await openLegacy(url, { 'X-Forwarded-Prefix': '/gateway' })
  t.match(endpoint?.data, /^\/gateway\/mcp\/messages\?sessionId=/)
  stream.close()
})
