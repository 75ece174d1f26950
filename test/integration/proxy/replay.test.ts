/** Replayed responses are those that the upstream would send: ranges, conditions, variants, headers, trailers, hints. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { send, type RequestOptions } from '../../support/request.ts'
import { foldersOf, onlyRecording, proxyTo, recordingNames, startUpstream } from './upstream.ts'
import type { TestServer } from '../../support/server.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const ETAG = '"letters"'

const switchTo = (server: TestServer, mode: string): Promise<unknown> =>
  send(server.url, '/_svc/proxy/api/mode', { method: 'PUT', body: JSON.stringify({ mode }) })

/** An upstream with one resource that knows ranges and conditions. */
const letters: Parameters<typeof startUpstream>[1] = ({ headers, method }, response) => {
  response.setHeader('ETag', ETAG)
  response.setHeader('Last-Modified', 'Sun, 01 Mar 2026 00:00:00 GMT')
  response.setHeader('Accept-Ranges', 'bytes')
  if (headers['if-none-match'] === ETAG) return response.writeHead(304).end()
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range)) ?? []
  const part = first === undefined ? LETTERS : LETTERS.slice(Number(first), Number(last) + 1)
  if (first !== undefined) {
    response.statusCode = 206
    response.setHeader('Content-Range', `bytes ${first}-${last}/26`)
  }
  response.setHeader('Content-Length', part.length)
  return response.end(method === 'HEAD' ? undefined : part)
}

t.test('a conditional or partial request has a recording of its own [PROXY-28]', async t => {
  const upstream = await startUpstream(t, letters)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const ask = async (headers: Record<string, string> = {}): Promise<unknown[]> => {
    const reply = await send(server.url, '/proxy/api/letters', { headers })
    return [reply.status, reply.text, reply.headers['x-svc-proxy']]
  }
  t.strictSame(await ask({ Range: 'bytes=1-3' }), [206, 'bcd', 'record'])
  t.strictSame(await ask({ Range: 'bytes=5-6' }), [206, 'fg', 'record'])
  t.strictSame(await ask({ 'If-None-Match': ETAG }), [304, '', 'record'])
  t.strictSame(await ask(), [200, LETTERS, 'record'])
  t.strictSame(await ask({ Range: 'bytes=1-3' }), [206, 'bcd', 'replay'])
  t.strictSame(await ask({ 'If-None-Match': ETAG }), [304, '', 'replay'])
  t.strictSame(await ask(), [200, LETTERS, 'replay'])
  t.equal((await recordingNames(server, 'api')).length, 4)
})

t.test('conditions and ranges of a request are evaluated on the recording without them [PROXY-28]', async t => {
  const upstream = await startUpstream(t, letters)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  await send(server.url, '/proxy/api/letters')
  const march = 'Sun, 01 Mar 2026 00:00:00 GMT'
  const rows: [headers: Record<string, string>, status: number, body: string, more?: object][] = [
    [{}, 200, LETTERS],
    [{ Range: 'bytes=1-3' }, 206, 'bcd', { 'content-range': 'bytes 1-3/26', 'content-length': '3' }],
    [{ Range: 'bytes=-2' }, 206, 'yz', { 'content-range': 'bytes 24-25/26' }],
    [{ Range: 'bytes=26-' }, 416, '', { 'content-range': 'bytes */26' }],
    [{ Range: 'bytes=0-0,2-2' }, 200, LETTERS],
    [{ Range: 'bytes=1-3', 'If-Range': ETAG }, 206, 'bcd'],
    [{ Range: 'bytes=1-3', 'If-Range': march }, 206, 'bcd'],
    [{ Range: 'bytes=1-3', 'If-Range': '"other"' }, 200, LETTERS],
    [{ 'If-None-Match': `"x", W/${ETAG}` }, 304, '', { etag: ETAG, 'content-length': undefined }],
    [{ 'If-None-Match': '"x"' }, 200, LETTERS],
    [{ 'If-Modified-Since': march }, 304, ''],
    [{ 'If-Modified-Since': 'Sat, 28 Feb 2026 00:00:00 GMT' }, 200, LETTERS],
    [{ 'If-Match': '"x"' }, 412, ''],
    [{ 'If-Match': ETAG }, 200, LETTERS],
    [{ 'If-Unmodified-Since': 'Sat, 28 Feb 2026 00:00:00 GMT' }, 412, ''],
  ]
  for (const [headers, status, body, more = {}] of rows) {
    const reply = await send(server.url, '/proxy/api/letters', { headers })
    t.strictSame(
      [reply.status, reply.text, reply.headers['x-svc-proxy']],
      [status, body, 'replay'],
      JSON.stringify(headers),
    )
    t.match(reply.headers, more)
  }
  t.equal(upstream.received.length, 1)
})

t.test('a range is served only if the upstream serves ranges [PROXY-28]', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end(LETTERS))
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  await send(server.url, '/proxy/api/x')
  const reply = await send(server.url, '/proxy/api/x', { headers: { Range: 'bytes=1-3' } })
  t.strictSame([reply.status, reply.text], [200, LETTERS])
})

