/** Compressed, encoded and random bodies, links and base64. */
import zlib from 'node:zlib'
import t from 'tap'
import * as fzstd from 'fzstd'
import { checkRefusals } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)

const CODINGS: [path: string, flag: string, token: string, decode: (body: Buffer) => Uint8Array][] = [
  ['/gzip', 'gzipped', 'gzip', zlib.gunzipSync],
  ['/deflate', 'deflated', 'deflate', zlib.inflateSync],
  ['/brotli', 'brotli', 'br', zlib.brotliDecompressSync],
  ['/zstd', 'zstd', 'zstd', fzstd.decompress],
]

t.test('compressed bodies decode to the echo with its flag [CODING-1, CODING-2]', async t => {
  for (const [path, flag, token, decode] of CODINGS) {
    for (const accepted of ['identity', token, 'gzip, deflate, br, zstd', '']) {
      const reply = await send(url, path, {
        headers: { 'Accept-Encoding': accepted, 'X-Two': ['a', 'b'], Accept: 'application/xml' },
      })
      t.match(
        reply,
        {
          status: 200,
          headers: {
            'content-type': 'application/json',
            'content-encoding': token,
            vary: 'Accept-Encoding',
            'content-length': String(reply.body.length),
          },
        },
        `${path} ${accepted}`,
      )
      const record = JSON.parse(Buffer.from(decode(reply.body)).toString()) as { headers: Record<string, string> }
      t.strictSame(Object.keys(record), [flag, 'method', 'headers', 'origin'], `${path}: members`)
      t.match(record, {
        [flag]: true,
        method: 'GET',
        origin: '127.0.0.1',
        headers: { host: url.slice(7), 'x-two': 'a, b', 'accept-encoding': accepted },
      })
    }
    const head = await send(url, path, { method: 'HEAD' })
    t.match(
      head,
      { status: 200, text: '', headers: { 'content-encoding': token, 'content-length': /^[1-9]\d+$/ } },
      `HEAD ${path}`,
    )
    t.equal((await send(url, path, { method: 'POST' })).status, 405)
  }
})

t.test('another server in the process can load Zstandard meanwhile [CODING-1]', async t => {
  const { url: other } = await serve(t)
  for (const base of [other, url, other])
    t.match(Buffer.from(fzstd.decompress((await send(base, '/zstd')).body)).toString(), '"zstd":true')
})

t.test('headers of all names and sizes are echoed in compressed bodies [CODING-1]', async t => {
  const big = 'Grüße '.repeat(5000)
  for (const [path, , , decode] of CODINGS) {
    const reply = await send(url, path, {
      headers: {
        'X-Big': encodeURIComponent(big).slice(0, 40_000),
        __proto__x: '1',
        constructor: '2',
        Cookie: ['a=1', 'b=2'],
      },
    })
    const { headers } = JSON.parse(Buffer.from(decode(reply.body)).toString()) as { headers: Record<string, string> }
    t.equal(headers['x-big']!.length, 40_000, path)
    t.equal(headers.constructor as unknown, '2')
    t.equal(headers.cookie, 'a=1; b=2')
  }
})

t.test('the page of scripts is declared and encoded as UTF-8 [CODING-3]', async t => {
  const { status, headers, body, text } = await send(url, '/encoding/utf8')
  t.equal(status, 200)
  t.equal(headers['content-type'], 'text/html; charset=utf-8')
  t.ok(new TextDecoder('utf-8', { fatal: true }).decode(body))
  t.match(text, /<meta charset="utf-8">/)
  t.match(text, /Grüße/)
  for (const script of [
    'Greek',
    'Cyrillic',
    'Hebrew',
    'Arabic',
    'Devanagari',
    'Han',
    'Hiragana',
    'Katakana',
    'Hangul',
    'Thai',
  ])
    t.match(text, new RegExp(`\\p{Script=${script}}`, 'u'), script)
  t.match(text, /∑/)
  t.match(text, /[\u{1F600}-\u{1F64F}]/u)
})

