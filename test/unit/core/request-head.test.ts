/** Validation of the request head after Node's parser: raw bytes are sent, and either of the two may reject them. */
import { createServer } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { connect, type AddressInfo, type Server } from 'node:net'
import t from 'tap'
import { headProblem } from '../../../core/http/listener/head-validation.ts'

const HOST = 'Host: a.example\r\n'
const head = (line: string, ...headers: string[]): string => `${line}\r\n${headers.join('')}\r\n`
const post = (...headers: string[]): string => head('POST / HTTP/1.1', HOST, ...headers)

t.test('rejects other versions in the request line [REQ-1]', async t => {
  await eachRefused(t, [
    head('GET / HTTP/2.0', HOST),
    head('GET / HTTP/0.9', HOST),
    head('GET / HTTP/1.2', HOST),
    head('GET / HTTP/3.0', HOST),
    head('GET / HTTP/1.10', HOST),
    head('GET / http/1.1', HOST),
    head('GET /', HOST),
    head('GET / HTTP/1', HOST),
    head('GET / HTTP/2.0'),
    head('GET / HTTPS/1.1', HOST),
  ])
})

t.test('rejects requests with an invalid host, two hosts, or none [REQ-2]', async t => {
  const get = (...headers: string[]): string => head('GET / HTTP/1.1', ...headers)
  await eachRefused(t, [
    get(),
    get('X-Host: a\r\n'),
    get(HOST, 'Host: b.example\r\n'),
    get(HOST, HOST),
    get('host: a\r\n', 'X-A: 1\r\n', 'HOST: b\r\n'),
    get(HOST, 'Host:\r\n'),
    head('GET / HTTP/1.0', HOST, HOST),
    get('Host: bad host<>\r\n'),
    get('Host: a b\r\n'),
    get('Host: a, b\r\n'),
    get('Host: a/b\r\n'),
    get('Host: user@a\r\n'),
    get('Host: http://a\r\n'),
    get('Host: a:b\r\n'),
    get('Host: a:80:90\r\n'),
    get('Host: ::1\r\n'),
    get('Host: [::1\r\n'),
    get('Host: [::1]x\r\n'),
    get('Host: [1.2.3.4]\r\n'),
    get('Host: [zz]\r\n'),
    get('Host: a%2\r\n'),
    get('Host: "a"\r\n'),
    get('Host: a?b\r\n'),
    get('Host: a#b\r\n'),
    get('Host: h\u00f6st\r\n'),
    get('Host: a\\b\r\n'),
    get('Host: [::1]:x\r\n'),
    get(`Host: ${'a'.repeat(10_000)}<\r\n`),
    head('GET / HTTP/1.0', 'Host: <\r\n'),
  ])
})

t.test('rejects ambiguous framing [REQ-3]', async t => {
  const coded = (value: string, ...more: string[]): string =>
    `${post(`Transfer-Encoding: ${value}\r\n`, ...more)}0\r\n\r\n`
  await eachRefused(t, [
    coded('gzip, chunked'),
    coded('identity'),
    coded('xchunked'),
    coded('chunked, chunked'),
    coded('chunked, gzip'),
    coded('chunked,'),
    coded('"chunked"'),
    coded('chunked;x=1'),
    coded(''),
    coded('\x0bchunked'),
    coded('chunked', 'Transfer-Encoding: chunked\r\n'),
    coded('chunked', 'Transfer-Encoding:\r\n'),
    coded('chunked', 'Content-Length: 5\r\n'),
    coded('gzip', 'Content-Length: 5\r\n'),
    head('POST / HTTP/1.0', HOST, 'Transfer-Encoding: chunked\r\n'),
    head('GET / HTTP/1.1', HOST, 'Transfer-Encoding: gzip\r\n'),
    post('Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n'),
    post('Content-Length: abc\r\n'),
    post('Content-Length: +5\r\n'),
    post('Content-Length: -5\r\n'),
    post('Content-Length: 5, 5\r\n'),
    post('Content-Length: 5\r\n', 'Content-Length: 5\r\n'),
    post('Content-Length: 5\r\n', 'Content-Length: 6\r\n'),
    post('Content-Length:\r\n'),
    post('Content-Length: 0x5\r\n'),
    post('Content-Length: 5 6\r\n'),
    post('Content-Length: 1.5\r\n'),
    post('Content-Length : 5\r\n'),
    post('Content-Length: 18446744073709551615\r\n'),
    post('Content-Length: 18446744073709551616\r\n'),
    post(`Content-Length: ${'9'.repeat(10_000)}\r\n`),
  ])
})

