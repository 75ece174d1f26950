/**
 * Requests that httpbin and go-httpbin answer, for comparison with svc. What differs on purpose is marked with the reason;
 * `docs/httpbin.md` lists the same.
 */
import type { Original } from '../../plugins/httpbin/operation.ts'

/** What is not compared, and why. */
interface Difference {
  /** `status`, `body`, or header names in lower case. */
  fields: readonly string[]
  why: string
}

export interface Case {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
  differs?: Partial<Record<Original | 'both', Difference>>
}

const text = (why: string): Pick<Case, 'differs'> => ({ differs: { both: { fields: ['body'], why } } })
const ownText = text('pages have their own text')
const page = { fields: ['body'], why: 'pages have their own text' }
const crash = {
  fields: ['status', 'body', 'content-type', 'location'],
  why: 'httpbin fails with a 500, svc answers 400',
}
const reason = { fields: ['body'], why: 'texts that come from the libraries of Go' }
const jest = { fields: ['body'], why: 'the text of the originals is not for screens in public' }
const typeless = { fields: ['body', 'content-type'], why: 'httpbin names no type, and svc has its own drawing' }
const sandboxed = {
  fields: ['content-security-policy', 'x-content-type-options'],
  why: 'the console has the same origin',
}
const uncached = { fields: ['cache-control'], why: 'event streams of svc are never cached' }
const fewer = { fields: ['body'], why: 'svc has at most 1000 events' }
const oneType = { fields: ['content-type'], why: 'the originals send the field twice' }
const quoted = {
  differs: {
    'go-httpbin': { fields: ['www-authenticate'], why: 'svc quotes nonce, opaque and qop, as RFC 7616, 3.3 requires' },
  },
}
const only404 = { differs: { httpbin: page } }

const get = (path: string, more: Omit<Case, 'path'> = {}): Case => ({ path, ...more })
const send = (
  method: string,
  path: string,
  type: string | null,
  body: string | Buffer,
  more: Partial<Case> = {},
): Case => ({
  method,
  path,
  body,
  ...more,
  headers: { ...(type === null ? {} : { 'Content-Type': type }), ...more.headers },
})

const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data; boundary=XX'
const upload = [
  '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n',
  '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n2\r\n',
  '--XX\r\nContent-Disposition: form-data; name="f"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n',
  '--XX--\r\n',
].join('')
const basic = (pair: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
})

const reflection: Case[] = [
  get('/get'),
  get('/get?a=1&a=2&b=%20%26%2B&x=%C3%A9+y'),
  get('/get?x=%FF'),
  get('/get?=b&c&&d='),
  get('/get', { headers: { 'x-abc-DEF': '1', 'X-1a': 'b', Cookie: 'a=1; b=2' } }),
  get('/get', { headers: { Via: '1.1 proxy', 'X-Request-Id': 'r-1' } }),
  get('/get?show_env=1', { headers: { Via: '1.1 proxy' } }),
  get('/anything/a%20b/%C3%A9?q=1'),
  get('/anything?a=%2F%3F%22'),
  send('PUT', '/anything/x', 'text/plain', 'hi'),
  send('POST', '/post', form, 'a=1&a=2&b=x+y%26'),
  send('POST', '/post', multipart, upload),
  send('POST', '/post', 'application/json', '{"b":1.0,"a":[1e5,"é",null,true],"10":1,"2":{"z":1,"y":-0.5e-7}}'),
  send('POST', '/post', 'application/json', '{bad', { differs: { 'go-httpbin': reason } }),
  send('POST', '/post', 'text/plain', 'hi <b>&'),
  send('POST', '/post', 'text/html', '<p>'),
  send('POST', '/post', 'application/foo', Buffer.from([0xff, 0xfe])),
  send('POST', '/post', 'application/foo', 'text'),
  send('POST', '/post', null, 'abc'),
  send('POST', '/post', null, ''),
  send('PUT', '/put', form, 'a=1'),
  send('PATCH', '/patch', 'application/json', '[1,2]'),
  send('DELETE', '/delete', form, 'a=1'),
  { method: 'POST', path: '/get', differs: { both: { fields: ['body', 'allow'], why: 'svc also answers OPTIONS' } } },
  { method: 'HEAD', path: '/get' },
  { method: 'HEAD', path: '/head', ...only404 },
  get('/headers'),
  get('/ip'),
  get('/ip?format=text'),
  get('/user-agent', { headers: { 'User-Agent': 'probe/1' } }),
  send('POST', '/upload', 'text/plain', 'abc', only404),
  send('POST', '/dump/request', 'text/plain', 'abc', { headers: { zed: '1' }, ...only404 }),
  { method: 'OPTIONS', path: '/get', differs: { both: { fields: ['allow'], why: 'another order' } } },
  get('/nope', ownText),
]

