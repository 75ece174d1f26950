/** Servers of other projects: what they answer, below their paths, on hosts and on ports. */
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import WebSocket from 'ws'
import { exchange } from '../../support/raw-client.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t, {
  settings: {
    drop_in: {
      hosts: [
        { host: 'whoami.test', serve: 'whoami', name: 'blue' },
        { host: '*.mesh.test', serve: 'istio-echo', version: 'v1', cluster: 'c1' },
        { host: 'text.test', serve: 'http-echo', text: 'hello', status: 201 },
        { host: 'page.test', serve: 'http-echo', text: '<!doctype html><p>hi' },
        { host: 'go.test', serve: 'go-httpbin' },
        { host: 'wrong.test', serve: 'whomai' },
        { host: 'textless.test', serve: 'http-echo' },
      ],
      listeners: [
        { port: 0, name: 'texts', serve: 'http-echo', text: 'port' },
        { port: 0, name: 'echo', serve: 'echo-basic' },
        { port: 0, name: 'proxied', serve: 'istio-echo', proxy_protocol: 'strict' },
        { port: 0, name: 'who', serve: 'whoami', proxy_protocol: 'strict' },
      ],
      prefixes: [{ path: '/apps/blue', serve: 'whoami' }],
    },
  },
})
type Options = Parameters<typeof send>[2]
const on = (Host: string, path: string, options: Options = {}) =>
  send(url, path, { ...options, headers: { Host, ...options?.headers } })
const at = (flavour: string, path: string, options: Options = {}) => send(url, `/drop-in/${flavour}${path}`, options)

t.test('whoami: the request as Go writes it [DIN-1]', async t => {
  const reply = await on('whoami.test', '/a?b=1', {
    method: 'POST',
    headers: { 'x-lane': 'blue', Accept: '*/*', 'Content-Length': '2' },
    body: 'hi',
  })
  t.equal(reply.headers['content-type'], 'text/plain; charset=utf-8')
  t.match(
    reply.text,
    /^Name: blue\nHostname: .+\n(?:IP: .+\n)+RemoteAddr: 127\.0\.0\.1:\d+\nPOST \/a\?b=1 HTTP\/1\.1\r\n/,
  )
  const request = reply.text.slice(reply.text.indexOf('POST '))
  t.equal(
    request,
    'POST /a?b=1 HTTP/1.1\r\nHost: whoami.test\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: 2\r\nAccept: */*\r\nConnection: close\r\nX-Lane: blue\r\n\r\nhi',
  )
  const chunked = await exchange(
    Number(new URL(url).port),
    'POST / HTTP/1.1\r\nHost: whoami.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
  )
  t.match(chunked.text, /Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nhi\r\n0\r\n\r\n/)
})

t.test('whoami: its paths [DIN-1]', async t => {
  t.match((await on('whoami.test', '/api?x=<', { headers: { 'x-a': '1' } })).json(), {
    name: 'blue',
    method: 'GET',
    url: '/api?x=<',
    host: 'whoami.test',
    headers: { 'X-A': ['1'] },
  })
  t.match((await on('whoami.test', '/api?x=<')).text, /\\u003c/)
  t.equal((await on('whoami.test', '/data?size=5')).text, '|ABC|')
  t.equal((await on('whoami.test', '/data')).text, '')
  t.equal((await on('whoami.test', '/data?size=2&unit=kb')).text.length, 2048)
  const attachment = await on('whoami.test', '/data?size=5&attachment=true', { headers: { Range: 'bytes=1-2' } })
  t.match(attachment, { status: 206, text: 'AB', headers: { 'content-disposition': 'Attachment' } })
  t.equal((await on('whoami.test', '/data?size=5&attachment=true')).text, '|AB|')
  t.equal((await on('whoami.test', '/bench')).text, '1')
  t.match(await on('whoami.test', '/a//b/../c?x=1'), { status: 307, headers: { location: '/a/c?x=1' } })
  t.equal((await on('whoami.test', '/health')).status, 200)
  t.equal((await on('whoami.test', '/health', { method: 'POST', body: '503' })).status, 200)
  t.equal((await on('whoami.test', '/health')).status, 503)
  t.equal((await on('whoami.test', '/health', { method: 'POST', body: 'x' })).status, 400)
  t.equal((await on('whoami.test', '/echo')).status, 400)
})

