/** Connections broken on request, as raw sockets, HTTP/2 sessions and WebSocket clients see it. */
import t from 'tap'
import { connect, constants, type ClientHttp2Session } from 'node:http2'
import { WebSocket } from 'ws'
import { parseAbort } from '../../../core/rules/fault-headers.ts'
import { exchange, splitResponse } from '../../support/raw-client.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const CONNECTION = { oneProcess: 'it looks at the bytes of a connection' }

function get(path: string, abort: string, { method = 'GET', version = '1.1', more = '' } = {}): string {
  return `${method} ${path} HTTP/${version}\r\nHost: a\r\nX-Svc-Abort: ${abort}\r\n${more}\r\n`
}
const announced = (head: string): number => Number(/content-length: (\d+)/i.exec(head)?.[1])

t.test('parses valid values [ABORT-1]', async t => {
  const rows: [value: string, fault: string, percent: number][] = [
    ['reset', 'reset', 100],
    ['close', 'close', 100],
    ['empty', 'empty', 100],
    ['truncate', 'truncate', 100],
    ['bad-chunk', 'bad-chunk', 100],
    ['garbage', 'garbage', 100],
    ['RESET', 'reset', 100],
    ['Bad-Chunk:5', 'bad-chunk', 5],
    ['reset:50', 'reset', 50],
    ['reset : 50 %', 'reset', 50],
    [' close:0\t', 'close', 0],
    ['close:100%', 'close', 100],
  ]
  for (const [value, fault, percent] of rows) t.strictSame(parseAbort(value), { fault, percent }, value)
})

t.test('ignores invalid values [ABORT-1]', async t => {
  const values = [
    undefined,
    '',
    ' ',
    ':',
    'reset:',
    ':50',
    'reset:101',
    'reset:-1',
    'reset:1.5',
    'reset:50:50',
    'reset%',
    'resets',
    'drop',
    '503',
    'reset,close',
    'reset close',
    '__proto__',
    'constructor',
    `reset${' '.repeat(100_000)}x`,
    `reset:${' '.repeat(100_000)}`,
    'x'.repeat(100_000),
  ]
  for (const value of values) t.equal(parseAbort(value), null, String(value).slice(0, 40))
})

for (const tls of [false, true]) {
  const name = tls ? 'HTTPS' : 'HTTP'
  t.test(`each fault over HTTP/1.1 acts as documented, on ${name} [ABORT-2]`, async t => {
    const server = await serve(t, CONNECTION)
    const port = (tls ? server.ports.https : server.ports.http)!
    t.strictSame(await exchange(port, get('/echo', 'reset'), { tls }), { text: '', end: 'reset' })
    t.strictSame(await exchange(port, get('/echo', 'close'), { tls }), { text: '', end: 'fin' })

    const empty = await exchange(port, get('/echo', 'empty'), { tls })
    const emptyParts = splitResponse(empty.text)
    t.match(emptyParts.head, /^HTTP\/1\.1 200 OK\r\n/)
    t.ok(announced(emptyParts.head) > 0)
    t.strictSame([emptyParts.body, empty.end], ['', 'fin'])

    const truncated = await exchange(port, get('/echo', 'truncate'), { tls })
    const { head, body } = splitResponse(truncated.text)
    t.ok(body.length > 0 && body.length < announced(head), `${body.length} of ${announced(head)} bytes`)
    t.equal(truncated.end, 'fin')

    for (const request of [get('/echo', 'garbage'), get('/', 'garbage', { method: 'HEAD', version: '1.0' })]) {
      const garbage = await exchange(port, request, { tls })
      t.strictSame([garbage.text.length, garbage.text.charCodeAt(0) > 127, garbage.end], [32, true, 'fin'])
    }

    const chunked = await exchange(port, get('/echo', 'bad-chunk'), { tls })
    const parts = splitResponse(chunked.text)
    t.match(parts.head, /\r\ntransfer-encoding: chunked/i)
    const [size, first, next] = parts.body.split('\r\n')
    t.equal(first!.length, Number.parseInt(size!, 16), 'the first chunk is good')
    t.notMatch(next!, /^[0-9a-f]+$/i, 'the next has no size')
    t.equal(chunked.end, 'fin')
  })
}

