/** Hosts of vendors, and their paths at the root. */
import http from 'node:http'
import { connect as connectTls } from 'node:tls'
import t from 'tap'
import { send } from '../../support/request.ts'
import { exchange, splitResponse } from '../../support/raw-client.ts'
import { serve } from '../../support/server.ts'

const settings = {
  llm: {
    providers: [{ name: 'pool-a', format: 'openai', models: ['pool-model'] }],
    hosts: ['vendors', { host: 'llm.local', provider: 'pool-a' }],
  },
}
const server = await serve(t, { settings })
const { url } = server
const CHAT = JSON.stringify({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] })
const JSON_TYPE = { 'Content-Type': 'application/json' }

function on(Host: string, path: string, options: Parameters<typeof send>[2] = {}) {
  return send(url, path, { ...options, headers: { Host, ...JSON_TYPE, ...options.headers } })
}

t.test('a host serves the routes of its provider at its root', async t => {
  const chat = await on('api.openai.com', '/v1/chat/completions', { method: 'POST', body: CHAT })
  t.match(chat, { status: 200, headers: { 'x-svc-provider': 'openai' } })
  t.match(chat.json(), { object: 'chat.completion' })
  const messages = JSON.stringify({ ...JSON.parse(CHAT), model: 'svc-claude', max_tokens: 10 })
  t.match((await on('api.anthropic.com', '/v1/messages', { method: 'POST', body: messages })).json(), {
    type: 'message',
  })
  const contents = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hello' }] }] })
  for (const [host, path] of [
    ['generativelanguage.googleapis.com', '/v1beta/models/gemini-2.5-flash:generateContent'],
    ['us-east1-aiplatform.googleapis.com', '/v1/projects/p/locations/l/publishers/google/models/g:generateContent'],
  ] as const)
    t.match((await on(host, path, { method: 'POST', body: contents })).json(), { candidates: [{}] }, host)
  const converse = JSON.stringify({ messages: [{ role: 'user', content: [{ text: 'hello' }] }] })
  t.match(
    (
      await on('bedrock-runtime.eu-west-1.amazonaws.com', '/model/us.m%3A0/converse', {
        method: 'POST',
        body: converse,
      })
    ).json(),
    { output: { message: { role: 'assistant' } } },
  )
  t.match(
    await on('my.openai.azure.com', '/openai/deployments/d/chat/completions?api-version=2024-10-21', {
      method: 'POST',
      body: CHAT,
    }),
    { status: 200, headers: { 'x-svc-provider': 'azure' } },
  )
  t.match(await on('LLM.local:8080', '/v1/models'), { status: 200, text: /pool-model/ })
})

t.test('what a host does not have gets the error of its provider', async t => {
  for (const path of ['/', '/health-of-svc', '/echo', '/ai/openai/v1/models', '/ai']) {
    const reply = await on('api.openai.com', path)
    t.match(reply, { status: 404 }, path)
    t.match(reply.json(), { error: { type: 'invalid_request_error' } }, path)
  }
  t.match((await on('api.anthropic.com', '/nope')).json(), { type: 'error', error: { type: 'not_found_error' } })
  t.match(await on('api.openai.com', '/v1/chat/completions'), { status: 405, headers: { allow: 'POST' } })
  t.equal((await on('s3.amazonaws.com', '/echo')).status, 200, 'an ordinary host')
  t.equal((await on('localhost', '/ai/openai/v1/models')).status, 200, 'the routes of the provider are shared')
})

