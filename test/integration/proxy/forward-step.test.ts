/** The step `forward` of rules. */
import t from 'tap'
import { putRule, send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'
import { proxyTo, recordingNames, startUpstream } from './upstream.ts'

t.test('a rule sends requests to an upstream, at their own path [FORWARD-1]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [
    { name: 'api', target: `${upstream.url}/base`, mode: 'passthrough', set_headers: { 'X-Own': 'a' } },
  ])
  await putRule(server, 'all', { match: { path: '/api/**' }, then: { forward: 'api' } })
  const reply = await send(server, 'POST /api/orders?x=1', { body: { a: 1 } })
  t.match(reply, { status: 200, json: { method: 'POST', url: '/base/api/orders?x=1' } })
  t.strictSame([reply.headers.get('x-svc-rule'), reply.headers.get('x-svc-proxy')], ['all', 'passthrough'])
  t.match(upstream.received[0], { body: '{"a":1}', headers: { 'x-own': 'a', via: /svc-/ } })
  t.equal((await send(server, '/s/t1/api/y')).status, 200, 'without the prefix of the session')
  t.equal(upstream.received[1]?.url, '/base/api/y')
})

t.test('prefix and headers can be changed, also by references [FORWARD-2]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [
    { name: 'api', target: upstream.url, mode: 'passthrough', set_headers: { 'X-Own': 'a', 'X-Kept': 'k' } },
  ])
  await putRule(server, 'v1', {
    match: { path: '/v1/**' },
    then: {
      delay: 1,
      forward: {
        upstream: 'api',
        strip_prefix: '/v1/',
        set_headers: { 'x-own': 'b', 'X-Path': '{{request.path}}' },
        remove_headers: ['X-Secret'],
      },
    },
  })
  await send(server, '/v1/a?b', { headers: { 'X-Secret': 's', 'X-Other': 'o' } })
  t.match(upstream.received[0], {
    url: '/a?b',
    headers: { 'x-own': 'b', 'x-kept': 'k', 'x-path': '/v1/a', 'x-other': 'o' },
  })
  t.equal(upstream.received[0]?.headers['x-secret'], undefined)
  await send(server, '/v1')
  t.equal(upstream.received[1]?.url, '/')
  await putRule(server, 'v10', { match: { path: '/v10' }, then: { forward: { upstream: 'api', strip_prefix: '/v1' } } })
  await send(server, '/v10')
  t.equal(upstream.received[2]?.url, '/v10', 'whole segments only')
})

t.test('redirects of the upstream lead back to the path of the rule [FORWARD-2]', async t => {
  const upstream = await startUpstream(t, ({ url }, response) => {
    response.writeHead(302, { Location: url === '/abs' ? `http://${response.req.headers.host}/next` : '/' })
    response.end()
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'passthrough' }])
  await putRule(server, 'x', { match: { path: '/x/**' }, then: { forward: { upstream: 'api', strip_prefix: '/x' } } })
  t.equal((await send(server, '/x/abs')).headers.get('location'), '/x/next')
  t.equal((await send(server, '/x/rel')).headers.get('location'), '/x/')
})

t.test('modes, recordings and misses are those of the upstream [FORWARD-3]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  await putRule(server, 'all', { match: { path: '/api/**' }, then: { forward: 'api' } })
  t.equal((await send(server, '/api/x')).headers.get('x-svc-proxy'), 'record')
  t.equal((await recordingNames(server, 'api')).length, 1)
  t.equal((await send(server, '/api/x')).headers.get('x-svc-proxy'), 'replay')
  await send(server, 'PUT /_svc/proxy/api/mode', { body: { mode: 'replay' } })
  t.match(await send(server, '/api/y'), { status: 404, json: { error: 'no_recording', upstream: 'api' } })
  t.equal(upstream.received.length, 1)
})

t.test('what the proxy refuses is refused here too [FORWARD-4]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'passthrough' }])
  await putRule(server, 'all', { match: { path: '/api/**' }, then: { forward: 'api' } })
  const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
  t.equal((await send(server, 'POST /api/x', { body: 'x', headers: foreign })).status, 403)
  t.equal((await send(server, '/api/..%2f..%2fx')).status, 400)
  t.equal(upstream.received.length, 0)
})

t.test('wrong values are errors with their place [FORWARD-5]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const rows: [forward: unknown, at: string, details: RegExp][] = [
    ['apo', 'then.forward', /did you mean api/],
    [{ upstream: 'x' }, 'then.forward.upstream', /no upstream/],
    [{}, 'then.forward.upstream', /text/],
    [{ upstream: 'api', strip_prefix: 'v1' }, 'then.forward.strip_prefix', /begins with/],
    [{ upstream: 'api', set_headers: { Host: 'x' } }, 'then.forward.set_headers.Host', /belongs/],
    [{ upstream: 'api', set_headers: { 'X-A': '{{nope}}' } }, 'then.forward.set_headers.X-A', /nope/],
    [{ upstream: 'api', target: 'http://x' }, 'then.forward.target', /unknown/],
  ]
  for (const [forward, at, details] of rows)
    t.match(await send(server, 'PUT /_svc/rules/x', { body: { then: { forward } } }), {
      status: 400,
      json: { error: 'invalid_rule', at, details },
    })
  t.match(await send(server, 'PUT /_svc/rules/x', { body: { then: { forward: 'api', fail: 500 } } }), { status: 400 })
  const none = await serve(t, { plugins: ['proxy', 'echo'] })
  t.match(await send(none, 'PUT /_svc/rules/x', { body: { then: { forward: 'api' } } }), {
    status: 400,
    json: { at: 'then.forward' },
  })
  const open = await proxyTo(t, [{ name: 'api', target: upstream.url }], { SVC_PUBLIC_MODE: 'true' })
  t.match(await send(open, 'PUT /_svc/rules/x', { session: 's1', body: { then: { forward: 'api' } } }), {
    status: 400,
    json: { at: 'then.forward', details: /public mode/ },
  })
})