t.test('a seed always gives the same bytes [BYTES-1]', async t => {
  const hex = async (path: string): Promise<string> => (await send(url, path)).body.toString('hex')
  const sixteen = await hex('/bytes/16?seed=demo')
  t.equal(sixteen, 'c697969bafce982ac8020e19823e6267', 'now and after a restart')
  t.equal(await hex('/bytes/7?seed=demo'), sixteen.slice(0, 14), 'a shorter result is a prefix of a longer one')
  t.ok((await hex('/bytes/5000?seed=demo')).startsWith(sixteen))
  t.equal(await hex('/stream-bytes/16?seed=demo&chunk_size=3'), sixteen)
  t.equal(await hex('/bytes/16?seed=demo&seed=other'), sixteen, 'the first seed is used')
  t.not(await hex('/bytes/16?seed=Demo'), sixteen)
  t.not(await hex('/bytes/16?seed='), await hex('/bytes/16?seed='), 'an empty seed is ignored')
  t.not(await hex('/bytes/16'), await hex('/bytes/16'))
  for (const seed of ['0', '__proto__', '%F0%9F%98%80', 'x'.repeat(256), encodeURIComponent('😀'.repeat(256))]) {
    t.equal(await hex(`/bytes/16?seed=${seed}`), await hex(`/bytes/16?seed=${seed}`), seed.slice(0, 30))
  }
})

t.test('sends the requested number of bytes, up to the maximum [BYTES-3]', async t => {
  for (const [count, length, capped] of [
    ['0', 0, undefined],
    ['1', 1, undefined],
    ['0010', 10, undefined],
    ['102400', 102_400, undefined],
    ['102401', 102_400, '102400'],
    ['99999999999999999999', 102_400, '102400'],
    ['9'.repeat(400), 102_400, '102400'],
  ] as const) {
    const fixed = await send(url, `/bytes/${count}`)
    t.equal(fixed.body.length, length, count.slice(0, 30))
    t.match(fixed, {
      status: 200,
      headers: { 'content-length': String(length), 'content-type': 'application/octet-stream', 'x-svc-capped': capped },
    })
    const streamed = await send(url, `/stream-bytes/${count}`)
    t.equal(streamed.body.length, length)
    t.match(streamed, {
      status: 200,
      headers: { 'content-length': undefined, 'content-type': 'application/octet-stream', 'x-svc-capped': capped },
    })
  }
  t.match(await send(url, '/bytes/16', { method: 'HEAD' }), {
    status: 200,
    text: '',
    headers: { 'content-length': '16' },
  })
})

t.test('rejects invalid counts, seeds and chunk sizes [INPUT-3]', async t => {
  await checkRefusals(
    t,
    url,
    [
      ...['/bytes', '/stream-bytes', '/stream', '/links'].flatMap(route =>
        ['-1', '1.0', '+5', 'abc', '', '1e3', '0x10', '%20'].map(count => ({
          path: `${route}/${count}`,
          error: 'invalid_count',
        })),
      ),
      ...['/links/5/-1', '/links/5/x', '/links/x/5', '/links/5/1.5', '/links/5/'].map(path => ({
        path,
        error: 'invalid_count',
      })),
      ...['/bytes/5', '/stream-bytes/5'].map(path => ({
        path: `${path}?seed=${'x'.repeat(257)}`,
        error: 'invalid_parameter',
        parameter: 'seed',
      })),
      ...['', '-1', '1.5', 'abc', '+5', '1e3'].map(size => ({
        path: `/stream-bytes/5?chunk_size=${size}`,
        error: 'invalid_parameter',
        parameter: 'chunk_size',
      })),
      { path: '/stream-bytes/999999?chunk_size=x', error: 'invalid_parameter', parameter: 'chunk_size' },
    ],
    { negotiated: false },
  )
  t.equal(
    (await send(url, '/stream-bytes/999999?chunk_size=x')).headers['x-svc-capped'],
    undefined,
    'a refusal is not capped',
  )
})

t.test('pages link to one another [LINKS-1]', async t => {
  const first = await send(url, '/links/3')
  t.match(first, { status: 302, headers: { location: '/links/3/0', 'x-svc-capped': undefined } })
  t.match(await send(url, '/links/201'), { status: 302, headers: { location: '/links/200/0', 'x-svc-capped': '200' } })
  t.match(await send(url, '/links/007'), { status: 302, headers: { location: '/links/7/0' } })

  const page = await send(url, '/links/3/1')
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  t.match(page.text, "<a href='/links/3/0'>0</a> 1 <a href='/links/3/2'>2</a> ")
  const linksOn = (text: string): number => text.match(/<a href='\/links\/\d+\/\d+'>\d+<\/a> /g)?.length ?? 0
  for (const [path, links, capped] of [
    ['/links/10/0', 9, undefined],
    ['/links/10/10', 10, undefined],
    ['/links/10/99999999999999999999', 10, undefined],
    ['/links/0/0', 0, undefined],
    ['/links/200/5', 199, undefined],
    ['/links/500/5', 199, '200'],
  ] as const) {
    const reply = await send(url, path)
    t.equal(linksOn(reply.text), links, path)
    t.equal(reply.headers['x-svc-capped'], capped)
  }
})