t.test('URLs in responses are those of the host', async t => {
  const form = new FormData()
  form.set('purpose', 'batch')
  const start = await on('generativelanguage.googleapis.com', '/upload/v1beta/files', {
    method: 'POST',
    headers: {
      'X-Goog-Upload-Protocol': 'resumable',
      'X-Goog-Upload-Command': 'start',
      'X-Goog-Upload-Header-Content-Length': '5',
      'X-Goog-Upload-Header-Content-Type': 'text/plain',
      'X-Goog-Api-Key': 'k',
    },
    body: '{"file":{"display_name":"a"}}',
  })
  const upload = String(start.headers['x-goog-upload-url'])
  t.match(upload, /^http:\/\/generativelanguage\.googleapis\.com\/upload\/v1beta\/files\?/)
  const { pathname, search } = new URL(upload)
  const done = await on('generativelanguage.googleapis.com', pathname + search, {
    method: 'POST',
    headers: { 'X-Goog-Upload-Command': 'upload, finalize', 'X-Goog-Upload-Offset': '0', 'X-Goog-Api-Key': 'k' },
    body: 'hello',
  })
  t.match(
    done.json<{ file: { uri: string } }>().file.uri,
    /^http:\/\/generativelanguage\.googleapis\.com\/v1beta\/files\//,
  )
})

t.test('records, rules, captures and metrics are those of the provider', async t => {
  const session = { 'X-Svc-Session': 'hosts-1' }
  await send(url, '/_svc/rules', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({
      match: { llm: { user: { contains: 'weather-of-hosts' } } },
      then: { reply: { text: 'ruled' } },
    }),
  })
  const body = JSON.stringify({ model: 'svc-gpt', messages: [{ role: 'user', content: 'weather-of-hosts' }] })
  const chat = await on('api.openai.com', '/v1/chat/completions', { method: 'POST', body, headers: session })
  t.match(chat.json(), { choices: [{ message: { content: 'ruled' } }] })
  t.match((await send(url, '/ai/requests?session=hosts-1')).json(), { requests: [{ provider: 'openai' }] })
  const captured = await send(url, '/_svc/requests?session=hosts-1')
  t.match(captured.json(), {
    requests: [{ path: '/v1/chat/completions', route: '/ai/openai/v1/chat/completions', plugin: 'llm-openai' }],
  })
  const verify = await send(url, '/_svc/verify', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ session: 'hosts-1', match: { llm: { provider: 'openai' } }, exactly: 1 }),
  })
  t.match(verify, { status: 200 }, verify.text)
  t.match((await send(url, '/_svc/metrics')).text, /route="\/ai\/openai\/v1\/chat\/completions"/)
})

t.test('a session in the path comes before the paths of the host', async t => {
  const reply = await on('api.openai.com', '/s/hosts-2/v1/chat/completions', { method: 'POST', body: CHAT })
  t.equal(reply.status, 200)
  t.match((await send(url, '/ai/requests?session=hosts-2')).json(), { count: 1 })
})

t.test('the index lists hosts, with a command that runs', async t => {
  const { providers } = (await send(url, '/ai')).json<{
    providers: { id: string; hosts?: { host: string; base_url: string; curl: string }[] }[]
  }>()
  const openai = providers.find(({ id }) => id === 'openai')!
  const { port } = new URL(url)
  t.same(openai.hosts, [
    {
      host: 'api.openai.com',
      base_url: `https://api.openai.com:${server.ports.https}`,
      curl: `curl --resolve api.openai.com:${port}:127.0.0.1 http://api.openai.com:${port}/v1/models`,
    },
  ])
  t.match(providers.find(({ id }) => id === 'bedrock')!.hosts, [
    { host: 'bedrock-runtime.*.amazonaws.com', base_url: /^https:\/\/bedrock-runtime\.svc\.amazonaws\.com:/ },
  ])
  t.notOk('hosts' in providers.find(({ id }) => id === 'ollama')!)
})

t.test('the control plane is on every host, by its own rules', async t => {
  t.equal((await on('api.openai.com', '/_svc/status')).status, 421, 'SVC_HOSTS does not name it')
  t.equal((await on('api.openai.com', '/health')).status, 200, "OpenAI-compatible servers' own")
  t.equal((await on('api.anthropic.com', '/health')).status, 404)
})

t.test('the host of an absolute target wins over Host', async t => {
  const { port } = new URL(url)
  const asked = (target: string, host: string): Promise<string> =>
    exchange(Number(port), `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`).then(
      ({ text }) => splitResponse(text).body,
    )
  t.match(JSON.parse(await asked('http://api.openai.com/v1/models', 'localhost')), { object: 'list' })
  t.match(JSON.parse(await asked('http://localhost/v1/nope', 'api.openai.com')), { error: 'not found' })
})

