/** Differences over HTTP/2. */
import http2 from 'node:http2'
import t from 'tap'
import { serve } from '../../support/server.ts'

const { url } = await serve(t, { env: { SVC_GRPC_ON_HTTP: 'true' } })

interface Http2Reply {
  headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader
  text: string
}

/** One request with prior knowledge, on its own session. */
function send(path: string, headers: http2.OutgoingHttpHeaders = {}): Promise<Http2Reply> {
  const session = http2.connect(url)
  return new Promise<Http2Reply>((resolve, reject) => {
    session.on('error', reject)
    const stream = session.request({ ':path': path, ...headers })
    let head: Http2Reply['headers'] = {}
    let text = ''
    stream
      .setEncoding('utf8')
      .on('response', received => {
        head = received
      })
      .on('data', data => {
        text += data
      })
    stream.on('error', reject).on('end', () => resolve({ headers: head, text }))
  }).finally(() => session.close())
}

t.test('fields that HTTP/2 allows only once are joined [RESPHEAD-1]', async t => {
  const { headers, text } = await send(
    '/response-headers?ETag=a&ETag=b&X-One=1&X-One=2&Set-Cookie=a%3D1&Set-Cookie=b%3D2&Retry-After=1&Retry-After=2',
  )
  t.match(headers, {
    ':status': 200,
    etag: 'a, b',
    'x-one': '1, 2',
    'set-cookie': ['a=1', 'b=2'],
    'retry-after': '1, 2',
  })
  t.match(JSON.parse(text), { etag: ['a', 'b'], 'set-cookie': ['a=1', 'b=2'] })
})

t.test('statuses, streams, redirects and the echo are the same as over HTTP/1.1', async t => {
  for (const status of [200, 204, 205, 299, 304, 418, 503, 599]) {
    t.equal((await send(`/status/${status}`)).headers[':status'], status)
  }
  t.match(await send('/drip?numbytes=5&duration=0.05'), {
    headers: { ':status': 200, 'content-length': '5' },
    text: '*****',
  })
  t.match(await send('/drip?code=205'), { headers: { ':status': 205 }, text: '' })
  t.equal((await send('/stream/3')).text.split('\n').length, 4)
  t.match(
    await send('/redirect-to?url=' + encodeURIComponent(`${url}/echo`)),
    { headers: { ':status': 302, location: `${url}/echo` } },
    'the authority is the host',
  )
  t.match(await send('/redirect-to?url=http://other.test/'), { headers: { ':status': 400 } })
  const record = JSON.parse((await send('/echo', { 'x-tag': ['one', 'two'] })).text) as {
    headers: Record<string, string[]>
    host: string
  }
  t.same(record.headers['x-tag'], ['one', 'two'])
  t.same(
    Object.keys(record.headers).filter(name => name.startsWith(':')),
    [],
    'pseudo-header fields are not shown',
  )
  t.match(await send('/cache/60', { 'if-none-match': '*' }), { headers: { ':status': 304 }, text: '' })
})