t.test('decodes base64 in both alphabets [BASE64-1]', async t => {
  const rows: [value: string, hex: string, type: 'text' | 'bytes'][] = [
    ['SFRUUEJJTiBpcyBhd2Vzb21l', Buffer.from('HTTPBIN is awesome').toString('hex'), 'text'],
    ['R3LDvMOfZQ', Buffer.from('Grüße').toString('hex'), 'text'],
    ['R3LDvMOfZQ==', Buffer.from('Grüße').toString('hex'), 'text'],
    ['R3LDvMOfZQ%3D%3D', Buffer.from('Grüße').toString('hex'), 'text'],
    ['QQ', '41', 'text'],
    ['QUI=', '4142', 'text'],
    ['QUJD', '414243', 'text'],
    ['-_-_', 'fbffbf', 'bytes'],
    ['%2B%2F%2B%2F', 'fbffbf', 'bytes'],
    ['+%2f+%2f', 'fbffbf', 'bytes'],
    ['gA', '80', 'bytes'],
    ['AAE', '0001', 'text'],
    ['PHNjcmlwdD4', Buffer.from('<script>').toString('hex'), 'text'],
    ['', '', 'text'],
    ['QUJD'.repeat(4000), '414243'.repeat(4000), 'text'],
  ]
  for (const [value, hex, type] of rows) {
    const reply = await send(url, `/base64/${value}`)
    t.equal(reply.status, 200, value.slice(0, 40))
    t.equal(reply.body.toString('hex'), hex)
    t.match(reply.headers, {
      'content-type': type === 'text' ? 'text/plain; charset=utf-8' : 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    })
  }
})

t.test('anything else is incorrect base64 data [BASE64-2]', async t => {
  for (const value of [
    'A',
    'QUJDR',
    'QQ=',
    'Q===',
    '====',
    '=',
    'QUJD=',
    'QUJD====',
    '=QQ=',
    'QQ==QQ==',
    'Q%20Q',
    'QQ%0A',
    'Q!',
    '-%2F',
    '%2B_',
    '%C3%A9',
    `${'='.repeat(10_000)}`,
    `${'A'.repeat(15_000)}!`,
    '.',
    'QUI%3d%3D',
  ]) {
    const reply = await send(url, `/base64/${value}`)
    t.equal(reply.status, 400, value.slice(0, 40))
    t.same(reply.json(), { error: 'incorrect base64 data', example: '/base64/SFRUUEJJTiBpcyBhd2Vzb21l' })
    t.equal(reply.headers['x-content-type-options'], 'nosniff')
  }
})

t.test('public instances send less [TOOL-7]', async t => {
  const { url } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  for (const [path, bytes, capped] of [
    ['/bytes/10240', 10_240, undefined],
    ['/bytes/10241', 10_240, '10240'],
    ['/stream-bytes/99999', 10_240, '10240'],
  ] as const) {
    const reply = await send(url, path)
    t.equal(reply.body.length, bytes, path)
    t.equal(reply.headers['x-svc-capped'], capped)
  }
  const lines = await send(url, '/stream/21')
  t.equal(lines.text.trim().split('\n').length, 20)
  t.equal(lines.headers['x-svc-capped'], '20')
  t.equal((await send(url, '/drip?numbytes=1024&duration=0')).body.length, 1024)
  await checkRefusals(
    t,
    url,
    [
      { path: '/drip?numbytes=1025', error: 'invalid_parameter', parameter: 'numbytes' },
      { path: '/drip?duration=10.1', error: 'invalid_parameter', parameter: 'duration' },
      { path: '/drip?delay=10.1', error: 'invalid_parameter', parameter: 'delay' },
    ],
    { negotiated: false },
  )
})