t.test('the HTTPS listener has a certificate for exactly the name', async t => {
  const ca = (await send(url, '/tls/ca.pem')).text
  const names = async (servername: string): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const socket = connectTls({ port: server.ports.https!, host: '127.0.0.1', servername, ca }, () => {
        resolve(socket.getPeerCertificate().subjectaltname)
        socket.destroy()
      })
      socket.on('error', reject)
    })
  t.equal(await names('api.openai.com'), 'DNS:api.openai.com')
  t.equal(await names('eu.openai.azure.com'), 'DNS:eu.openai.azure.com')
  t.match(await names('localhost'), /DNS:localhost/)
  await t.rejects(names('unserved.example'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
})

t.test('CONNECT reaches served hosts in this process, and no other', async t => {
  const { port } = new URL(url)
  const connect = (target: string): Promise<string> =>
    exchange(Number(port), `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`).then(({ text }) => text)
  t.match(
    await connect('example.com:443'),
    /^HTTP\/1\.1 403 [^]*Connection: close[^]*"error":"connect_refused","host":"example\.com","hosts":\["api\.openai\.com"/i,
  )
  t.match(await connect('[::1]:443'), /^HTTP\/1\.1 403 /)
  t.match(await connect('api.openai.com'), /^HTTP\/1\.1 400 /)
  t.match(await connect('api.openai.com:0'), /^HTTP\/1\.1 400 /)
  t.match(await connect('api.openai.com:65536'), /^HTTP\/1\.1 400 /)

  const overPlain = await exchange(
    Number(port),
    'CONNECT api.openai.com:80 HTTP/1.1\r\nHost: api.openai.com:80\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: api.openai.com\r\nConnection: close\r\n\r\n',
  )
  t.match(
    overPlain.text,
    /^HTTP\/1\.1 200 Connection Established\r\n[^]*\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*"object":"list"/,
  )

  const ca = (await send(url, '/tls/ca.pem')).text
  const socket = await new Promise<http.IncomingMessage['socket']>((resolve, reject) =>
    http
      .request({ port, method: 'CONNECT', path: 'api.openai.com:443' })
      .on('connect', (_response, tunnel) => resolve(tunnel))
      .on('error', reject)
      .end(),
  )
  const secured = connectTls({ socket, servername: 'api.openai.com', ca, ALPNProtocols: ['http/1.1'] })
  secured.write('GET /v1/models HTTP/1.1\r\nHost: api.openai.com\r\nX-Svc-Session: tunnel\r\nConnection: close\r\n\r\n')
  let text = ''
  for await (const chunk of secured) text += String(chunk)
  t.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*"object":"list"/)
  t.match((await send(url, '/_svc/requests?session=tunnel')).json(), { requests: [{ client_ip: '127.0.0.1' }] })
})

t.test('without served hosts CONNECT is 405', async t => {
  const plain = await serve(t, {})
  const { text } = await exchange(
    Number(new URL(plain.url).port),
    'CONNECT api.openai.com:443 HTTP/1.1\r\nHost: api.openai.com\r\n\r\n',
  )
  t.match(text, /^HTTP\/1\.1 405 /)
})

t.test('a tunnel counts as a request of the plan', async t => {
  const limited = await serve(t, { settings, env: { SVC_PLAN: 'free', SVC_PLAN_RPM: '1' } })
  const { port } = new URL(limited.url)
  const connect = (): Promise<string> =>
    exchange(Number(port), 'CONNECT api.openai.com:80 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.0\r\n\r\n').then(
      ({ text }) => text,
    )
  let refused = ''
  for (let count = 0; count < 200 && refused === ''; count++) {
    const text = await connect()
    if (/^HTTP\/1\.1 429 /.test(text)) refused = text
  }
  t.match(refused, /X-Svc-Limit/i)
})

