/** `/cache`: a constant response and conditional requests. */
import t from 'tap'
import { isNotModified } from '../../../core/fields/conditional.ts'
import { parseHttpDate } from '../../../core/fields/http-date.ts'
import { checkRefusals, readXml } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)

t.test('the response stays the same, with one tag per ttl and media type [CACHE-1]', async t => {
  const first = await send(url, '/cache/60')
  t.equal(first.status, 200)
  t.match(first.headers, {
    'cache-control': 'public, max-age=60',
    etag: /^"[\w-]+"$/,
    'last-modified': /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/,
    vary: 'Accept',
  })
  const body = first.json<{ generated_at: string; etag: string }>()
  t.strictSame(Object.keys(body), ['cached', 'ttl', 'generated_at', 'etag'])
  t.match(body, { cached: true, ttl: 60, generated_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ })
  t.equal(`"${body.etag}"`, first.headers.etag)
  t.equal(Math.floor(Date.parse(body.generated_at) / 1000), Date.parse(first.headers['last-modified']!) / 1000)

  const tags = new Set<string>()
  for (const [path, accept] of [
    ['/cache/60', '*/*'],
    ['/cache/61', '*/*'],
    ['/cache/0', '*/*'],
    ['/cache/60', 'application/xml'],
    ['/cache/60', 'text/xml'],
  ] as const) {
    const [once, again] = [
      await send(url, path, { headers: { Accept: accept } }),
      await send(url, path, { headers: { Accept: accept } }),
    ]
    t.equal(once.text, again.text, `${path} ${accept} again`)
    t.equal(once.headers.etag, again.headers.etag)
    tags.add(once.headers.etag!)
  }
  t.equal(tags.size, 5, 'all tags differ')
  t.match(readXml((await send(url, '/cache/60', { headers: { Accept: 'text/xml' } })).text), { cached: true, ttl: 60 })
  for (const [text, seconds] of [
    ['4294967295', 4_294_967_295],
    ['0060', 60],
  ] as const)
    t.equal((await send(url, `/cache/${text}`)).headers['cache-control'], `public, max-age=${seconds}`)
  t.match(await send(url, '/cache/60', { method: 'HEAD' }), {
    status: 200,
    text: '',
    headers: { etag: first.headers.etag, 'content-length': String(first.body.length) },
  })
})

t.test('rejects an invalid ttl', async t => {
  await checkRefusals(
    t,
    url,
    ['4294967296', '-1', '1.5', 'abc', '', '1e3', '99999999999999999999', '%2B5'].map(ttl => ({
      path: `/cache/${ttl}`,
      error: 'invalid_ttl',
    })),
    { negotiated: true },
  )
})

t.test('returns 304 to a client that has the response [CACHE-2, CACHE-4, TOOL-1]', async t => {
  const {
    headers: { etag, 'last-modified': modified },
  } = await send(url, '/cache/60')
  const other = (await send(url, '/cache/61')).headers.etag!
  const at = Date.parse(modified!)
  const dateAt = (seconds: number): string => new Date(at + seconds * 1000).toUTCString()
  const rows: [headers: Record<string, string | string[]>, status: number][] = [
    [{ 'If-None-Match': etag! }, 304],
    [{ 'If-None-Match': `W/${etag}` }, 304],
    [{ 'If-None-Match': '*' }, 304],
    [{ 'If-None-Match': ` * ` }, 304],
    [{ 'If-None-Match': `"a", W/"b,c" , ${etag}` }, 304],
    [{ 'If-None-Match': ['"a"', etag!] }, 304],
    [{ 'If-None-Match': other }, 200],
    [{ 'If-None-Match': '"*"' }, 200],
    [{ 'If-None-Match': etag!.slice(1, -1) }, 200],
    [{ 'If-None-Match': '' }, 200],
    [{ 'If-None-Match': '"' }, 200],
    [{ 'If-Modified-Since': modified! }, 304],
    [{ 'If-Modified-Since': dateAt(1) }, 304],
    [{ 'If-Modified-Since': dateAt(1e8) }, 304],
    [{ 'If-Modified-Since': dateAt(-1) }, 200],
    [{ 'If-Modified-Since': 'yesterday' }, 200],
    [{ 'If-Modified-Since': '' }, 200],
    [{ 'If-None-Match': other, 'If-Modified-Since': dateAt(1000) }, 200],
    [{ 'If-None-Match': etag!, 'If-Modified-Since': dateAt(-1000) }, 304],
    [{ 'If-None-Match': etag!, Accept: 'application/xml' }, 200],
  ]
  for (const [headers, status] of rows) {
    for (const method of ['GET', 'HEAD']) {
      const reply = await send(url, '/cache/60', { method, headers })
      t.equal(reply.status, status, `${method} ${JSON.stringify(headers)}`)
      if (status === 304)
        t.match(reply, {
          text: '',
          headers: {
            etag,
            'cache-control': 'public, max-age=60',
            'last-modified': modified,
            vary: 'Accept',
            'content-type': undefined,
          },
        })
    }
  }
})

