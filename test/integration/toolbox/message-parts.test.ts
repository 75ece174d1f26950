/** Message parts around the body: early hints, digests, trailer fields, timings. */
import { createHash } from 'node:crypto'
import http from 'node:http'
import http2 from 'node:http2'
import t from 'tap'
import { checkRefusals } from '../../support/refusals.ts'
import { exchange } from '../../support/raw-client.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t, { env: { SVC_GRPC_ON_HTTP: 'true' } })

t.test('a body has its digest, or an incorrect one [TRANSFER-1]', async t => {
  for (const [algorithm, hash] of [
    ['sha-256', 'sha256'],
    ['sha-512', 'sha512'],
    ['SHA-256', 'sha256'],
  ] as const) {
    const right = await send(url, `/digest/${algorithm}`)
    const digest = (body: Buffer): string =>
      `${algorithm.toLowerCase()}=:${createHash(hash).update(body).digest('base64')}:`
    t.match(
      right,
      { status: 200, headers: { 'content-digest': digest(right.body), 'repr-digest': digest(right.body) } },
      algorithm,
    )
    t.same(right.json(), { algorithm: algorithm.toLowerCase(), valid: true })
    for (const flag of ['wrong', 'wrong=1', 'wrong=true']) {
      const wrong = await send(url, `/digest/${algorithm}?${flag}`)
      t.not(wrong.headers['content-digest'], digest(wrong.body), flag)
      t.equal(wrong.json().valid, false)
    }
  }
  await checkRefusals(
    t,
    url,
    ['md5', 'sha-1', '', 'sha256', '__proto__', 'constructor'].map(name => ({
      path: `/digest/${name}`,
      error: 'unsupported_algorithm',
    })),
    { negotiated: false },
  )
})

/** A response with its trailers. */
function withTrailers(
  path: string,
): Promise<{ announced: string | undefined; trailers: NodeJS.Dict<string>; text: string }> {
  return new Promise((resolve, reject) => {
    http
      .get(url + path, { agent: false }, response => {
        let text = ''
        response
          .setEncoding('utf8')
          .on('data', data => {
            text += data
          })
          .on('end', () => resolve({ announced: response.headers.trailer, trailers: response.trailers, text }))
      })
      .on('error', reject)
  })
}

t.test('trailer fields follow the body as announced [TRANSFER-2]', async t => {
  const reply = await withTrailers('/trailers?X-Checksum=abc&X-Note=a%20b&x-note=c')
  t.equal(reply.announced, 'x-checksum, x-note')
  t.same(reply.trailers, { 'x-checksum': 'abc', 'x-note': 'a b' })
  t.equal(reply.text, '{"trailers":{"x-checksum":"abc","x-note":"a b"}}')
  t.match(await withTrailers('/trailers'), { announced: undefined, trailers: {}, text: '{"trailers":{}}' })
  t.match(await send(url, '/trailers?X-Checksum=abc', { method: 'HEAD' }), {
    status: 200,
    text: '',
    headers: { trailer: undefined },
  })

  const session = http2.connect(url)
  const stream = session.request({ ':path': '/trailers?X-Checksum=abc' })
  const trailers = await new Promise<http2.IncomingHttpHeaders>((resolve, reject) =>
    stream.on('trailers', resolve).on('error', reject).resume(),
  )
  t.match(trailers, { 'x-checksum': 'abc' }, 'over HTTP/2 too')
  session.close()

  await checkRefusals(
    t,
    url,
    [
      ...[
        '=x',
        'a%20b=1',
        'Content-Length=1',
        'set-cookie=a',
        'TRANSFER-ENCODING=x',
        'Trailer=x',
        'a=%0d%0ab',
        'a=%C3%A9',
        'a=1&Content-Type=x',
      ].map(query => ({ path: `/trailers?${query}`, error: 'invalid_trailer' })),
      {
        path: `/trailers?${Array.from({ length: 21 }, (_, index) => `t${index}=x`).join('&')}`,
        error: 'too_many_trailers',
      },
    ],
    { negotiated: false },
  )
})

/** Statuses and links of the hints and of the response. */
function withHints(path: string): Promise<{ hints: [number, unknown][]; status: number; link: unknown }> {
  return new Promise((resolve, reject) => {
    const hints: [number, unknown][] = []
    const request = http.get(url + path, { agent: false })
    request.on('information', info => hints.push([info.statusCode, info.headers.link])).on('error', reject)
    request.on('response', response => {
      response.resume().on('end', () => resolve({ hints, status: response.statusCode!, link: response.headers.link }))
    })
  })
}

t.test('early hints are sent before the response [TRANSFER-3]', async t => {
  const image = '</image/svg>; rel=preload; as=image'
  t.same(await withHints('/early-hints'), { hints: [[103, image]], status: 200, link: image })
  const two = '</a.css?v=1>; rel=preload; as=image, </b.js>; rel=preload; as=script'
  t.same(await withHints('/early-hints?preload=/a.css?v=1&preload=/b.js&delay=0.01'), {
    hints: [[103, two]],
    status: 200,
    link: two,
  })
  await checkRefusals(
    t,
    url,
    [
      ...['', 'a.css', '/a b', '/%3Ca', '/a%3E', '/%0d%0aX: y', '/%C3%A9', `/${'x'.repeat(1001)}`].map(path => ({
        path: `/early-hints?preload=${path.replaceAll(' ', '%20')}`,
        error: 'invalid_parameter',
        parameter: 'preload',
      })),
      {
        path: `/early-hints?${Array(21).fill('preload=/a').join('&')}`,
        error: 'invalid_parameter',
        parameter: 'preload',
      },
      ...['-1', '31', 'x'].map(delay => ({
        path: `/early-hints?delay=${delay}`,
        error: 'invalid_parameter',
        parameter: 'delay',
      })),
    ],
    { negotiated: false },
  )
})

t.test('interim responses come in the order of the request [TRANSFER-5]', async t => {
  const { text } = await exchange(
    Number(new URL(url).port),
    'GET /early-hints?interim=102,104,103 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  )
  t.match(
    text,
    /^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 104 Upload Resumption Supported\r\n\r\nHTTP\/1\.1 103 Early Hints\r\nLink: [^\r]+\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
  )
  const { text: old } = await exchange(Number(new URL(url).port), 'GET /early-hints HTTP/1.0\r\nHost: a\r\n\r\n')
  t.match(old, /^HTTP\/1\.1 200 OK\r\n/)
  await checkRefusals(
    t,
    url,
    ['', '101', '105', '103,', '103, 102', '103,103,103,103,103,103', 'x'].map(interim => ({
      path: `/early-hints?interim=${encodeURIComponent(interim)}`,
      error: 'invalid_parameter',
      parameter: 'interim',
    })),
    { negotiated: false },
  )
})

t.test('Node accepts every path that is allowed in hints [TRANSFER-3]', async t => {
  for (let code = 0x21; code < 0x7f; code++) {
    const character = encodeURIComponent(String.fromCharCode(code))
    const { status } = await send(url, `/early-hints?preload=/${character}`)
    if (status !== (['%3C', '%3E'].includes(character) ? 400 : 200)) t.fail(`${character} gave ${status}`)
  }
  t.pass('all of them')
})

t.test('the injected time is reported [TRANSFER-4]', async t => {
  t.equal((await send(url, '/delay/5ms')).headers['server-timing'], 'delay;dur=5')
  t.equal((await send(url, '/drip?duration=0.01&delay=0.005')).headers['server-timing'], 'delay;dur=5, drip;dur=10')
})
