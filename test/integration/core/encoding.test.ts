/** `X-Svc-Encoding`: responses in the content coding that the request or a rule asks for. */
import { randomBytes } from 'node:crypto'
import { connect as connectHttp2 } from 'node:http2'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { PassThrough, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { Decompress, decompress } from 'fzstd'
import t from 'tap'
import { exchange } from '../../support/raw-client.ts'
import { putRule, send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['caching', 'console', 'docs', 'echo', 'llm', 'llm-openai', 'sse', 'transfer'],
  env: { SVC_GRPC_ON_HTTP: 'true' },
})
const port = Number(new URL(server.url).port)

/** The response as it was sent: nothing decodes it. */
async function raw(
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<IncomingMessage & { bytes: Buffer }> {
  const request = get({ port, path, headers, method })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return Object.assign(response, { bytes: Buffer.concat(parts) })
}

const asked = (encoding: string): Record<string, string> => ({ 'X-Svc-Encoding': encoding })

const DECODE: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: bytes => Buffer.from(decompress(bytes)),
}

t.test('whole bodies of all routes are coded, with the length of the coding [ENCODING-1]', async t => {
  for (const [coding, decode] of Object.entries(DECODE)) {
    for (const [path, shown] of [
      ['/echo', '/echo'],
      ['/unknown', 'not found'],
      ['/range/100000', 'abcdef'],
      ['/ai/v1/models', 'svc-gpt'],
    ] as const) {
      const plain = await raw(path, {})
      const coded = await raw(path, { ...asked(coding), 'Accept-Encoding': 'identity' })
      t.match(
        coded.headers,
        { 'content-encoding': coding, 'content-length': String(coded.bytes.length) },
        `${coding} ${path}`,
      )
      t.equal(coded.statusCode, plain.statusCode)
      t.equal(coded.headers['content-type'], plain.headers['content-type'])
      t.notMatch(coded.headers.vary ?? '', /svc/i)
      t.match(decode(coded.bytes).toString(), shown)
      if (path === '/range/100000') t.ok(coded.bytes.length < 20_000)
    }
  }
  const error = await raw('/echo', { ...asked('gzip'), 'X-Svc-Fail': '503' })
  t.match([error.statusCode, JSON.parse(zlib.gunzipSync(error.bytes).toString())], [503, { status: 503 }])
  const answer = await raw('/echo', { ...asked('br'), 'X-Svc-Answer': '{"body":"hi","headers":[["X-B","1"]]}' })
  t.equal(zlib.brotliDecompressSync(answer.bytes).toString(), 'hi')
})

t.test('parts of a stream can be decoded as they come [ENCODING-2]', async t => {
  const chunks = [
    { event: { data: 'one' } },
    { after_ms: 20, event: { data: 'two' } },
    { after_ms: 20, event: { data: 'three' } },
  ]
  const decoders: Record<string, () => Transform> = {
    gzip: () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
    zstd: () => new PassThrough(),
  }
  for (const [coding, create] of Object.entries(decoders)) {
    const request = get({
      port,
      path: '/echo',
      headers: { ...asked(coding), 'X-Svc-Answer': JSON.stringify({ chunks }) },
    })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    t.match(response.headers, {
      'content-encoding': coding,
      'content-type': 'text/event-stream',
      'transfer-encoding': 'chunked',
    })
    const texts: string[] = []
    for await (const part of response.pipe(create()))
      texts.push(coding === 'zstd' ? Buffer.from(decompress(part)).toString() : part.toString())
    t.same(texts, ['data: one\n\n', 'data: two\n\n', 'data: three\n\n'], coding)
  }
  const routes = ['/sse?count=3&interval=0.01', '/stream/3', '/drip?numbytes=5&duration=0.05']
  for (const path of routes) {
    const [plain, coded] = [await raw(path, {}), await raw(path, asked('gzip'))]
    t.equal(plain.statusCode, 200, path)
    t.equal(zlib.gunzipSync(coded.bytes).toString().split('\n').length, plain.bytes.toString().split('\n').length, path)
    t.equal(coded.headers['content-length'], undefined)
  }
})