t.test('whoami and istio-echo: WebSockets [DIN-1, DIN-3]', async t => {
  const talk = (Host: string, path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers: { Host } })
      socket.on('open', () => socket.send('ping'))
      socket.on('message', data => {
        resolve(String(data))
        socket.close()
      })
      socket.on('error', reject)
    })
  t.equal(await talk('whoami.test', '/echo'), 'ping')
  t.match(await talk('a.mesh.test', '/any'), /^ServiceVersion=v1\n[^]*\npingStatusCode=200\n$/)
})

t.test('http-echo: a text with a status [DIN-2]', async t => {
  const reply = await on('text.test', '/any')
  t.match(reply, { status: 201, text: 'hello\n', headers: { 'x-app-name': 'http-echo', 'x-app-version': '1.0.0' } })
  t.match(await on('text.test', '/health'), { status: 200, text: '{"status":"ok"}\n' })
  t.match((await on('page.test', '/')).headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': /sandbox/,
  })
  t.equal((await at('http-echo', '/')).text, 'svc\n')
})

t.test('nginx-hello: address, name and time [DIN-2]', async t => {
  const reply = await at('nginx-hello', '/a?b')
  t.match(
    reply.text,
    /^Server address: 127\.0\.0\.1:\d+\nServer name: .+\nDate: \d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\nURI: \/drop-in\/nginx-hello\/a\?b\nRequest ID: [\da-f]{32}\n$/,
  )
  t.match(reply.headers, { 'content-type': 'text/plain', 'cache-control': 'no-cache' })
})

t.test('istio-echo: lines, headers, statuses [DIN-3]', async t => {
  const reply = await on('a.mesh.test', '/p?headers=X-Own:1,x-b:2&codes=418', { headers: { 'x-lane': 'blue' } })
  t.equal(reply.status, 418)
  t.match(reply.headers, { 'x-own': '1', 'x-b': '2' })
  t.match(
    reply.text,
    /^ServiceVersion=v1\nServicePort=\d+\nHost=a\.mesh\.test\nURL=\/p\?headers=.*\nCluster=c1\nMethod=GET\nProto=HTTP\/1\.1\nIP=127\.0\.0\.1\nRequestHeader=Connection:close\nRequestHeader=X-Lane:blue\nHostname=.+\n$/,
  )
  t.match(await on('a.mesh.test', '/?headers=a'), {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    text: /^response headers error: invalid "a" \(want name:value\)\n/,
  })
  t.match((await on('a.mesh.test', '/?delay=x')).text, /^error delaying response error: time: invalid duration "x"\n/)
  t.match(await on('a.mesh.test', '/?codes=abc'), {
    headers: { 'content-type': 'application/text' },
    text: /^codes error: strconv\.Atoi: parsing "abc": invalid syntax\n/,
  })
  t.equal((await on('a.mesh.test', '/?codes=500:0')).status, 400)
  const form = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'codes=503' }
  t.equal((await on('a.mesh.test', '/', form)).status, 503)
  t.equal((await on('a.mesh.test', '/?headers=Content-Length:1,X-Svc-Plan:x')).headers['x-svc-plan'], undefined)
})

t.test('fortio: what the query asks for [DIN-4]', async t => {
  const post = { method: 'POST', headers: { 'Content-Type': 'text/x' }, body: 'hi' }
  t.match(await at('fortio', '/', post), { text: 'hi', headers: { 'content-type': 'text/x' } })
  t.equal((await at('fortio', '/?status=418')).status, 418)
  t.equal((await at('fortio', '/?status=503:100')).status, 503)
  t.equal((await at('fortio', '/?status=503:0')).status, 200)
  for (const status of ['x', '503:200', '99', '503:60,404:60'])
    t.equal((await at('fortio', `/?status=${status}`)).status, 400, status)
  t.equal((await at('fortio', '/?header=X-A:1&header=X-A:2&header=bad')).headers['x-a'], '1, 2')
  const sized = await at('fortio', '/?size=1000', post)
  t.match(sized, { headers: { 'content-type': 'application/octet-stream' } })
  t.equal(sized.body.length, 1000)
  t.same((await at('fortio', '/?size=1000')).body, sized.body, 'the bytes are fixed')
  t.equal((await at('fortio', '/?size=999999999')).body.length, 262_144)
  t.equal((await at('fortio', '/?size=x', post)).text, 'hi')
  const zipped = await at('fortio', '/?gzip=true', { ...post, headers: { 'Accept-Encoding': 'gzip' } })
  t.equal(zipped.headers['content-encoding'], 'gzip')
  t.match(
    (await at('fortio', '/debug', post)).text,
    /^Φορτίο version .*\n\nPOST \/drop-in\/fortio\/debug HTTP\/1\.1\n\nheaders:\n\nHost: [^]*\nContent-Type: text\/x[^]*\n\nbody:\n\nhi\n$/,
  )
  t.equal((await at('fortio', '/debug/echo/', post)).text, 'hi')
  t.equal((await at('fortio', '/fetch/localhost')).status, 404)
})