t.test('accepts ordinary requests [REQ-4]', async t => {
  const get = (...headers: string[]): string => head('GET / HTTP/1.1', ...headers)
  const hosts = [
    'a.example',
    'A.EXAMPLE:8080',
    'a',
    'my_svc',
    '127.0.0.1:80',
    '[::1]',
    '[2001:db8::1]:8443',
    'a:',
    '',
    "a-b~c!$&'()*+,;=",
    'a%20b',
    'xn--hst-sna',
    'a'.repeat(10_000),
  ]
  const passing = [
    ...hosts.map(host => get(`Host: ${host}\r\n`)),
    head('GET / HTTP/1.0'),
    head('GET / HTTP/1.0', HOST),
    get(HOST, 'X-Forwarded-Host: b\r\n'),
    head('GET http://b/x HTTP/1.1', HOST),
    head('OPTIONS * HTTP/1.1', HOST),
    `${post('Transfer-Encoding: chunked\r\n')}0\r\n\r\n`,
    `${post('transfer-encoding: Chunked\r\n')}0\r\n\r\n`,
    `${post('Content-Length: 5\r\n')}hello`,
    `${post('Content-Length: 0\r\n')}`,
    `${post('Content-Length: 005\r\n')}hello`,
    `${post('Content-Length:\t5 \r\n')}hello`,
    post(),
    head('POST / HTTP/1.0', HOST, 'Content-Length: 0\r\n'),
  ]
  await withServer(async port => {
    for (const bytes of passing) t.equal(await outcome(port, bytes), 'passed', bytes.slice(0, 80))
  })
})

t.test('accepts HTTP/2, which has its host in a pseudo-header [REQ-4]', async t => {
  const server = createHttp2Server((request, response) => response.end(String(headProblem(request))))
  const port = await listen(server)
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  const stream = session.request({ ':path': '/' })
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  t.equal(text, 'null')
  session.close()
  await new Promise(resolve => server.close(resolve))
})

t.test('describes the problem [REQ-2]', async t => {
  const request = { httpVersion: '1.1', headers: {}, rawHeaders: [] }
  t.equal(headProblem(request), 'no Host header')
  t.equal(
    headProblem({ ...request, httpVersion: '2.0' }),
    'HTTP/2.0 in the request line (expected HTTP/1.1 or HTTP/1.0)',
  )
  t.equal(
    headProblem({ ...request, headers: { host: 'a' }, rawHeaders: ['Host', 'a', 'host', 'b'] }),
    'more than one Host header',
  )
  t.equal(
    headProblem({ ...request, headers: { host: '<' }, rawHeaders: ['Host', '<'] }),
    'the Host header is not a valid host',
  )
  const framed = (headers: Record<string, string>, httpVersion = '1.1'): string | null =>
    headProblem({ httpVersion, headers: { host: 'a', ...headers }, rawHeaders: ['Host', 'a'] })
  t.equal(framed({ 'content-length': '+5' }), 'the Content-Length header is not a number')
  t.equal(framed({ 'content-length': '9'.repeat(20) }), 'the Content-Length header is too large')
  t.equal(
    framed({ 'content-length': '5', 'transfer-encoding': 'chunked' }),
    'both Content-Length and Transfer-Encoding are present',
  )
  t.equal(framed({ 'transfer-encoding': 'gzip' }), 'unsupported Transfer-Encoding (expected chunked)')
  t.equal(framed({ 'transfer-encoding': 'chunked' }, '1.0'), 'Transfer-Encoding in an HTTP/1.0 request')
  for (const piece of ['a', '%', '%20', ':', '[', '[:', ' ']) {
    const host = `${piece.repeat(100_000 / piece.length)}<`
    t.equal(
      headProblem({ ...request, headers: { host }, rawHeaders: ['Host', host] }),
      'the Host header is not a valid host',
      piece,
    )
  }
})

async function eachRefused(t: Tap, requests: string[]): Promise<void> {
  await withServer(async port => {
    for (const bytes of requests) t.equal(await outcome(port, bytes), 'refused', bytes.slice(0, 120))
  })
}
type Tap = { equal(found: unknown, wanted: unknown, message: string): unknown }

async function withServer(use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 65_536 }, (request, response) => {
    request.on('error', () => {})
    response.end(headProblem(request) === null ? 'passed' : 'refused')
  })
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\n\r\nrefused')
  })
  const port = await listen(server)
  try {
    await use(port)
  } finally {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

async function listen(server: Server | ReturnType<typeof createHttp2Server>): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** The first result received; the rest of the connection is ignored. */
function outcome(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    let text = ''
    socket.on('data', chunk => {
      text += String(chunk)
      const result = /passed|refused/.exec(text)
      if (result === null) return
      resolve(result[0])
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(`closed without a result: ${text}`))
  })
}
