/** Invalid input on the wire: malformed heads over raw sockets, and invalid headers. */
import t from 'tap'
import { connect } from 'node:net'
import { request } from 'node:http'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface Answer {
  status: number
  headers: Map<string, string>
  body: string
  isClosed: boolean
}

/** Sends bytes; resolves when the connection is closed or a complete response has arrived. */
function send(port: number, bytes: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    const finish = (isClosed: boolean): void => {
      const [head = '', ...body] = text.split('\r\n\r\n')
      const [statusLine = '', ...lines] = head.split('\r\n')
      socket.destroy()
      resolve({
        status: Number(statusLine.split(' ')[1]),
        headers: new Map(
          lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
        ),
        body: body.join('\r\n\r\n'),
        isClosed,
      })
    }
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
    })
    socket.on('end', () => finish(true))
    socket.on('error', reject)
    socket.setTimeout(5_000, () => finish(false))
  })
}

const MALFORMED: [what: string, bytes: string, status: number][] = [
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['an unknown method', 'BREW /echo HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['no Host in HTTP/1.1', 'GET /echo HTTP/1.1\r\n\r\n', 400],
  ['two Host lines', 'GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
  ['an invalid Host', 'GET /echo HTTP/1.1\r\nHost: bad host<>\r\n\r\n', 400],
  ['HTTP/2.0 in a text request line', 'GET /echo HTTP/2.0\r\nHost: a\r\n\r\n', 400],
  ['HTTP/1.2', 'GET /echo HTTP/1.2\r\nHost: a\r\n\r\n', 400],
  ['a Content-Length that is not a number', 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ten\r\n\r\n', 400],
  [
    'two different Content-Lengths',
    'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    400,
  ],
  [
    'Content-Length with Transfer-Encoding',
    'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'unsupported Transfer-Encoding (expected chunked)',
    'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['Transfer-Encoding in HTTP/1.0', 'POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
  ['a broken chunk size', 'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
  ['a blank before the colon', 'GET /echo HTTP/1.1\r\nHost: a\r\nX-Test : b\r\n\r\n', 400],
  ['a folded header line', 'GET /echo HTTP/1.1\r\nHost: a\r\nX-Test: b\r\n c\r\n\r\n', 400],
  ['a NUL in a header', 'GET /echo HTTP/1.1\r\nHost: a\r\nX-Test: b\0c\r\n\r\n', 400],
  ['a request head above 64 KiB', `GET /echo HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 405],
]

t.test('a malformed request head gets a JSON response and a closed connection [BAD-1]', async t => {
  const server = await serve(t)
  for (const [what, bytes, status] of MALFORMED) {
    const answer = await send(server.ports.http!, bytes)
    t.equal(answer.status, status, what)
    t.ok(answer.isClosed, `${what}: closed`)
    t.match(answer.headers.get('content-type'), /^application\/json/, `${what}: JSON`)
    t.ok(answer.headers.get('x-request-id'), `${what}: request id`)
    t.ok((JSON.parse(answer.body) as { error: string }).error, `${what}: says what`)
  }
})

t.test('malformed percent-encoding gives 400, and a query string never causes an error [BAD-2]', async t => {
  const server = await serve(t)
  for (const path of ['/%', '/%zz', '/echo/%E0%A4%A', '/%C0%AF']) {
    const response = await fetch(server.url + path)
    t.equal(response.status, 400, path)
    t.match(await response.json(), { error: 'bad request', detail: String })
  }
  for (const query of [
    '?%',
    '?%zz=1',
    '?=&&==',
    '?a[b]=c',
    `?${'x'.repeat(8_000)}`,
    '?__proto__=1&constructor=2',
    '?\u0000',
  ]) {
    t.equal((await fetch(`${server.url}/echo${query}`)).status, 200, query.slice(0, 20))
  }
})

t.test(
  'unknown, missing and malformed content types and broken JSON are accepted by routes that show bytes [BAD-3]',
  async t => {
    const server = await serve(t)
    for (const type of [
      undefined,
      'x',
      'not a type',
      'application/json',
      'a/b; charset="',
      'multipart/form-data',
      '\u00e9/x',
      ';;;',
    ]) {
      for (const body of ['', '{"broken', 'plain']) {
        const status = await new Promise<number>((resolve, reject) => {
          const sent = request(
            `${server.url}/echo`,
            { method: 'POST', headers: type === undefined ? {} : { 'Content-Type': type } },
            response => {
              response.resume().on('end', () => resolve(response.statusCode!))
            },
          ).on('error', reject)
          sent.end(body)
        })
        t.equal(status, 200, `${type}: ${body}`)
      }
    }
  },
)

t.test('fault, session and proxy headers that do not parse are ignored [BAD-4]', async t => {
  const server = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  const rows: [string, string][] = [
    ...['-5', 'abc', '1.5', '250ms', '', ' '].map(value => ['X-Svc-Delay', value] as [string, string]),
    ...['200', '399', '600', '503:101', '503:-1', '503:', ':50', 'teapot', ''].map(
      value => ['X-Svc-Fail', value] as [string, string],
    ),
    ...['a b', 'x'.repeat(129), 'a/b'].map(value => ['X-Svc-Session', value] as [string, string]),
    ['Accept', ';;;q=x'],
    ...['unknown', '1.2.3', '0x7f.1', '_hidden', '[::1', ',,,', '"'.repeat(100)].map(
      value => ['X-Forwarded-For', value] as [string, string],
    ),
    ...['for=', 'for="', ';;;', 'for=unknown;proto=gopher', 'host=bad host'].map(
      value => ['Forwarded', value] as [string, string],
    ),
    ['X-Forwarded-Proto', 'javascript'],
    ['X-Forwarded-Port', '99999'],
    ['X-Forwarded-Host', 'a b'],
    ['X-Forwarded-Prefix', '//evil'],
  ]
  for (const [name, value] of rows) {
    const response = await fetch(`${server.url}/echo`, { headers: { [name]: value } })
    t.equal(response.status, 200, `${name}: ${value.slice(0, 30)}`)
    t.equal(response.headers.get('x-svc-fault'), null)
    t.match(response.headers.get('content-type'), /^application\/json/)
    const echo = (await response.json()) as { remote_ip: string; url: string }
    t.equal(echo.remote_ip, '127.0.0.1')
    t.equal(
      echo.url,
      `${server.url}/echo`.replace(/:\d+/, match => match),
      `${name} does not change the origin`,
    )
  }
})

t.test('5,000 connections that send half a head do not keep others waiting [BAD-5]', async t => {
  const server = await serve(t)
  const sockets = Array.from({ length: 5_000 }, () => {
    const socket = connect(server.ports.http!, '127.0.0.1', () =>
      socket.write('GET /echo HTTP/1.1\r\nHost: a\r\nX-Half'),
    )
    return socket.on('error', () => {})
  })
  t.teardown(() => sockets.forEach(socket => socket.destroy()))
  await until(() => sockets.every(socket => !socket.connecting), 'all connections')
  for (let n = 0; n < 20; n++) t.equal((await fetch(`${server.url}/echo`)).status, 200)
})