const credentials: Case[] = [
  get('/basic-auth/u/p'),
  get('/basic-auth/u/p', { headers: basic('u:p') }),
  get('/basic-auth/u/p', { headers: basic('u:x') }),
  get('/hidden-basic-auth/u/p'),
  get('/hidden-basic-auth/u/p', { headers: basic('u:p') }),
  get('/bearer'),
  get('/bearer', { headers: { Authorization: 'Bearer abc' } }),
  get('/bearer', { headers: { Authorization: 'Bearer a b' } }),
  get('/bearer', { headers: { Authorization: 'bearer abc' } }),
  get('/digest-auth/auth/u/p', quoted),
  get('/digest-auth/auth-int/u/p'),
  get('/digest-auth/foo/u/p/x'),
  get('/digest-auth/auth/u/p/SHA-256', quoted),
  get('/digest-auth/auth/u/p/SHA-512'),
  get('/digest-auth/auth/u/p/MD5/2', { differs: { 'go-httpbin': page } }),
  get('/digest-auth/auth/u/p?require-cookie=1', {
    headers: { Authorization: 'Digest nonce="x"', Cookie: 'a=1' },
    ...quoted,
  }),
]

const cookiesAndRedirects: Case[] = [
  get('/cookies', { headers: { Cookie: 'a=1; a=2; b="q"; c=x%20y' } }),
  get('/cookies/set?a=1&b=x%20y&c=%22', ownText),
  get('/cookies/set/a/1', { differs: { both: page } }),
  get('/cookies/delete?a', ownText),
  get('/cookies/set?a=1&attr[Path]=/x&attr[SameSite]=lax&attr[HttpOnly]=0', {
    differs: {
      both: { fields: ['body', 'set-cookie'], why: 'svc rejects cookie names that are not tokens' },
      httpbin: crash,
    },
  }),
  get('/redirect/3', ownText),
  get('/redirect/1', ownText),
  get('/redirect/2?absolute=true', ownText),
  get('/relative-redirect/2'),
  get('/relative-redirect/1'),
  get('/absolute-redirect/2', ownText),
  get('/absolute-redirect/1', ownText),
  get('/redirect/x', { differs: { httpbin: page } }),
  get('/redirect/0', { differs: { httpbin: crash } }),
  get('/redirect-to?url=/x&status_code=307'),
  get('/redirect-to?url=http%3A%2F%2Fexample.test%2F'),
  get('/redirect-to?url=/x&status_code=200'),
  get('/redirect-to', { differs: { httpbin: crash } }),
  get('/redirect-to?url=x', { differs: { 'go-httpbin': page } }),
  ...[200, 301, 302, 303, 305, 307, 400, 401, 404, 406, 407, 429, 500, 503].map(code => get(`/status/${code}`)),
  get('/status/204', { differs: { both: { fields: ['content-type'], why: 'there is no content' } } }),
  get('/status/304'),
  get('/status/402', { differs: { both: jest, httpbin: typeless } }),
  get('/status/418', { differs: { httpbin: typeless } }),
  get('/status/300', { differs: { 'go-httpbin': page } }),
  get('/status/308', { differs: { 'go-httpbin': page } }),
  get('/status/600'),
  get('/status/abc'),
  get('/status/200:x,300'),
  get('/status/x,300'),
  get('/status/503:1,503:2'),
  { method: 'POST', path: '/status/201' },
]

const contents: Case[] = [
  ...['/html', '/xml', '/deny', '/forms/post', '/encoding/utf8'].map(path => get(path, ownText)),
  get('/json'),
  get('/robots.txt'),
  get('/gzip', { headers: { 'Accept-Encoding': 'gzip' } }),
  get('/deflate', { headers: { 'Accept-Encoding': 'deflate' } }),
  get('/brotli', { headers: { 'Accept-Encoding': 'br' } }),
  get('/etag/abc'),
  get('/etag/abc', { headers: { 'If-None-Match': '"abc"' } }),
  get('/etag/abc', { headers: { 'If-None-Match': 'W/"abc", "d"' } }),
  get('/etag/abc', { headers: { 'If-None-Match': '*' } }),
  get('/etag/abc', { headers: { 'If-Match': '"x"' } }),
  get('/etag/abc', { headers: { 'If-Match': '"abc"' } }),
  get('/etag/abc', { headers: { Range: 'bytes=0-0' } }),
  get('/cache'),
  get('/cache', { headers: { 'If-None-Match': 'x' } }),
  get('/cache', { headers: { 'If-Modified-Since': 'x' } }),
  get('/cache/5'),
  get('/cache/x', { differs: { httpbin: page } }),
  get('/range/30'),
  ...[
    'bytes=1-2',
    'bytes=9-',
    'bytes=-3',
    'bytes=3-',
    'bytes=40-',
    'bytes=0-100',
    'bytes=2-1',
    'lines=1-2',
    'bytes=0-1,3-4',
  ].map(range => get('/range/30', { headers: { Range: range } })),
  get('/range/0'),
  get('/range/2000000'),
  get('/response-headers?X-A=1&X-A=2&b=c'),
  get('/response-headers?Content-Type=text/plain', { differs: { httpbin: oneType } }),
  get('/response-headers?Content-Type=text/html&x=%3Cb%3E', { differs: { both: sandboxed, httpbin: oneType } }),
  ...['/image/png', '/image/jpeg', '/image/webp', '/image/svg'].map(path => get(path, text('svc has its own images'))),
  ...['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/*', 'text/html, image/*', 'text/html'].map(
    accept => get('/image', { headers: { Accept: accept }, ...text('svc has its own images') }),
  ),
  get('/image', text('svc has its own images')),
  get('/image/gif', { differs: { httpbin: page } }),
]

