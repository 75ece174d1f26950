/** `Incremental` (RFC 10036): streamed responses to requests that ask for them. */
import http2 from 'node:http2'
import t from 'tap'
import { asksIncremental } from '../../../core/fields/incremental.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

t.test('the value is the item true, parameters allowed; any other counts as absent [INCREMENTAL-1]', async t => {
  for (const value of [
    '?1',
    ' ?1 ',
    '?1;a',
    '?1; a=1;b="x;\\"y"',
    '?1;a=?0',
    '?1;a=tok/en',
    '?1;*a=-1.5',
    '?1;a=:YQ==:',
    '?1;a=@1700000000',
    '?1;a=%"d%c3%bc"',
  ])
    t.equal(asksIncremental(value), true, value)
  for (const value of [
    '?0',
    '1',
    'true',
    '"?1"',
    '?1, ?1',
    '?1;',
    '?1;A=1',
    '?1;a=',
    '?1;a="x',
    '?1 x',
    '?1;a=1.',
    '?10',
    '(?1)',
    '',
    undefined,
    ['?1', '?1'],
  ])
    t.equal(asksIncremental(value), false, JSON.stringify(value))
  const long = `?1${';a="\\\\"'.repeat(2000)}`
  t.equal(asksIncremental(long), true)
  t.equal(asksIncremental(`${long}x`), false)
})

t.test('streamed responses have the field, others do not [INCREMENTAL-2]', async t => {
  const { url } = await serve(t, {
    plugins: ['sse', 'transfer', 'echo', 'llm-openai', 'llm-ollama', 'httpbin', 'status'],
    env: { SVC_GRPC_ON_HTTP: 'true' },
    settings: {
      rules: [
        {
          name: 'chunks',
          match: { path: '/echo/chunks' },
          then: [{ respond: { chunks: [{ after_ms: 0, text: 'a' }] } }],
        },
        { name: 'whole', match: { path: '/echo/whole' }, then: [{ respond: { body: 'a' } }] },
      ],
    },
  })
  const chat = { model: 'mock', messages: [{ role: 'user', content: 'hi' }] }
  const posted = (body: object): { method: string; headers: Record<string, string>; body: string } => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  for (const [path, isStreamed, request] of [
    ['/sse?count=1', true, {}],
    ['/drip?numbytes=1&duration=0', true, {}],
    ['/stream/2', true, {}],
    ['/stream-bytes/10', true, {}],
    ['/httpbin/stream/1', true, {}],
    ['/echo/chunks', true, {}],
    ['/ai/openai/v1/chat/completions', true, posted({ ...chat, stream: true })],
    ['/ai/ollama/api/chat', true, posted(chat)],
    ['/ai/openai/v1/chat/completions', false, posted(chat)],
    ['/echo', false, {}],
    ['/echo/whole', false, {}],
    ['/status/204', false, {}],
    ['/drip?numbytes=-1', false, {}],
    ['/nowhere', false, {}],
  ] as [string, boolean, Parameters<typeof send>[2]][]) {
    const ask = (value: string | string[] | null) =>
      send(url, path, { ...request, headers: { ...request?.headers, ...(value !== null && { Incremental: value }) } })
    const asked = await ask('?1;reason=test')
    t.equal(asked.headers.incremental, isStreamed ? '?1' : undefined, path)
    if (!isStreamed) continue
    for (const value of [null, '?0', ['?1', '?1']]) {
      const reply = await ask(value)
      t.equal(reply.status, asked.status)
      t.equal(reply.headers.incremental, undefined, `${path} ${JSON.stringify(value)}`)
    }
  }
  t.match(await send(url, '/sse?count=1', { method: 'HEAD', headers: { Incremental: '?1' } }), {
    headers: { incremental: '?1' },
  })
  t.match(
    await send(url, '/sse?count=1', { headers: { Incremental: '?1', 'X-Svc-Encoding': 'gzip' } }),
    { headers: { incremental: '?1', 'content-encoding': 'gzip' } },
    'also in a content coding',
  )
  const session = http2.connect(url)
  const stream = session.request({ ':path': '/stream/1', incremental: '?1' })
  const headers = await new Promise<http2.IncomingHttpHeaders>((resolve, reject) =>
    stream.on('response', resolve).on('error', reject).resume(),
  )
  t.equal(headers.incremental, '?1', 'over HTTP/2')
  session.destroy()
})