t.test('the faults apply to every route, known or unknown, except the control plane [ABORT-3]', async t => {
  const server = await serve(t, CONNECTION)
  const port = server.ports.http!
  for (const path of ['/', '/health', '/no/such', '/status/204', '/sse', '/bin', '/openapi.json', '/%zz', '/jsonrpc']) {
    t.strictSame(await exchange(port, get(path, 'close')), { text: '', end: 'fin' }, path)
  }
  for (const path of ['/_svc/version', '/ui/x'])
    t.notMatch((await exchange(port, get(path, 'close', { more: 'Connection: close\r\n' }))).text, /^$/, path)
  const preflight = `OPTIONS /echo HTTP/1.1\r\nHost: a\r\nX-Svc-Abort: reset\r\nAccess-Control-Request-Method: PUT\r\nConnection: close\r\n\r\n`
  t.match((await exchange(port, preflight)).text, /^HTTP\/1\.1 200 /)
})

t.test('response headers sent before the break include the headers of every response [ABORT-4]', async t => {
  const server = await serve(t, CONNECTION)
  for (const fault of ['empty', 'truncate', 'bad-chunk']) {
    const { head } = splitResponse(
      (await exchange(server.ports.http!, get('/echo', fault, { more: 'X-Request-Id: abort-1\r\n' }))).text,
    )
    t.match(head, /\r\nX-Request-Id: abort-1\r\n/i, fault)
    t.match(head, /\r\nX-Svc-Fault: abort(\r\n|$)/i, fault)
    t.match(head, /\r\nAccess-Control-Allow-Origin: \*\r\n/i, fault)
  }
})

t.test('HEAD and HTTP/1.0 get the faults that are distinguishable from success [ABORT-5]', async t => {
  const port = (await serve(t, CONNECTION)).ports.http!
  for (const fault of ['close', 'empty', 'truncate', 'bad-chunk'])
    t.strictSame(await exchange(port, get('/echo', fault, { method: 'HEAD' })), { text: '', end: 'fin' }, fault)
  t.equal((await exchange(port, get('/echo', 'reset', { method: 'HEAD' }))).end, 'reset')
  const { head, body } = splitResponse((await exchange(port, get('/echo', 'bad-chunk', { version: '1.0' }))).text)
  t.notMatch(head, /chunked/i)
  t.ok(body.length > 0 && body.length < announced(head))
})