t.test("apisix-upstream: the paths of APISIX's tests [DIN-5]", async t => {
  t.match(await at('apisix-upstream', '/hello', { headers: { 'resp-x-a': '1' } }), {
    text: 'hello world\n',
    headers: { 'content-length': '12', 'x-a': '1' },
  })
  t.match(await at('apisix-upstream', '/hello_chunked'), {
    text: 'hello world\n',
    headers: { 'transfer-encoding': 'chunked' },
  })
  t.match(await at('apisix-upstream', '/specific_status', { headers: { 'X-Test-Upstream-Status': '503' } }), {
    status: 503,
    text: 'upstream status: 503\n',
  })
  t.equal((await at('apisix-upstream', '/print_uri_100')).status, 200)
  t.equal((await at('apisix-upstream', '/print_uri_101')).status, 404)
  t.match(
    (await at('apisix-upstream', '/uri/a', { headers: { 'X-B': '2', 'X-Forwarded-For': 'x' } })).text,
    /^uri: .*\nconnection: close\nhost: .*\nx-b: 2\n$/,
  )
  t.equal((await at('apisix-upstream', '/api_breaker?code=502')).status, 502)
  t.match(await at('apisix-upstream', '/headers?X-A=1'), { text: '/headers\n', headers: { 'x-a': '1' } })
  await t.rejects(at('apisix-upstream', '/mysleep?seconds=0&abort=1'), { code: 'ECONNRESET' })
})

t.test('azure-mock: the first message says how a backend responds [DIN-6]', async t => {
  const ask = (simulation: object | null, Host = 'backend.test') =>
    at('azure-mock', '/openai/deployments/d/chat/completions', {
      method: 'POST',
      headers: { Host },
      body: JSON.stringify({ messages: [{ content: simulation === null ? 'hi' : { simulation } }] }),
    })
  t.match(await ask({ default: { response_status_code: 200 } }), {
    status: 200,
    headers: { 'x-ms-region': 'backend.test', 'x-ratelimit-remaining-tokens': '5000' },
    text: /Mock response from backend\.test/,
  })
  t.match(await ask({ default: { response_status_code: 200 }, 'backend.test': { response_status_code: 429 } }), {
    status: 429,
    headers: { retry_after_ms: '5000' },
  })
  t.equal((await ask(null)).status, 400)
  t.match((await at('azure-mock', '/openai/deployments/d/chat/completions', { method: 'POST', body: 'x' })).json(), {
    message: 'No JSON data found in the request',
  })
})

t.test('raw-headers and testbox [DIN-7]', async t => {
  const raw = await at('raw-headers', '/a', { headers: { 'x-MiXed': '1' } })
  t.match(raw.text, /^GET \/drop-in\/raw-headers\/a HTTP\/1\.1\n[^]*x-MiXed: 1\n/)
  const chat = (content: string) =>
    at('testbox-llm', '/v1/chat/completions', { method: 'POST', body: JSON.stringify({ messages: [{ content }] }) })
  t.match((await chat('my ssn')).json(), { choices: [{ message: { content: '123-45-6789 is an example SSN' } }] })
  t.match((await at('testbox-llm', '/v1/messages', { method: 'POST', body: '"blocked"' })).json(), {
    content: [{ text: 'blocked content' }],
    usage: { input_tokens: 8, output_tokens: 8 },
  })
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tasks/send', params: { id: 't', message: { parts: [{ text: 'hi' }] } } }
  t.match((await at('testbox-a2a', '/', { method: 'POST', body: JSON.stringify(rpc) })).json(), {
    result: { id: 't', status: { state: 'working', message: { parts: [{ text: 'Echo: hi' }] } } },
  })
  t.equal((await at('testbox-a2a', '/', { method: 'POST', body: '{"method":"x"}' })).status, 400)
  t.equal((await at('testbox-a2a', '/')).status, 405)
  t.equal((await at('testbox-a2a', '/agent-card')).status, 200)
})