t.test('accepts dates in three formats [CACHE-3]', async t => {
  const at = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000
  const now = Date.UTC(2026, 10, 21)
  const rows: [text: string, seconds: number | null][] = [
    ['Sun, 06 Nov 1994 08:49:37 GMT', at],
    ['Sunday, 06-Nov-94 08:49:37 GMT', at],
    ['Sun Nov  6 08:49:37 1994', at],
    ['Sun Nov 16 08:49:37 1994', at + 10 * 86_400],
    [' Sun, 06 Nov 1994 08:49:37 GMT ', at],
    ['Friday, 01-Jan-76 00:00:00 GMT', Date.UTC(2076, 0, 1) / 1000],
    ['Friday, 01-Jan-77 00:00:00 GMT', Date.UTC(1977, 0, 1) / 1000],
    ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29) / 1000],
    ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2016, 11, 31, 23, 59, 59) / 1000],
    ['Sun, 06 Nov 1994 08:49:37 CET', null],
    ['Sun, 6 Nov 1994 08:49:37 GMT', null],
    ['Sun, 31 Feb 1994 08:49:37 GMT', null],
    ['Sun, 00 Nov 1994 08:49:37 GMT', null],
    ['Sun, 06 Nov 1994 24:00:00 GMT', null],
    ['Sun, 06 Nov 1994 08:60:00 GMT', null],
    ['1994-11-06T08:49:37Z', null],
    ['784111777', null],
    ['', null],
    [`${' '.repeat(50_000)}x`, null],
  ]
  for (const [text, seconds] of rows) t.equal(parseHttpDate(text, now), seconds, text.trim().slice(0, 60))
})

t.test('compares dates in whole seconds, and ignores them if a tag is present [CACHE-2, CACHE-3]', async t => {
  const validators = { etag: '"a"', lastModified: Date.UTC(1994, 10, 6, 8, 49, 37) / 1000 }
  t.equal(isNotModified({ ifModifiedSince: 'Sun, 06 Nov 1994 08:49:37 GMT' }, validators), true)
  t.equal(isNotModified({ ifModifiedSince: 'Sun, 06 Nov 1994 08:49:36 GMT' }, validators), false)
  t.equal(isNotModified({ ifNoneMatch: '"b"', ifModifiedSince: 'Sun, 06 Nov 1994 08:49:37 GMT' }, validators), false)
  t.equal(isNotModified({ ifNoneMatch: 'W/"b", W/"a"' }, validators), true)
  t.equal(isNotModified({ ifModifiedSince: 'Sun, 06 Nov 1994 08:49:37 GMT' }, { etag: '"a"' }), false)
  t.equal(isNotModified({}, validators), false)
})

t.test('other methods are not allowed [TOOL-5]', async t => {
  for (const path of ['/cache/60', '/range/50'])
    t.match(await send(url, path, { method: 'POST' }), { status: 405, headers: { allow: 'GET, HEAD' } })
})
