/** Where the paths are served: below the prefix, at the root, and on hosts. */
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const plugins = ['httpbin', 'images', 'transfer', 'echo', 'redirects', 'status', 'console']

t.test('the prefix is part of the responses, but not at the root [HB-2]', async t => {
  const { url } = await serve(t, { plugins })
  t.equal((await send(url, '/httpbin/get?x=1')).json().url, `${url}/httpbin/get?x=1`)
  t.equal((await send(url, '/get?x=1')).json().url, `${url}/get?x=1`)
  t.equal((await send(url, '/httpbin/redirect/2')).headers.location, '/httpbin/relative-redirect/1')
  t.equal((await send(url, '/relative-redirect/2')).headers.location, '/relative-redirect/1')
  t.equal((await send(url, '/relative-redirect/1')).headers.location, '/get')
  t.equal((await send(url, '/httpbin/absolute-redirect/1')).headers.location, `${url}/httpbin/get`)
  t.equal((await send(url, '/httpbin/status/302')).headers.location, '/httpbin/redirect/1')
  t.match((await send(url, '/httpbin/forms/post')).text, 'action="/httpbin/post"')
  t.match((await send(url, '/forms/post')).text, 'action="/post"')
  t.match((await send(url, '/httpbin/links/2/0')).text, "<a href='/httpbin/links/2/1'>")
})

t.test('a path prefix of a gateway comes before it [HB-2]', async t => {
  const { url } = await serve(t, { plugins, env: { SVC_BASE_PATH: '/demo' } })
  t.equal((await send(url, '/demo/httpbin/redirect/1')).headers.location, '/demo/httpbin/get')
  t.equal((await send(url, '/demo/httpbin/get')).json().url, `${url}/demo/httpbin/get`)
  t.equal((await send(url, '/demo/get')).json().url, `${url}/demo/get`)
})

t.test('the paths of the specification keep their meaning at the root [HB-3]', async t => {
  const { url } = await serve(t, { plugins })
  t.match((await send(url, '/anything')).json(), { path: '/anything' }, 'the echo record')
  t.match((await send(url, '/get', { method: 'POST' })).json(), { error: 'method not allowed', path: '/get' })
  t.match((await send(url, '/unstable')).json(), { error: 'not found' }, 'httpbin has no such path')
  t.equal((await send(url, '/httpbin/unstable')).headers['content-type'], 'text/html; charset=utf-8')

  const go = await serve(t, { plugins, settings: { httpbin: { flavour: 'go-httpbin' } } })
  t.equal((await send(go.url, '/unstable?failure_rate=0')).status, 200)
  t.equal((await send(go.url, '/httpbin/nope')).text, '404 page not found\n')
  const wrong = await send(go.url, '/httpbin/get', { method: 'POST' })
  t.match(wrong, { status: 405, text: 'Method Not Allowed\n', headers: { allow: 'GET, HEAD' } })
  t.equal((await send(url, '/httpbin/get', { method: 'POST' })).headers.allow, 'GET, HEAD, OPTIONS')
  t.equal((await send(go.url, '/env')).text, '{\n  "env": {}\n}\n', 'nothing of the process is shown')

  const off = await serve(t, { plugins, settings: { httpbin: { root: false } } })
  t.match((await send(off.url, '/get')).json(), { error: 'not found' })
  t.equal((await send(off.url, '/httpbin/get')).status, 200)
})