t.test('a stream of a model has every event at once, and its ledger the plain text [ENCODING-3]', async t => {
  const response = await fetch(`${server.url}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...asked('br') },
    body: JSON.stringify({ model: 'svc-gpt', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
  })
  t.equal(response.headers.get('content-encoding'), 'br')
  t.match(await response.text(), /^data: \{[^]*data: \[DONE\]\n\n$/)
})

t.test('three are wrong on purpose [ENCODING-4]', async t => {
  const stream = { chunks: [{ text: 'hello ' }, { text: 'world' }] }
  for (const [answer, text] of [
    [{ body: 'hello' }, 'hello'],
    [stream, 'hello world'],
  ] as const) {
    const ask = (encoding: string): ReturnType<typeof raw> =>
      raw('/echo', { ...asked(encoding), 'X-Svc-Answer': JSON.stringify(answer) })
    const mislabeled = await ask('gzip-mislabeled')
    t.equal(mislabeled.bytes.toString(), text)
    const twice = await ask('gzip-twice')
    t.equal(zlib.gunzipSync(zlib.gunzipSync(twice.bytes)).toString(), text)
    const cut = await ask('gzip-cut')
    t.ok(cut.complete, 'the end is clean')
    t.throws(() => zlib.gunzipSync(cut.bytes), /unexpected end of file/)
    t.equal(zlib.gunzipSync(cut.bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString(), text)
    t.equal(zlib.inflateRawSync(cut.bytes.subarray(10)).toString(), text, 'only the trailer is missing')
    for (const { headers } of [mislabeled, twice, cut])
      t.match(headers, { 'content-encoding': 'gzip', 'x-svc-fault': 'encoding' })
  }
})

t.test('what has a coding, no content or a part of it stays as it is [ENCODING-5]', async t => {
  t.equal((await raw('/echo', asked('identity'))).headers['content-encoding'], undefined)
  t.equal((await raw('/deflate', asked('gzip'))).headers['content-encoding'], 'deflate')
  for (const [path, headers, status] of [
    ['/range/100', { Range: 'bytes=0-9' }, 206],
    ['/echo', { 'X-Svc-Answer': '204' }, 204],
    ['/echo', { 'X-Svc-Answer': '{"status":304,"body":"x"}' }, 304],
    ['/_svc/status', {}, 200],
  ] as const) {
    const reply = await raw(path, { ...asked('gzip'), ...headers })
    t.equal(reply.statusCode, status, path)
    t.equal(reply.headers['content-encoding'], undefined)
  }
  t.equal((await raw('/echo', asked('gzip'), 'HEAD')).bytes.length, 0)
  const empty = await raw('/echo', { ...asked('gzip'), 'X-Svc-Answer': '200' })
  t.match(empty.headers, { 'content-length': '0' })
  const broken = await exchange(
    port,
    'GET /echo HTTP/1.1\r\nHost: a\r\nX-Svc-Encoding: gzip\r\nX-Svc-Abort: truncate\r\n\r\n',
  )
  t.notMatch(broken.text, /content-encoding/i)
  const wrong = await raw('/echo', asked('lzma'))
  t.equal(wrong.statusCode, 400)
  t.match(JSON.parse(wrong.bytes.toString()), {
    error: 'invalid_encoding',
    encodings: ['gzip', 'deflate', 'br', 'zstd'],
  })
})

t.test('over HTTP/2 as well [ENCODING-6]', async t => {
  const session = connectHttp2(server.url)
  t.teardown(() => session.close())
  for (const [answer, text] of [
    [{ body: 'hello' }, 'hello'],
    [{ chunks: [{ text: 'hel' }, { text: 'lo' }], trailers: { 'X-Sum': '1' } }, 'hello'],
  ] as const) {
    const stream = session.request({
      ':path': '/echo',
      'x-svc-encoding': 'gzip',
      'x-svc-answer': JSON.stringify(answer),
    })
    const head = once(stream, 'response')
    const trailers = 'trailers' in answer ? once(stream, 'trailers') : null
    const parts: Buffer[] = []
    for await (const part of stream) parts.push(part)
    t.match((await head)[0], { 'content-encoding': 'gzip' })
    t.equal(zlib.gunzipSync(Buffer.concat(parts)).toString(), text)
    if (trailers !== null) t.match((await trailers)[0], { 'x-sum': '1' })
  }
})

t.test('a step of a rule does the same, but the header wins [ENCODING-7]', async t => {
  for (const then of [{ encoding: 'br' }, { encoding: 'br', pass: true }, { encoding: 'br', respond: { body: 'x' } }]) {
    await putRule(server, 'coded', { match: { path: '/echo' }, then })
    t.equal((await raw('/echo', {})).headers['content-encoding'], 'br', JSON.stringify(then))
    t.equal((await raw('/echo', asked('gzip'))).headers['content-encoding'], 'gzip')
    t.equal((await raw('/echo', asked('identity'))).headers['content-encoding'], undefined)
  }
  const refused = await send(server, 'PUT /_svc/rules/coded', { body: { then: { encoding: 'lzma' } } })
  t.match(refused.json, { error: 'invalid_rule' })
  await send(server, 'DELETE /_svc/rules/coded')
})

t.test('captures have the plain body, and counts the coded bytes [ENCODING-8]', async t => {
  for (const answer of [
    { body: 'a'.repeat(1000) },
    { chunks: [{ text: 'a'.repeat(500) }, { text: 'a'.repeat(500) }] },
  ]) {
    const id = `coded-${Object.keys(answer)[0]}`
    const { bytes } = await raw('/echo', {
      ...asked('gzip'),
      'X-Request-Id': id,
      'X-Svc-Answer': JSON.stringify(answer),
    })
    const { requests } = (await send(server, '/_svc/requests')).json as { requests: Record<string, unknown>[] }
    const entry = requests.find(({ request_id }) => request_id === id)!
    const whole = (await send(server, `/_svc/requests/${String(entry.id)}`)).json as Record<string, unknown>
    t.equal(whole.response_body, 'a'.repeat(1000))
    t.equal(whole.bytes_sent, bytes.length)
  }
})

t.test('a writer waits for a client that does not read, and gets everything through [ENCODING-9]', async t => {
  const bytes = randomBytes(42_000)
  const chunks = Array.from({ length: 14 }, (_, index) => ({
    base64: bytes.subarray(index * 3000, (index + 1) * 3000).toString('base64'),
  }))
  const rule = { match: { path: '/much' }, then: { respond: { chunks } } }
  for (const [coding, decode] of Object.entries(DECODE)) {
    t.ok((await putRule(server, 'much', rule, 'reader')).status <= 201)
    const request = get({ port, path: '/much', headers: { ...asked(coding), 'X-Svc-Session': 'reader' } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const parts: Buffer[] = []
    // One part a turn.
    for await (const part of response) {
      parts.push(part)
      await new Promise(resolve => setImmediate(resolve))
    }
    const received = coding === 'zstd' ? decompressFrames(Buffer.concat(parts)) : decode(Buffer.concat(parts))
    t.ok(received.equals(bytes), coding)
  }
  const leaving = get({ port, path: '/much', headers: { ...asked('gzip'), 'X-Svc-Session': 'reader' } })
  const [response] = (await once(leaving, 'response')) as [IncomingMessage]
  response.destroy()
  t.equal((await raw('/echo', asked('gzip'))).statusCode, 200)
})

/** The stream decoder reads one frame after the other. */
function decompressFrames(bytes: Buffer): Buffer {
  const parts: Uint8Array[] = []
  const decoder = new Decompress(part => parts.push(part))
  decoder.push(bytes, true)
  return Buffer.concat(parts)
}