t.test('kong-mock: the request in JSON, and logs [DIN-10]', async t => {
  const json = { 'Content-Type': 'application/json' }
  const reply = await at('kong-mock', '/anything?a=1&a=2', { method: 'POST', headers: json, body: '{"x":1}' })
  t.match(reply.headers, { server: 'mock-upstream/1.0.0', 'x-powered-by': 'mock_upstream' })
  t.match(reply.json(), {
    post_data: { kind: 'json', params: { x: 1 }, text: '{"x":1}' },
    uri_args: { a: ['1', '2'] },
    headers: { 'content-type': 'application/json' },
    vars: { request_method: 'POST', is_args: '?' },
  })
  t.match((await at('kong-mock', '/request', { method: 'POST', headers: json, body: '{' })).json(), {
    post_data: { kind: 'json (error)' },
  })
  t.match((await at('kong-mock', '/')).json(), { valid_routes: { '/get': String } })
  t.equal((await at('kong-mock', '/nowhere')).status, 404)
  t.equal((await at('kong-mock', '/get', { method: 'POST' })).status, 405)
  t.match(await at('kong-mock', '/status/418'), { status: 418, text: /"code":418/ })
  t.equal((await at('kong-mock', '/response-headers?X-A=1')).headers['x-a'], '1')
  t.equal((await at('kong-mock', '/cache/60')).headers['cache-control'], 'public, max-age=60')
  const credentials = { 'Proxy-Authorization': `Basic ${Buffer.from('u:p').toString('base64')}` }
  t.equal((await at('kong-mock', '/basic-auth/u/p', { headers: credentials })).status, 200)
  t.match(await at('kong-mock', '/basic-auth/u/x', { headers: credentials }), {
    status: 401,
    headers: { 'www-authenticate': 'mock_upstream' },
  })
  t.equal((await at('kong-mock', '/stream/3')).text.trim().split('\n').length, 3)
  t.match((await at('kong-mock', '/hop-by-hop')).headers, {
    'proxy-authenticate': 'Basic',
    upgrade: 'example/1, foo/2',
  })
  const post = (body: string) => at('kong-mock', '/post_log/a', { method: 'POST', headers: json, body })
  t.equal((await post('{"n":1}')).status, 200)
  t.equal((await post('[{"n":2},{"n":3}]')).status, 200)
  t.equal((await post('nothing')).status, 400)
  t.match((await at('kong-mock', '/read_log/a')).json(), { count: 3, entries: [{ n: 1, log_req_headers: {} }, {}, {}] })
  t.equal((await at('kong-mock', '/count_log/a')).text, '3\n')
  await at('kong-mock', '/reset_log/a')
  t.equal((await at('kong-mock', '/count_log/a')).text, '0\n')
})