t.test('wrong entries are load errors, the others are served', async t => {
  const wrong = await serve(t, {
    settings: {
      llm: {
        hosts: [
          { host: 'a.test', provider: 'opnai' },
          { host: 'b.test', provider: 'openai' },
          { host: 'b.test', provider: 'gemini' },
          { host: 'x*.*.test', provider: 'openai' },
        ],
        root: ['openai', 'anthropc'],
      },
    },
  })
  const { load_errors: errors } = (await send(wrong.url, '/_svc/plugins')).json<{
    load_errors: { at: string; message: string; remedy?: string }[]
  }>()
  t.match(
    errors.find(({ at }) => at === 'llm.hosts[0].provider'),
    { message: /did you mean "?openai/ },
  )
  t.match(
    errors.find(({ at }) => at === 'llm.hosts[2]'),
    { message: 'the host b.test is named twice' },
  )
  t.ok(errors.some(({ at }) => at.startsWith('llm.hosts[3]')))
  t.match(
    errors.find(({ at }) => at === 'llm.root[1]'),
    { message: /anthropic/ },
  )
  t.equal((await send(wrong.url, '/v1/models', { headers: { Host: 'b.test' } })).status, 200)
})

t.test('familiar paths are served at the root', async t => {
  const at = (path: string, options: Parameters<typeof send>[2] = {}) =>
    send(url, path, { ...options, headers: { ...JSON_TYPE, ...options.headers } })
  const provider = async (path: string, options: Parameters<typeof send>[2] = {}) =>
    (await at(path, options)).headers['x-svc-provider']
  const post = { method: 'POST', body: CHAT }
  t.equal(await provider('/v1/chat/completions', post), 'openai')
  t.equal(await provider('/v1/models'), 'openai')
  t.equal(await provider('/v1/models/svc-gpt'), 'openai')
  t.equal(await provider('/v1/models', { headers: { 'anthropic-version': '2023-06-01' } }), 'anthropic')
  t.equal(await provider('/v1/models/svc-claude', { headers: { 'x-api-key': 'k' } }), 'anthropic')
  t.equal(await provider('/v1/models', { headers: { 'x-api-key': 'k', Authorization: 'Bearer t' } }), 'openai')
  t.equal(await provider('/v1/models/g:generateContent', { method: 'POST', body: '{"contents":[]}' }), 'gemini')
  t.equal(await provider('/v1/messages', post), 'anthropic')
  t.equal(await provider('/v1beta/models'), 'gemini')
  t.equal(await provider('/model/us.m%3A0/converse', { method: 'POST', body: '{"messages":[]}' }), 'bedrock')
  t.equal(await provider('/api/tags'), 'ollama')
  t.equal(await provider('/openai/models?api-version=2024-10-21'), 'azure')
  t.equal(await provider('/v2/chat', post), 'cohere')
  t.equal(await provider('/v1/projects/p/locations/l/publishers/google/models/g:generateContent', post), 'gemini')
  t.match(await at('/v1/chat/completions'), { status: 405, headers: { allow: 'POST' } })
  t.match((await at('/v1/files/none')).json(), { error: { type: 'invalid_request_error' } })
  t.match((await at('/v1/no-such-thing')).json(), { error: 'not found' })
  t.equal((await at('/s/rooted/v1/chat/completions', post)).status, 200)
  t.match((await send(url, '/_svc/requests?session=rooted')).json(), {
    requests: [{ path: '/v1/chat/completions', route: '/ai/openai/v1/chat/completions' }],
  })
})

t.test('the root can be limited, and switched off', async t => {
  const some = await serve(t, { settings: { llm: { root: ['anthropic'] } } })
  t.equal((await send(some.url, '/v1/messages', { method: 'POST', body: '{}', headers: JSON_TYPE })).status, 400)
  t.match((await send(some.url, '/v1/models')).json(), { hint: /^see \/ai\/openai\/v1\/models; / })
  const off = await serve(t, { settings: { llm: { root: false } } })
  t.match((await send(off.url, '/v1/messages', { method: 'POST' })).json(), { hint: /^see \/ai\/anthropic/ })
})
