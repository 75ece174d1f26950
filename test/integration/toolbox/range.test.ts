/** `/range`: byte ranges. */
import t from 'tap'
import { checkRefusals } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.repeat(2).slice(0, 50)

t.test('serves the requested range [RANGE-1]', async t => {
  const part = (first: number, last: number): [number, string, string] => [
    206,
    `bytes ${first}-${last}/50`,
    LETTERS.slice(first, last + 1),
  ]
  const whole: [number, undefined, string] = [200, undefined, LETTERS]
  const none: [number, string, string] = [416, 'bytes */50', '']
  const rows: [range: string | string[], expected: [number, string | undefined, string]][] = [
    ['bytes=5-9', part(5, 9)],
    ['BYTES=5-9', part(5, 9)],
    ['bytes=0-0', part(0, 0)],
    ['bytes=49-49', part(49, 49)],
    ['bytes=005-009', part(5, 9)],
    [' bytes=5-9 ', part(5, 9)],
    ['bytes=40-', part(40, 49)],
    ['bytes=40-900', part(40, 49)],
    ['bytes=-10', part(40, 49)],
    ['bytes=0-', part(0, 49)],
    ['bytes=-900', part(0, 49)],
    ['bytes=0-99999999999999999999', part(0, 49)],
    ['bytes=-99999999999999999999', part(0, 49)],
    ...[
      'bytes=50-',
      'bytes=-0',
      'bytes=9-5',
      'bytes=',
      'bytes=x-y',
      'bytes=5',
      'bytes=-',
      'bytes=--5',
      'bytes=5-9-',
      'bytes=99999999999999999999-',
      'bytes=+5-9',
      'bytes=5- 9',
      'bytes=0x1-2',
    ].map((range): [string, typeof none] => [range, none]),
    ...['bytes=0-1,4-5', 'bytes=0-1,', 'items=0-1', 'bytes', 'bytes 0-1', '', '=0-1', 'none=', '__proto__=0-1'].map(
      (range): [string, typeof whole] => [range, whole],
    ),
    [['bytes=0-1', 'bytes=4-5'], whole],
  ]
  for (const [range, [status, contentRange, body]] of rows) {
    const reply = await send(url, '/range/50', { headers: { Range: range } })
    t.equal(reply.status, status, `${range}`)
    t.equal(reply.text, body, `${range}: body`)
    t.match(
      reply.headers,
      {
        'content-range': contentRange,
        'accept-ranges': 'bytes',
        etag: '"range50"',
        'content-length': String(body.length),
      },
      `${range}: headers`,
    )
    t.equal(reply.headers['content-type'], status === 416 ? undefined : 'application/octet-stream', `${range}: type`)
  }
})

t.test('serves the whole body without Range, for every size up to the maximum', async t => {
  for (const size of [1, 26, 27, 102_400]) {
    const { status, text } = await send(url, `/range/${size}`)
    t.equal(status, 200)
    t.ok(
      text.length === size && [...text].every((letter, index) => letter.charCodeAt(0) === 97 + (index % 26)),
      `${size} letters in turn`,
    )
  }
})

t.test('If-Range, If-None-Match and HEAD take precedence over Range [RANGE-2]', async t => {
  const range = { Range: 'bytes=5-9' }
  const rows: [method: string, headers: Record<string, string>, status: number, length: string | undefined][] = [
    ['GET', { ...range, 'If-Range': '"range50"' }, 206, '5'],
    ['GET', { ...range, 'If-Range': 'W/"range50"' }, 200, '50'],
    ['GET', { ...range, 'If-Range': '"range51"' }, 200, '50'],
    ['GET', { ...range, 'If-Range': 'range50' }, 200, '50'],
    ['GET', { ...range, 'If-Range': '"a", "range50"' }, 200, '50'],
    ['GET', { ...range, 'If-Range': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 200, '50'],
    ['GET', { Range: 'bytes=50-', 'If-Range': '"other"' }, 200, '50'],
    ['GET', { ...range, 'If-None-Match': '"range50"' }, 304, undefined],
    ['GET', { Range: 'bytes=50-', 'If-None-Match': 'W/"range50"' }, 304, undefined],
    ['GET', { ...range, 'If-None-Match': '"other"' }, 206, '5'],
    ['HEAD', range, 200, '50'],
    ['HEAD', { Range: 'bytes=50-' }, 200, '50'],
    ['HEAD', { 'If-None-Match': '*' }, 304, undefined],
  ]
  for (const [method, headers, status, length] of rows) {
    const reply = await send(url, '/range/50', { method, headers })
    t.equal(reply.status, status, `${method} ${JSON.stringify(headers)}`)
    t.equal(reply.headers['content-length'], length, 'length')
    t.equal(reply.headers.etag, '"range50"')
  }
})

t.test('rejects sizes out of range', async t => {
  await checkRefusals(
    t,
    url,
    ['0', '102401', '-1', 'abc', '', '1.5', '99999999999999999999', '1e2'].map(size => ({
      path: `/range/${size}`,
      error: 'invalid_count',
    })),
    { negotiated: false },
  )
})

t.test('public instances serve less [TOOL-7]', async t => {
  const { url } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  t.equal((await send(url, '/range/10240')).body.length, 10_240)
  await checkRefusals(t, url, [{ path: '/range/10241', error: 'invalid_count' }], { negotiated: false })
})

t.test('a download can be resumed wherever it was interrupted [RANGE-3]', async t => {
  const whole = (await send(url, '/range/1000')).body
  for (const broken of [1, 26, 500, 999]) {
    const rest = await send(url, '/range/1000', { headers: { Range: `bytes=${broken}-`, 'If-Range': '"range1000"' } })
    t.equal(rest.status, 206)
    t.ok(Buffer.concat([whole.subarray(0, broken), rest.body]).equals(whole), `after ${broken} bytes`)
  }
})
