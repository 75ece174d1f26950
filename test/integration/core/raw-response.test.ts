/** Responses on bare sockets, read by a real client. */
import { createServer, type AddressInfo } from 'node:net'
import { request, type IncomingMessage } from 'node:http'
import t from 'tap'
import { badRequest, headerFieldsTooLarge, methodNotAllowed } from '../../../core/http/response/error-bodies.ts'
import { rawResponse, type RawResponse } from '../../../core/http/sockets/raw-response.ts'

const rows: RawResponse[] = [
  { status: 400, body: badRequest('unparsable \u2603'), headers: {} },
  { status: 431, body: headerFieldsTooLarge(65_536), headers: { 'Access-Control-Allow-Origin': '*' } },
  {
    status: 405,
    body: methodNotAllowed('CONNECT', 'a:1', []),
    headers: { Allow: 'GET, HEAD', 'x-request-id': 'from-client-\u00e9' },
  },
]

t.test('is a complete response for a client [RAW-1]', async t => {
  for (const row of rows) {
    const { response, text } = await fetchFrom(rawResponse(row))
    t.equal(response.statusCode, row.status)
    t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    t.equal(response.headers['content-length'], String(Buffer.byteLength(text)))
    t.equal(response.headers.connection, 'close')
    t.ok(Date.parse(response.headers.date!) > 0)
    t.strictSame(JSON.parse(text), row.body)
    for (const [name, value] of Object.entries(row.headers)) t.equal(response.headers[name.toLowerCase()], value)
    if (!('x-request-id' in row.headers))
      t.match(response.headers['x-request-id'], /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)
  }
})

t.test('sends no header twice [RAW-1]', async t => {
  const text = rawResponse({
    status: 400,
    body: {},
    headers: { 'x-request-id': 'a', 'content-type': 'text/x' },
  }).toString('latin1')
  t.equal(text.match(/x-request-id/gi)?.length, 1)
  t.equal(text.match(/content-type/gi)?.length, 1)
  t.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/)
  t.match(text, /\r\n\r\n\{\}$/)
})

/** The response as parsed by `node:http`. */
async function fetchFrom(bytes: Buffer): Promise<{ response: IncomingMessage; text: string }> {
  const server = createServer(socket => socket.once('data', () => socket.end(bytes)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject).end()
  })
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  await new Promise(resolve => server.close(resolve))
  return { response, text: Buffer.concat(chunks).toString() }
}