t.test('hosts are served whole, the first match counts [HB-4]', async t => {
  const { url } = await serve(t, {
    plugins,
    env: { SVC_HOSTS: 'httpbin.local' },
    settings: {
      httpbin: {
        hosts: [
          { host: 'httpbin.local', serve: 'httpbin' },
          { host: '*.go.test', serve: 'go-httpbin' },
          { host: '*.test', serve: 'httpbin' },
        ],
      },
    },
  })
  const on = (Host: string, path: string, method = 'GET') => send(url, path, { method, headers: { Host } })
  t.match((await on('httpbin.local', '/anything/a?x=1')).json(), {
    method: 'GET',
    url: 'http://httpbin.local/anything/a?x=1',
  })
  t.equal((await on('HTTPBIN.local:8080', '/get')).json().url, 'http://httpbin.local:8080/get')
  t.strictSame((await on('a.b.go.test', '/get?x=1')).json().args, { x: ['1'] })
  t.strictSame((await on('go.test', '/get?x=1')).json().args, { x: '1' })
  t.match((await on('localhost', '/anything')).json(), { path: '/anything' }, 'other hosts are not affected')
  t.match(await on('httpbin.local', '/echo'), { status: 404, headers: { 'content-type': /html/ } })
  t.match(await on('x.go.test', '/get', 'POST'), { status: 405, text: 'Method Not Allowed\n' })
  t.equal((await on('x.go.test', '/httpbin/get')).status, 404, 'the host is whole')
  t.equal((await on('httpbin.local', '/_svc/status')).status, 200, 'control plane')
  t.equal((await on('httpbin.local', '/ui/')).status, 200, 'console')
  t.equal((await send(url, '/httpbin/hosts/go-httpbin/get')).status, 404, 'only hosts reach their mount')
  t.equal((await on('x.go.test', '/httpbin/hosts/go-httpbin/get')).status, 404)

  const entry = (await send(url, '/_svc/requests?limit=50')).json<{ requests: { path: string; headers: unknown }[] }>()
  t.ok(
    entry.requests.some(({ path }) => path === '/anything/a'),
    'the inspector has the path as received',
  )
})

t.test('X-Forwarded-Host counts only if trusted [HB-4, HB-5]', async t => {
  const settings = { httpbin: { hosts: [{ host: 'go.test', serve: 'go-httpbin' }] } }
  const headers = { 'X-Forwarded-Host': 'go.test', 'X-Forwarded-For': '203.0.113.9, 10.0.0.1' }
  const plain = await serve(t, { plugins, settings })
  t.strictSame((await send(plain.url, '/get', { headers })).json().origin, '127.0.0.1')
  t.strictSame((await send(plain.url, '/get?x=1', { headers })).json().args, { x: '1' })
  const trusting = await serve(t, { plugins, settings, env: { SVC_TRUST_FORWARD: 'true' } })
  t.match((await send(trusting.url, '/get?x=1', { headers })).json(), { args: { x: ['1'] }, origin: '203.0.113.9' })
  t.equal(
    (await send(trusting.url, '/get', { headers: { 'X-Forwarded-For': '203.0.113.9, 10.0.0.1' } })).json().origin,
    '203.0.113.9, 10.0.0.1',
  )
})

t.test('headers are those of the client [HB-6]', async t => {
  const { url } = await serve(t, { plugins })
  const names = async (path: string, headers = {}) =>
    Object.keys((await send(url, path, { headers })).json<{ headers: object }>().headers)
  t.strictSame(await names('/headers', { Accept: '*/*' }), ['Accept', 'Connection', 'Host'])
  t.ok((await names('/headers?show_env=1', { 'x-request-id': 'mine' })).includes('X-Request-Id'))
  t.notOk((await names('/headers?show_env=1')).includes('X-Request-Id'))
})

t.test('paths that people know from elsewhere are named [HB-15]', async t => {
  const { url } = await serve(t, { plugins })
  t.match((await send(url, '/httpbin/jsonl')).text, 'flavour: go-httpbin')
  t.match((await send(url, '/httpbin/spec.json')).text, '/openapi.json')
  t.match((await send(url, '/spec.json')).json(), { hint: /\/openapi\.json/ })
  t.match((await send(url, '/request/a%20b')).json(), { hint: /^see \/anything\/a%20b; GET/ })
  const off = await serve(t, {
    plugins: ['httpbin', 'llm-openai', 'llm-gemini', 'identity'],
    settings: { httpbin: { root: false }, llm: { root: false } },
  })
  t.match((await send(off.url, '/v1/chat/completions', { method: 'POST' })).json(), {
    hint: /^see \/ai\/openai\/v1\/chat\/completions; /,
  })
  t.match((await send(off.url, '/v1beta/models/g:generateContent', { method: 'POST' })).json(), {
    hint: /^see \/ai\/gemini\/v1beta\/models\/g:generateContent; /,
  })
  t.match((await send(off.url, '/realms/demo/protocol/openid-connect/token')).json(), { hint: /^see \/oauth\/token; / })
  t.match((await send(off.url, '/get')).json(), { hint: /^see \/httpbin\/get; .*\/openapi\.json/ })
})