t.test('an unread request body does not turn a close into a reset [ABORT-6]', async t => {
  const port = (await serve(t, CONNECTION)).ports.http!
  const body = 'x'.repeat(900_000)
  for (const framing of [
    `Content-Length: ${body.length}\r\n\r\n${body}`,
    `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ]) {
    const bytes = get('/echo', 'close', { method: 'POST' }).slice(0, -2) + framing
    t.strictSame(await exchange(port, bytes), { text: '', end: 'fin' }, framing.slice(0, 20))
  }
})

t.test('a pipelined request breaks the connection after the responses before it [ABORT-7]', async t => {
  const port = (await serve(t, CONNECTION)).ports.http!
  for (const [fault, end] of [
    ['close', 'fin'],
    ['truncate', 'fin'],
  ] as const) {
    const { text, end: actual } = await exchange(
      port,
      `GET /delay/50 HTTP/1.1\r\nHost: a\r\n\r\n${get('/echo', fault)}`,
    )
    t.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*"delay_ms":50/, fault)
    t.equal(actual, end)
  }
})

t.test('delay comes first; fail is evaluated only if abort does not apply [ABORT-8]', async t => {
  const server = await serve(t, CONNECTION)
  const port = server.ports.http!
  const startedAt = performance.now()
  t.strictSame(await exchange(port, get('/echo', 'close', { more: 'X-Svc-Delay: 80\r\nX-Svc-Fail: 503\r\n' })), {
    text: '',
    end: 'fin',
  })
  t.ok(performance.now() - startedAt >= 79, 'after the delay')
  const failed = await exchange(port, get('/echo', 'reset:0', { more: 'X-Svc-Fail: 503\r\nConnection: close\r\n' }))
  t.match(failed.text, /^HTTP\/1\.1 503 [^]*X-Svc-Fault: fail/i)
  const delayed = await fetch(`${server.url}/echo`, { headers: { 'X-Svc-Abort': 'reset:0', 'X-Svc-Delay': '5' } })
  t.strictSame([delayed.status, delayed.headers.get('x-svc-fault')], [200, 'delay'])
  const plain = await fetch(`${server.url}/echo`, { headers: { 'X-Svc-Abort': 'nonsense' } })
  t.strictSame([plain.status, plain.headers.get('x-svc-fault')], [200, null])
})

t.test('about the requested percentage is affected [ABORT-8]', async t => {
  const server = await serve(t, CONNECTION)
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, () =>
      fetch(`${server.url}/uuid`, { headers: { 'X-Svc-Abort': 'close:50' } })
        .then(response => response.text())
        .then(
          () => 'served',
          () => 'broken',
        ),
    ),
  )
  const broken = outcomes.filter(outcome => outcome === 'broken').length
  t.ok(broken > 40 && broken < 160, `${broken} of 200`)
})

t.test('a WebSocket handshake is broken like any request [ABORT-9]', async t => {
  const server = await serve(t, CONNECTION)
  for (const fault of ['reset', 'close', 'empty', 'truncate', 'bad-chunk', 'garbage']) {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, { headers: { 'X-Svc-Abort': fault } })
    const outcome = await new Promise<string>(resolve => {
      socket.on('open', () => resolve('open'))
      socket.on('unexpected-response', (_request, response) => {
        response.on('data', () => {})
        response.on('error', () => resolve('broken'))
        response.on('end', () => resolve('whole'))
      })
      socket.on('error', () => resolve('broken'))
    })
    t.equal(outcome, 'broken', fault)
  }
})

t.test('an abort is counted, and recorded as no response [ABORT-10]', async t => {
  const server = await serve(t, CONNECTION)
  await exchange(server.ports.http!, get('/uuid', 'reset', { more: 'X-Request-Id: gone-1\r\n' }))
  await exchange(server.ports.http!, get('/uuid', 'truncate', { more: 'X-Request-Id: gone-2\r\n' }))
  const entry = await until(async () => {
    const response = await fetch(`${server.url}/_svc/requests/gone-1`)
    return response.status === 200 ? ((await response.json()) as { status: number }) : null
  })
  t.equal(entry.status, 444)
  const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.match(metrics, /svc_faults_injected_total\{kind="abort"\} 2/)
})

// ------------------------------------------------------------------------------------------------------------ HTTP/2

interface StreamEnd {
  status: number | undefined
  length: number
  body: string
  code: number
  isSessionOver: boolean
}

function streamEnd(session: ClientHttp2Session, fault: string): Promise<StreamEnd> {
  return new Promise(resolve => {
    const stream = session.request({ ':path': '/echo', 'x-svc-abort': fault })
    const seen: StreamEnd = { status: undefined, length: 0, body: '', code: 0, isSessionOver: false }
    stream.on('response', headers => {
      seen.status = headers[':status']
      seen.length = Number(headers['content-length'])
    })
    stream.on('data', chunk => {
      seen.body += String(chunk)
    })
    stream.on('error', () => {})
    stream.on('close', () =>
      resolve({ ...seen, code: stream.rstCode, isSessionOver: session.closed || session.destroyed }),
    )
    stream.end()
  })
}

t.test('over HTTP/2 the stream breaks and the others continue; close ends the connection [ABORT-11]', async t => {
  const server = await serve(t, { env: { SVC_GRPC_ON_HTTP: 'true' }, ...CONNECTION })
  const session = connect(server.url)
  session.on('error', () => {})
  t.teardown(() => session.destroy())

  const reset = await streamEnd(session, 'reset')
  t.strictSame([reset.status, reset.code], [undefined, constants.NGHTTP2_INTERNAL_ERROR])
  const empty = await streamEnd(session, 'empty')
  t.strictSame([empty.status, empty.body, empty.code], [200, '', constants.NGHTTP2_INTERNAL_ERROR])
  const truncated = await streamEnd(session, 'truncate')
  t.equal(truncated.code, constants.NGHTTP2_INTERNAL_ERROR)
  t.ok(truncated.body.length > 0 && truncated.body.length < truncated.length)
  const malformed = await streamEnd(session, 'bad-chunk')
  t.equal(malformed.status, 200)
  t.not(malformed.code, constants.NGHTTP2_NO_ERROR, 'the client refuses a length that does not add up')
  t.notOk(session.destroyed, 'the connection still stands')

  const fine = await streamEnd(session, 'reset:0')
  t.strictSame([fine.status, fine.code], [200, 0])

  await streamEnd(session, 'close')
  await until(() => session.destroyed, 'the end of the session')
})
