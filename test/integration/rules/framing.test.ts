/** Trailers, interim responses and bodies by size, of responses that rules define. */
import { connect, constants } from 'node:http2'
import { once } from 'node:events'
import { request } from 'node:http'
import t from 'tap'
import { exchange } from '../../support/raw-client.ts'
import { putRule, send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, { env: { SVC_GRPC_ON_HTTP: 'true' } })
const port = Number(new URL(server.url).port)
const respond = (step: object): Promise<unknown> =>
  putRule(server, 'made', { match: { path: '/made' }, then: { respond: step } })
const raw = (version = '1.1', method = 'GET'): Promise<{ text: string }> =>
  exchange(port, `${method} /made?q=7 HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`)

t.test('a response can have trailers [RULE-34]', async t => {
  const trailers = { 'X-Sum': 'q{{request.query.q}}', 'X-List': ['a', 'b'] }
  for (const body of [{ body: 'hello' }, { chunks: [{ text: 'he' }, { text: 'llo' }] }, {}, { size: 3 }]) {
    await respond({ ...body, trailers })
    const { text } = await raw()
    const shown = 'size' in body ? 'abc' : 'hello'
    t.match(text, /\r\ntrailer: x-sum, x-list\r\n/i, JSON.stringify(body))
    t.match(text, /\r\ntransfer-encoding: chunked\r\n/i)
    t.notMatch(text, /content-length/i)
    t.match(text, /\r\n0\r\nx-sum: q7\r\nx-list: a\r\nx-list: b\r\n\r\n$/i)
    const [answer] = await once(request({ port, path: '/made?q=7' }).end(), 'response')
    let received = ''
    for await (const part of answer) received += part
    t.equal(received, Object.keys(body).length === 0 ? '' : shown)
    t.match(answer.trailers, { 'x-sum': 'q7', 'x-list': 'a, b' })
  }
  await respond({ status: 204, trailers })
  t.notMatch((await raw()).text, /trailer|x-sum/i, 'there is no body')
  await respond({ body: 'x', trailers })
  t.notMatch((await raw('1.1', 'HEAD')).text, /x-sum: /i)
  const old = (await raw('1.0')).text
  t.match(old, /\r\n\r\nx$/, 'HTTP/1.0 has no chunks')
  t.notMatch(old, /trailer/i)
})

t.test('interim responses come before the response, in order [RULE-35]', async t => {
  await respond({
    status: 201,
    body: 'done',
    interim: [
      { status: 102 },
      { status: 104, headers: [['Upload-Offset', '{{request.query.q}}']] },
      { status: 103, headers: { Link: ['</a.css>; rel=preload', '</b.css>; rel=preload'] } },
    ],
  })
  const { text } = await raw()
  t.match(
    text,
    /^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 104 Upload Resumption Supported\r\nUpload-Offset: 7\r\n\r\nHTTP\/1\.1 103 Early Hints\r\nlink: <\/a\.css>; rel=preload\r\nlink: <\/b\.css>; rel=preload\r\n\r\nHTTP\/1\.1 201 Created\r\n/,
  )
  t.match(text, /\r\n\r\ndone$/)
  t.match((await raw('1.0')).text, /^HTTP\/1\.1 201 /, 'HTTP/1.0 has none')
  const pipelined = await exchange(
    port,
    'GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /made HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  )
  t.match(pipelined.text, /^HTTP\/1\.1 200 OK\r\n[^]*\}HTTP\/1\.1 102 /, 'in turn on the connection')
  const seen: number[] = []
  const client = request({ port, path: '/made?q=7' })
  client.on('information', ({ statusCode }) => seen.push(statusCode))
  const [answer] = await once(client.end(), 'response')
  answer.resume()
  t.same([...seen, answer.statusCode], [102, 104, 103, 201])
})

t.test('over HTTP/2 as well [RULE-34] [RULE-35]', async t => {
  const session = connect(server.url)
  t.teardown(() => session.close())
  for (const body of [{ body: 'done' }, {}]) {
    await respond({
      ...body,
      trailers: { 'X-Sum': '1' },
      interim: [{ status: 103, headers: { Link: '</a>; rel=preload' } }],
    })
    const stream = session.request({ ':path': '/made' })
    const early = once(stream, 'headers')
    const trailers = once(stream, 'trailers')
    let received = ''
    for await (const part of stream) received += part
    t.equal(received, body.body ?? '')
    t.match((await early)[0], { [constants.HTTP2_HEADER_STATUS]: 103, link: '</a>; rel=preload' })
    t.match((await trailers)[0], { 'x-sum': '1' })
  }
})

t.test('a body can be given by its size, which is bounded [RULE-36]', async t => {
  await respond({ size: 30 })
  const reply = await send(server, '/made')
  t.equal(reply.text, 'abcdefghijklmnopqrstuvwxyzabcd')
  t.match(Object.fromEntries(reply.headers), { 'content-type': 'application/octet-stream', 'content-length': '30' })
  await respond({ size: 0, content_type: 'text/plain' })
  t.match(Object.fromEntries((await send(server, '/made')).headers), {
    'content-length': '0',
    'content-type': 'text/plain',
  })
  const open = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  for (const [target, limit] of [
    [server, 10_485_760],
    [open, 65_536],
  ] as const) {
    const put = (size: number): ReturnType<typeof send> =>
      send(target, 'PUT /_svc/rules/big', {
        session: 'a',
        body: { match: { path: '/big' }, then: { respond: { size } } },
      })
    t.match((await put(limit + 1)).json, { error: 'invalid_rule' })
    t.equal((await put(limit)).status, 201)
    t.equal((await send(target, '/big', { session: 'a' })).text.length, limit)
  }
})
