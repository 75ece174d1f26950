/** `/wire`, and trailers in echo records. */
import { connect } from 'node:http2'
import { once } from 'node:events'
import t from 'tap'
import { exchange, splitResponse } from '../../support/raw-client.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['echo'],
  env: { SVC_GRPC_ON_HTTP: 'true', SVC_BASE_PATH: '/base', SVC_ADMIN_TOKEN: 'secret-token' },
})
const port = Number(new URL(server.url).port)

async function ask(lines: string[], body = ''): Promise<string> {
  return splitResponse((await exchange(port, `${lines.join('\r\n')}\r\n\r\n${body}`)).text).body
}

t.test('the head is as received [ECHO-8]', async t => {
  const lines = [
    'PUT /base/wire/Orders%2f7?b=2&a HTTP/1.1',
    'hOST: a.example',
    'X-B: 1',
    'x-a:   two  words ',
    'X-B: 3',
    'Connection: close',
    'Content-Length: 2',
  ]
  t.equal(
    await ask(lines, 'hi'),
    `${lines.join('\r\n').replace('x-a:   two  words ', 'x-a: two  words')}\r\n\r\n`,
    'without the request id that svc adds',
  )
  t.match(await ask(['GET /wire HTTP/1.0', 'X-A: \xfc']), /^GET \/wire HTTP\/1\.0\r\nX-A: \xc3\xbc\r\n\r\n$/)
  const secret = await ask(['GET /wire HTTP/1.1', 'Host: a', 'X-Svc-Admin-Token: secret-token', 'Connection: close'])
  t.match(secret, /\r\nX-Svc-Admin-Token: /)
  t.notMatch(secret, /secret-token/)
})

const CHUNKED = ['Host: a', 'Connection: close', 'Transfer-Encoding: chunked', 'Trailer: X-Sum']
const BODY = '2\r\nhi\r\n0\r\nX-Sum: 7\r\nx-sum: 8\r\n\r\n'

t.test('as JSON it has the trailers, the size of the body and the listener [ECHO-8]', async t => {
  const shown = JSON.parse(await ask(['POST /wire?format=json HTTP/1.1', ...CHUNKED], BODY))
  t.same(shown, {
    request_line: 'POST /wire?format=json HTTP/1.1',
    version: '1.1',
    fields: [
      ['Host', 'a'],
      ['Connection', 'close'],
      ['Transfer-Encoding', 'chunked'],
      ['Trailer', 'X-Sum'],
    ],
    trailers: [
      ['X-Sum', '7'],
      ['x-sum', '8'],
    ],
    body_size: 2,
    listener: 'http',
    proxy_protocol: null,
  })
})

t.test('echo records have trailers [ECHO-7]', async t => {
  const head = ['POST /echo HTTP/1.1', ...CHUNKED]
  t.same(JSON.parse(await ask(head, BODY)).trailers, { 'x-sum': ['7', '8'] })
  t.notOk('trailers' in JSON.parse(await ask(head, '0\r\n\r\n')))
})

t.test('over HTTP/2 there are pseudo-header fields and no request line [ECHO-7] [ECHO-8]', async t => {
  const session = connect(server.url)
  t.teardown(() => session.close())
  const post = async (path: string): Promise<string> => {
    const stream = session.request({ ':method': 'POST', ':path': path, 'x-a': '1' }, { waitForTrailers: true } as never)
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '9' }))
    stream.end('hi')
    await once(stream, 'response')
    let text = ''
    for await (const part of stream) text += part
    return text
  }
  t.match(await post('/wire'), /^:method: POST\r\n[^]*:path: \/wire\r\n[^]*x-a: 1\r\n\r\n$/)
  t.match(JSON.parse(await post('/wire?format=json')), {
    request_line: null,
    version: '2.0',
    trailers: [['x-sum', '9']],
    body_size: 2,
  })
  t.same(JSON.parse(await post('/echo')).trailers, { 'x-sum': ['9'] })
})