t.test('testupstream: what headers expect, and answer [DIN-11]', async t => {
  const b64 = (text: string): string => Buffer.from(text).toString('base64')
  const ask = (headers: Record<string, string>, path = '/v1/chat/completions', body = '{"model":"m"}') =>
    at('testupstream', path, { method: 'POST', headers: { 'Content-Length': String(body.length), ...headers }, body })
  const usual = await ask({})
  t.match(usual, { status: 200, headers: { 'testupstream-id': String, 'x-model': 'm' } })
  t.match(usual.json(), { usage: { prompt_tokens: 1, completion_tokens: 100, total_tokens: 300 } })
  t.equal((await ask({}, '/v1/embeddings')).json<{ data: { embedding: unknown[] }[] }>().data[0]!.embedding.length, 5)
  t.match((await ask({}, '/non-llm-route')).json(), { message: 'This is a non-LLM endpoint response' })
  t.match(await ask({}, '/other'), { status: 400, headers: { 'x-testupstream-error': 'true' } })
  t.match(
    await ask({
      'x-response-body': b64('{"a":1}'),
      'x-response-status': '418',
      'x-response-headers': b64('X-Own:1,x-two:2'),
    }),
    { status: 418, text: '{"a":1}', headers: { 'x-own': '1', 'x-two': '2' } },
  )
  t.equal((await ask({ 'x-expected-path': b64('/v1/chat/completions'), 'x-expected-raw-query': '' })).status, 200)
  for (const wrong of [
    { 'x-expected-path': b64('/v1/other') },
    { 'x-expected-host': 'other' },
    { 'x-expected-headers': b64('x-lane:blue') },
    { 'x-non-expected-request-headers': b64('content-length') },
    { 'x-expected-testupstream-id': 'other' },
    { 'x-expected-request-body': b64('other') },
    { 'x-expected-raw-query': 'a=1' },
    { 'x-response-status': 'x' },
    { 'x-response-body': 'not base64!' },
  ])
    t.match(
      await ask(wrong as never),
      { status: 400, headers: { 'x-testupstream-error': 'true' } },
      JSON.stringify(wrong),
    )
  t.equal((await ask({ 'x-expected-request-body': b64('{"model":"m"}') })).status, 200)
  const events = { 'x-response-type': 'sse', 'x-response-body': b64('one\ntwo') }
  t.match(await ask(events), { text: 'data: one\n\ndata: two\n\n', headers: { 'content-type': 'text/event-stream' } })
  const zipped = await ask({ ...events, 'x-response-type': 'sse-gzip' })
  t.equal(gunzipSync(zipped.body).toString(), 'data: one\n\ndata: two\n\n')
  const frames = await ask({ 'x-response-type': 'aws-event-stream', 'x-response-body': b64('{"messageStart":{}}') })
  t.match(frames.body.toString('latin1'), /:event-type[^]*messageStart[^]*this-is-end/)
  t.ok((await ask({ 'x-fake-response': 'medium' })).body.length > 400_000)
})

t.test('flavours of plugins, and ports [DIN-8]', async t => {
  t.same((await on('go.test', '/get?x=1')).json().args, { x: ['1'] })
  const { listeners } = (await send(url, '/_svc/status')).json<{ listeners: { name: string; port: number }[] }>()
  const portOf = (name: string): string => `http://127.0.0.1:${listeners.find(one => one.name === name)!.port}`
  t.equal((await send(portOf('texts'), '/')).text, 'port\n')
  t.match((await send(portOf('echo'), '/v2')).json(), { path: '/v2' })
  const head = 'PROXY TCP4 203.0.113.7 198.51.100.9 40111 80\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const proxied = await exchange(Number(new URL(portOf('proxied')).port), head)
  const who = await exchange(Number(new URL(portOf('who')).port), head)
  t.match(who.text, /\nRemoteAddr: 203\.0\.113\.7:40111\n/)
  t.match(proxied.text, /\nIP=203\.0\.113\.7\nProxyProtocol=1\n/)
})

t.test('wrong entries are load errors, and their mounts are reserved [DIN-9]', async t => {
  const { load_errors: errors } = (await send(url, '/_svc/plugins')).json<{
    load_errors: { at: string; message: string }[]
  }>()
  t.match(errors, [
    { at: 'drop_in.hosts[5].serve', message: /did you mean "whoami"/ },
    { at: 'drop_in.hosts[6]', message: 'http-echo needs a text' },
  ])
  t.equal((await send(url, '/drop-in/.at/hosts-0-/')).status, 404)
  t.match((await send(url, '/drop-in')).json(), {
    hosts: [{ host: 'whoami.test', serve: 'whoami' }],
    prefixes: [{ path: '/apps/blue', serve: 'whoami' }],
    listeners: [
      { name: 'texts', port: Number, serve: 'http-echo' },
      { name: 'echo', port: Number, serve: 'echo-basic' },
      { name: 'proxied', port: Number, serve: 'istio-echo' },
      { name: 'who', port: Number, serve: 'whoami' },
    ],
  })
})
