/** Rules on routes with error forms of their own. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { putRule, send } from '../../support/rules.ts'
import { call, echoClient, failureOf } from '../protocols/grpc-client.ts'

const server = await serve(t)
const rpc = { jsonrpc: '2.0', method: 'add', params: [1, 2], id: 7 }
const tool = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'get_weather', arguments: {} }, id: 't' }

t.test('JSON-RPC routes fail with a JSON-RPC error [RULE-26]', async t => {
  await putRule(server, 'rpc', { match: { rpc: { method: 'add' } }, then: { fail: 503, message: 'busy' } }, 's')
  const failed = await send(server, 'POST /jsonrpc', { session: 's', body: rpc })
  t.equal(failed.status, 503)
  t.match(failed.json, { jsonrpc: '2.0', error: { code: -32_603, message: 'busy', data: { rule: 'rpc' } }, id: 7 })
  t.equal((await send(server, 'POST /jsonrpc', { session: 's', body: { ...rpc, method: 'echo' } })).status, 200)
  await putRule(server, 'tool', { match: { rpc: { tool: 'get_weather' } }, then: { fail: 500 } }, 's')
  const mcp = await send(server, 'POST /mcp', { session: 's', body: tool })
  t.equal(mcp.status, 500)
  t.match(mcp.json, { jsonrpc: '2.0', error: { code: -32_603, message: /injected fault: 500/ }, id: 't' })
  t.match(Object.fromEntries(mcp.headers), {
    'x-svc-mcp-server': 'default',
    'x-svc-mcp-method': 'tools/call',
    'x-svc-mcp-request-id': 't',
    'x-svc-rule': 'tool',
  })
  const named = await send(server, 'POST /mcp/servers/weather', { session: 's', body: tool })
  t.equal(named.headers.get('x-svc-mcp-server'), 'weather')
  await putRule(server, 'stream', { match: { method: 'GET', path: '/mcp/apikey' }, then: { fail: 503 } }, 's')
  const stream = await send(server, 'GET /mcp/apikey', { session: 's' })
  t.match(stream.json, { error: { code: -32_603 }, id: null })
  t.match(Object.fromEntries(stream.headers), { 'x-svc-mcp-server': 'apikey', 'x-svc-mcp-method': 'none' })
  await putRule(server, 'agents', { match: { path: '/a2a/**' }, then: { fail: 503 } }, 's')
  t.match((await send(server, 'POST /a2a/echo', { session: 's', body: { ...rpc, method: 'SendMessage' } })).json, {
    error: { code: -32_603 },
    id: 7,
  })
})

t.test('GraphQL and SOAP routes fail in their own words [RULE-26]', async t => {
  await putRule(server, 'users', { match: { graphql: { field: 'users' } }, then: { fail: 503 } }, 's')
  const failed = await send(server, 'POST /graphql', { session: 's', body: { query: '{ users { id } }' } })
  t.equal(failed.status, 503)
  t.match(failed.json, { errors: [{ message: /503 Service Unavailable, by rule users/, extensions: { status: 503 } }] })
  t.equal((await send(server, 'POST /graphql', { session: 's', body: { query: '{ __typename }' } })).status, 200)
  await putRule(server, 'soap', { match: { path: '/soap' }, then: { fail: 429 } }, 's')
  const soap = await send(server, 'POST /soap', { session: 's', headers: { 'content-type': 'text/xml' }, body: '<a/>' })
  t.equal(soap.status, 429)
  t.match(soap.text, /Fault>/)
})

t.test('gRPC calls end with the status of the failure [RULE-27]', async t => {
  const client = echoClient(`127.0.0.1:${server.ports.grpc}`)
  t.teardown(() => client.close())
  t.teardown(() => send(server, 'DELETE /_svc/rules'))
  for (const [status, code] of [
    [429, 14],
    [503, 14],
    [401, 16],
    [403, 7],
    [404, 5],
    [408, 4],
    [504, 4],
    [409, 10],
    [400, 3],
    [501, 12],
    [500, 2],
  ] as const) {
    await putRule(server, 'grpc', {
      match: { grpc: { service: 'svc.echo.v1.EchoService', method: 'Echo' } },
      then: { fail: status },
    })
    const failure = await failureOf(call(client, 'Echo', { message: 'hi' }))
    t.equal(failure.code, code, String(status))
    t.equal(failure.metadata.get('x-svc-rule')[0] ?? 'grpc', 'grpc')
  }
  await putRule(server, 'grpc', {
    match: { path: '/svc.echo.v1.EchoService/*' },
    then: [{ fail: 503, message: 'no', times: 1 }, { delay: 50 }],
  })
  t.match((await failureOf(call(client, 'Echo', { message: 'hi' }))).details, /no/)
  const startedAt = performance.now()
  t.match(await call(client, 'Echo', { message: 'hi' }), { message: 'hi' })
  t.ok(performance.now() - startedAt >= 49)
  t.match(await call(client, 'Echo', { message: 'hi' }), { message: 'hi' }, 'the rule is exhausted')
})