t.test('headers that Vary names distinguish recordings [PROXY-28]', async t => {
  const upstream = await startUpstream(t, ({ headers }, response) => {
    response.setHeader('Vary', 'Accept, Accept-Encoding, Authorization')
    const isXml = headers.accept === 'application/xml'
    response.setHeader('Content-Type', isXml ? 'application/xml' : 'application/json')
    response.end(isXml ? '<a/>' : '{}')
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const ask = async (headers: Record<string, string>): Promise<unknown[]> => {
    const reply = await send(server.url, '/proxy/api/x', { headers })
    return [reply.headers['x-svc-proxy'], reply.text]
  }
  const xml = { Accept: 'application/xml' }
  t.strictSame(await ask({ Accept: 'application/json', Authorization: 'Bearer abc' }), ['record', '{}'])
  t.strictSame(await ask(xml), ['record', '<a/>'])
  t.strictSame(await ask({}), ['record', '{}'])
  t.strictSame(await ask({ Accept: 'application/json', 'Accept-Encoding': 'gzip' }), ['replay', '{}'], 'not the coding')
  t.strictSame(await ask({ ...xml, Authorization: 'Bearer other' }), ['replay', '<a/>'], 'nor what is redacted')
  t.strictSame(await ask({}), ['replay', '{}'])
  const names = await recordingNames(server, 'api')
  const recorded = await Promise.all(
    names.map(async name => parse(await readFile(join(foldersOf(server, 'api'), name), 'utf8')).request.headers.accept),
  )
  t.strictSame(recorded.sort(), ['', 'application/json', 'application/xml'])
  await switchTo(server, 'replay')
  const miss = (await send(server.url, '/proxy/api/x', { headers: { Accept: 'text/csv' } })).json()
  t.match(miss, {
    error: 'no_recording',
    closest: [{ differences: [{ at: 'headers.accept', got: 'text/csv' }] }],
  })
})

t.test('the response to HEAD keeps its length, and no Content-Type is invented [PROXY-28]', async t => {
  const upstream = await startUpstream(t, letters)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  for (const mode of ['record', 'replay']) {
    const reply = await send(server.url, '/proxy/api/letters', { method: 'HEAD' })
    t.strictSame([reply.headers['x-svc-proxy'], reply.headers['content-length']], [mode, '26'])
  }
  for (const mode of ['record', 'replay']) {
    const reply = await send(server.url, '/proxy/api/letters')
    t.strictSame([reply.headers['x-svc-proxy'], reply.headers['content-type']], [mode, undefined])
    t.equal(reply.headers['content-length'], '26')
  }
  await mkdir(foldersOf(server, 'api'), { recursive: true })
  await writeFile(
    join(foldersOf(server, 'api'), 'head.yaml'),
    'version: 1\nrequest: {method: HEAD, path: /by-hand}\nresponses: [{status: 200}]\n',
  )
  const byHand = await send(server.url, '/proxy/api/by-hand', { method: 'HEAD' })
  t.strictSame([byHand.headers['x-svc-proxy'], byHand.headers['content-length']], ['replay', undefined])
})

interface Received {
  status: number
  body: string
  trailers: NodeJS.Dict<string>
  announced: string | undefined
  hints: http.IncomingHttpHeaders[]
}

function sendWhole(url: string, { method = 'GET', body, trailers }: RequestOptions & { trailers?: object } = {}) {
  return new Promise<Received>((resolve, reject) => {
    const hints: http.IncomingHttpHeaders[] = []
    const request = http.request(url, { method, agent: false })
    request.on('information', ({ headers }) => hints.push(headers))
    request.on('response', response => {
      let text = ''
      response.on('data', chunk => (text += chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          body: text,
          trailers: response.trailers,
          announced: response.headers.trailer,
          hints,
        }),
      )
    })
    request.on('error', reject)
    if (body !== undefined) request.write(body)
    if (trailers !== undefined) request.addTrailers(trailers as Record<string, string>)
    request.end()
  })
}

t.test('trailers and early hints are passed on, recorded and replayed [PROXY-29]', async t => {
  const trailers: unknown[] = []
  const upstream = await startUpstream(t, (_request, response, raw) => {
    trailers.push(raw.trailers)
    response.writeEarlyHints({
      link: ['</a.css>; rel=preload; as=style', '</b.js>; rel=preload; as=script'],
      'x-a': '1',
    })
    response.setHeader('Trailer', 'X-Sum')
    response.write('hello')
    response.addTrailers({ 'X-Sum': 'abc', 'X-Session-Token': 'secret-word-12', 'X-Svc-Own': 'no' })
    response.end()
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const expected = {
    status: 200,
    body: 'hello',
    announced: 'X-Sum',
    trailers: { 'x-sum': 'abc', 'x-session-token': 'secret-word-12' },
    hints: [{ link: '</a.css>; rel=preload; as=style, </b.js>; rel=preload; as=script', 'x-a': '1' }],
  }
  const url = `${server.url}/proxy/api/x`
  t.strictSame(await sendWhole(url, { method: 'POST', body: 'x', trailers: { 'X-Mine': '1' } }), expected)
  t.strictSame(trailers, [{ 'x-mine': '1' }])
  const { responses } = await onlyRecording(server, 'api')
  t.match(responses[0], { trailers: { 'x-sum': 'abc', 'x-session-token': 'REDACTED' }, early_hints: [{ 'x-a': '1' }] })
  t.match(await sendWhole(url, { method: 'POST', body: 'x' }), {
    ...expected,
    announced: 'x-sum, x-session-token',
    trailers: { 'x-sum': 'abc', 'x-session-token': 'REDACTED' },
  })
  t.equal(upstream.received.length, 1)
})

const har = (...entries: object[]): string => JSON.stringify({ log: { version: '1.2', entries } })
const entry = (path: string, response: object = {}, request: object = {}) => ({
  request: { method: 'GET', url: `https://real.example.test${path}`, headers: [], ...request },
  response: { status: 200, headers: [], content: { mimeType: 'text/plain', text: 'x' }, ...response },
})

t.test('HAR: forms, media types, repeated headers and redirects [PROXY-26]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'replay' }])
  const params = [
    { name: 'x', value: 'a b' },
    { name: 'y', value: 'ü' },
  ]
  await mkdir(foldersOf(server, 'api'), { recursive: true })
  await writeFile(
    join(foldersOf(server, 'api'), 'session.har'),
    har(
      entry('/form', {}, { method: 'POST', postData: { mimeType: 'application/x-www-form-urlencoded', params } }),
      entry('/type'),
      entry('/unknown', { content: { mimeType: 'x-unknown', text: 'x' } }),
      entry('/cookies', { headers: [{ name: 'set-cookie', value: 'a=1\nb=2' }] }),
      entry('/redirect', {
        status: 302,
        headers: [{ name: 'location', value: 'https://real.example.test/type?a=1' }],
      }),
      entry('/part', { status: 206 }, { headers: [{ name: 'Range', value: 'bytes=0-0' }] }),
    ),
  )
  const form = await send(server.url, '/proxy/api/form', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'y=%C3%BC&x=a+b',
  })
  t.strictSame([form.status, form.text], [200, 'x'])
  t.equal((await send(server.url, '/proxy/api/type')).headers['content-type'], 'text/plain')
  t.equal((await send(server.url, '/proxy/api/unknown')).headers['content-type'], undefined)
  t.strictSame((await send(server.url, '/proxy/api/cookies')).headers['set-cookie'], ['a=1', 'b=2'])
  t.equal((await send(server.url, '/proxy/api/redirect')).headers.location, '/proxy/api/type?a=1')
  t.equal((await send(server.url, '/proxy/api/part')).status, 404)
  t.equal((await send(server.url, '/proxy/api/part', { headers: { Range: 'bytes=0-0' } })).status, 206)
})

t.test('headers that cannot be sent are found when a recording is loaded [PROXY-27]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'replay' }])
  const folder = foldersOf(server, 'api')
  await mkdir(folder, { recursive: true })
  const withHeader = (name: string, value: string) => ({ headers: [{ name, value }] })
  await writeFile(
    join(folder, 'headers.har'),
    har(entry('/good'), entry('/snowman', withHeader('x-u', '☃')), entry('/bad-name', withHeader('bad name', '1'))),
  )
  const byHand = (path: string, response: string): string =>
    `version: 1\nrequest: {method: GET, path: ${path}}\nresponses:\n  - {status: 200}\n  - ${response}\n`
  await writeFile(join(folder, 'line.yaml'), byHand('/line', '{status: 200, headers: {x-a: "a\\nb"}, body: hello}'))
  await writeFile(join(folder, 'trailer.yaml'), byHand('/trailer', '{status: 200, body: a, trailers: {x: "a\\u0000"}}'))
  await writeFile(
    join(folder, 'latin.yaml'),
    byHand('/latin', '{status: 200}').replace('200}', '200, headers: {x-a: "é"}}'),
  )
  t.equal((await send(server.url, '/proxy/api/good')).status, 200)
  for (const path of ['/snowman', '/bad-name', '/line', '/trailer'])
    t.equal((await send(server.url, `/proxy/api${path}`)).status, 404, path)
  t.equal((await send(server.url, '/proxy/api/latin')).headers['x-a'], 'é')
  const problems = server.problems().map(({ file, message }) => `${file}: ${message}`)
  for (const expected of [
    /headers\.har: log\.entries\[1\]\.response\.headers: the value of the header "x-u" has the character U\+2603/,
    /headers\.har: log\.entries\[2\]\.response\.headers: "bad name" is not a valid header name/,
    /line\.yaml: responses\[1\]\.headers: the value of the header "x-a" has a line break/,
    /trailer\.yaml: responses\[1\]\.trailers: the value of the header "x" has the character U\+0000/,
  ])
    t.ok(
      problems.some(problem => expected.test(problem)),
      String(expected),
    )
})