const data: Case[] = [
  get('/bytes/5', text('random')),
  get('/bytes/0'),
  get('/bytes/x', { differs: { httpbin: page } }),
  get('/bytes/5?seed=x', { differs: { httpbin: crash } }),
  get('/stream-bytes/5', text('random')),
  get('/stream-bytes/5?chunk_size=x', { differs: { httpbin: crash } }),
  get('/stream/2?a=%3Cb%3E'),
  get('/stream/0'),
  get('/base64/SFRUUEJJTiBpcyBhd2Vzb21l', { differs: { httpbin: sandboxed } }),
  get('/base64/aGk', { differs: { httpbin: sandboxed, 'go-httpbin': reason } }),
  get('/base64/aGk=', { differs: { httpbin: sandboxed } }),
  get('/base64/PGI-', { differs: { httpbin: sandboxed } }),
  get('/base64/%23%23', { differs: { httpbin: sandboxed, 'go-httpbin': reason } }),
  get('/base64/encode/a%C3%A9%3F', { differs: { httpbin: page } }),
  get('/base64/decode/aGk=', { differs: { httpbin: page } }),
  get('/base64/foo/x', { differs: { httpbin: page } }),
  get('/base64/decode/PGI-?content-type=text/html', { differs: { httpbin: page, 'go-httpbin': sandboxed } }),
  get('/links/3', ownText),
  get('/links/3/1'),
  get('/links/300', { differs: { httpbin: page } }),
  get('/links/x', { differs: { httpbin: page } }),
  get('/uuid'),
]

const timed: Case[] = [
  get('/delay/0.1'),
  send('POST', '/delay/0', form, 'a=1'),
  get('/delay/200ms', { differs: { httpbin: crash } }),
  get('/delay/x', { differs: { both: crash } }),
  ...['/delay/100', '/delay/-1', '/delay/1h1m1.5s', '/drip?delay=8&duration=8', '/drip?delay=1m40s'].map(path =>
    get(path, { differs: { httpbin: { fields: ['*'], why: 'not asked: it takes ten seconds' } } }),
  ),
  get('/drip?numbytes=3&duration=0&delay=0'),
  get('/drip?numbytes=3&duration=100ms&delay=0', { differs: { httpbin: crash } }),
  get('/drip?numbytes=3&duration=0&delay=0&code=500'),
  get('/drip?numbytes=0&delay=0'),
  get('/drip?numbytes=x&delay=0', { differs: { httpbin: crash } }),
  get('/unstable?failure_rate=0', only404),
  get('/unstable?failure_rate=1', only404),
  get('/unstable?failure_rate=2', {
    differs: { both: { fields: ['body'], why: 'go-httpbin prints a formatting error' } },
  }),
  get('/sse?count=2&duration=50ms', { differs: { httpbin: page, 'go-httpbin': uncached } }),
  get('/sse?count=0', { differs: { httpbin: page, 'go-httpbin': fewer } }),
  get('/jsonl?count=2&duration=50ms', only404),
  get('/trailers?X-A=1', only404),
  get('/trailers?Content-Type=1', only404),
  get('/env', { differs: { both: { fields: ['body'], why: 'go-httpbin shows null without variables' } } }),
  get('/hostname', { differs: { both: { fields: ['body'], why: 'the name is the id of the instance' } } }),
  get('/version', only404),
  get('/websocket/echo', only404),
  get('/websocket/echo?max_message_size=0', only404),
  get('/pdf', ownText),
]

export const CASES: readonly Case[] = [
  ...reflection,
  ...credentials,
  ...cookiesAndRedirects,
  ...contents,
  ...data,
  ...timed,
]

/** The parts that are not compared with this original; `*` means that it is not asked at all. */
export function uncompared({ differs }: Case, original: Original): Set<string> {
  return new Set([...(differs?.both?.fields ?? []), ...(differs?.[original]?.fields ?? [])])
}
