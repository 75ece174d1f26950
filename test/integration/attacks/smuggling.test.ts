/** Requests for which two parsers could see different ends: the second request must never get a response. */
import t from 'tap'
import { connect } from 'node:net'
import { serve } from '../../support/server.ts'

const server = await serve(t, { env: { SVC_LOG_FORMAT: 'json' } })

/** Statuses of the responses on one connection; the last request closes it. */
function statusesOf(bytes: string): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.ports.http!, '127.0.0.1', () => socket.write(bytes + LAST, 'latin1'))
    let text = ''
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve([...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))))
    socket.setTimeout(10_000, () => reject(new Error(`still open: ${bytes.slice(0, 100)}`)))
  })
}

const LAST = 'GET /status/219 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const SECOND = 'GET /status/218 HTTP/1.1\r\nHost: inner\r\n\r\n'
const chunked = `0\r\n\r\n${SECOND}`
const post = (...lines: string[]): string =>
  `POST /status/217 HTTP/1.1\r\nHost: a\r\n${lines.map(line => `${line}\r\n`).join('')}\r\n`

/** Rejected, and nothing that follows is read. */
const REFUSED: Record<string, string> = {
  'CL.TE': post(`Content-Length: ${chunked.length}`, 'Transfer-Encoding: chunked') + chunked,
  'TE.CL': post('Transfer-Encoding: chunked', 'Content-Length: 4') + `5c\r\n${SECOND}\r\n0\r\n\r\n`,
  'TE.TE, second obscured': post('Transfer-Encoding: chunked', 'Transfer-Encoding: x') + chunked,
  'TE.TE, by another coding': post('Transfer-Encoding: identity, chunked') + chunked,
  'TE with a blank before the colon': post('Transfer-Encoding : chunked') + chunked,
  'TE with a vertical tab': post('Transfer-Encoding: \x0bchunked') + chunked,
  'TE with a NUL': post('Transfer-Encoding: chunked\0') + chunked,
  'TE xchunked': post('Transfer-Encoding: xchunked') + chunked,
  'TE quoted': post('Transfer-Encoding: "chunked"') + chunked,
  'TE chunked twice': post('Transfer-Encoding: chunked, chunked') + chunked,
  'TE folded': post('Transfer-Encoding:\r\n chunked') + chunked,
  'TE behind a bare CR': post('X: y\rTransfer-Encoding: chunked') + chunked,
  'TE behind a bare LF': `POST /status/217 HTTP/1.1\r\nHost: a\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
  'lines that end with LF alone': `POST /status/217 HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n${chunked}`,
  'TE in HTTP/1.0': `POST /status/217 HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
  'two equal lengths': post('Content-Length: 0', 'Content-Length: 0') + SECOND,
  'two lengths': post('Content-Length: 0', `Content-Length: ${SECOND.length}`) + SECOND,
  'a list of lengths': post('Content-Length: 0, 0') + SECOND,
  'a length with a sign': post('Content-Length: +0') + SECOND,
  'a hexadecimal length': post('Content-Length: 0x0') + SECOND,
  'a length in other digits': post('Content-Length: \xb2') + SECOND,
  'a length beyond all numbers': post('Content-Length: 18446744073709551616') + SECOND,
  'a chunk size with a sign': post('Transfer-Encoding: chunked') + `+0\r\n\r\n${SECOND}`,
  'a chunk size with 0x': post('Transfer-Encoding: chunked') + `0x0\r\n\r\n${SECOND}`,
  'a chunk size that overflows': post('Transfer-Encoding: chunked') + `10000000000000000\r\n${SECOND}`,
  'a chunk that ends with LF alone': post('Transfer-Encoding: chunked') + `0\n\n${SECOND}`,
  'a chunk longer than its size': post('Transfer-Encoding: chunked') + `1\r\nab\r\n0\r\n\r\n${SECOND}`,
  'a chunk extension with a bare LF': post('Transfer-Encoding: chunked') + `0;a\nb\r\n\r\n${SECOND}`,
  'a space in the header name': post('Content Length: 0') + SECOND,
  'a fold at the first line': `POST /status/217 HTTP/1.1\r\n Host: a\r\n\r\n${SECOND}`,
  'two Host lines': `POST /status/217 HTTP/1.1\r\nHost: a\r\nHost: inner\r\n\r\n${SECOND}`,
  'CL.TE with an upgrade':
    post('Connection: upgrade', 'Upgrade: x', `Content-Length: ${chunked.length}`, 'Transfer-Encoding: chunked') +
    chunked,
  'two lengths with an upgrade':
    post('Connection: upgrade', 'Upgrade: x', 'Content-Length: 0', `Content-Length: ${SECOND.length}`) + SECOND,
}

const many = Array.from({ length: 3000 }, (_, index) => `x${index}: y`)
/** Valid, with a body that looks like a second request. */
const ONE: Record<string, string> = {
  'a body that looks like a request': post(`Content-Length: ${SECOND.length}`) + SECOND,
  'a chunk that looks like a request':
    post('Transfer-Encoding: chunked') + `${SECOND.length.toString(16)}\r\n${SECOND}\r\n0\r\n\r\n`,
  'chunk extensions and trailers':
    post('Transfer-Encoding: chunked') +
    `${SECOND.length.toString(16)};a="b;c"\r\n${SECOND}\r\n0;x\r\nX-Trailer: Content-Length: 5\r\n\r\n`,
  'a length behind thousands of fields': post(...many, `Content-Length: ${SECOND.length}`) + SECOND,
  'a length behind thousands of fields, with an upgrade':
    post('Connection: upgrade', 'Upgrade: x', ...many, `Content-Length: ${SECOND.length}`) + SECOND,
  'chunks with an upgrade':
    post('Connection: upgrade', 'Upgrade: h2c', 'Transfer-Encoding: chunked') +
    `${SECOND.length.toString(16)}\r\n${SECOND}\r\n0\r\n\r\n`,
  'an absolute target of another host': `POST http://b.example/status/217 HTTP/1.1\r\nHost: a\r\nContent-Length: ${SECOND.length}\r\n\r\n${SECOND}`,
  'a GET with a body': `GET /status/217 HTTP/1.1\r\nHost: a\r\nContent-Length: ${SECOND.length}\r\n\r\n${SECOND}`,
  'a length named by Connection': post('Connection: Content-Length', `Content-Length: ${SECOND.length}`) + SECOND,
}

t.test('pipelined requests all get a response', async t =>
  t.strictSame(await statusesOf(post('Content-Length: 0') + SECOND), [217, 218, 219]),
)

for (const [what, bytes] of Object.entries(REFUSED)) {
  t.test(`${what} is rejected together with what follows [HARD-3]`, async t => {
    const statuses = await statusesOf(bytes)
    // A malformed body ends the connection during the first request.
    t.ok(['400', '217,400', '217', ''].includes(String(statuses)), String(statuses))
  })
}

for (const [what, bytes] of Object.entries(ONE)) {
  t.test(`${what} is one request [HARD-3]`, async t => t.strictSame(await statusesOf(bytes), [217, 219]))
}

t.test('every field of a head is read, however many there are [HARD-4]', async t => {
  const { port } = new URL(server.url)
  const text = await new Promise<string>(resolve => {
    let received = ''
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `GET /echo HTTP/1.1\r\nHost: a\r\n${many.join('\r\n')}\r\nX-Last: seen\r\nConnection: close\r\n\r\n`,
      ),
    )
    socket
      .on('data', chunk => {
        received += chunk.toString()
      })
      .on('close', () => resolve(received))
  })
  t.match(text, /"seen"/)
})
