/** Cookies: show, set and delete. */
import t from 'tap'
import { checkRefusals, readXml } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)

async function setCookies(path: string): Promise<string[]> {
  const reply = await send(url, path)
  if (
    reply.status !== 302 ||
    reply.headers.location !== '/cookies' ||
    reply.text !== '' ||
    reply.headers.vary !== 'Accept'
  )
    throw new Error(`${path} gave ${reply.status} ${reply.text}`)
  return reply.headers['set-cookie'] ?? []
}

t.test('shows cookies exactly as received [COOKIE-1]', async t => {
  const rows: [cookie: string | string[] | undefined, shown: string][] = [
    [undefined, '{}'],
    ['', '{}'],
    ['a=1', '{"a":"1"}'],
    ['a=1; b=2;c=3 ; d', '{"a":"1","b":"2","c":"3"}'],
    ['a=1; a=2', '{"a":"1"}'],
    ['a=; b==x=', '{"a":"","b":"=x="}'],
    ['q="a b"; p=%20%zz', '{"q":"\\"a b\\"","p":"%20%zz"}'],
    ['__proto__=x; constructor=y; toString=z', '{"__proto__":"x","constructor":"y","toString":"z"}'],
    [';;; ;', '{}'],
    [['a=1', 'b=2'], '{"a":"1","b":"2"}'],
    [
      Array.from({ length: 5000 }, (_, index) => `c${index}=`).join(';'),
      `{${Array.from({ length: 5000 }, (_, index) => `"c${index}":""`).join(',')}}`,
    ],
  ]
  for (const [cookie, shown] of rows) {
    const reply = await send(url, '/cookies', { headers: cookie === undefined ? {} : { Cookie: cookie } })
    t.match(
      reply,
      { status: 200, text: `{"cookies":${shown}}`, headers: { vary: 'Accept' } },
      String(cookie).slice(0, 60),
    )
  }
})

t.test('the XML is well-formed for names of all kinds [TOOL-2]', async t => {
  const reply = await send(url, '/cookies', { headers: { Cookie: '1a=x; a!b=<&>; ok=1', Accept: 'application/xml' } })
  t.same(readXml(reply.text), {
    cookies: {
      entry: [
        { '@_key': '1a', '#text': 'x' },
        { '@_key': 'a!b', '#text': '<&>' },
      ],
      ok: 1,
    },
  })
})

t.test('sets each pair and encodes values that a cookie cannot contain [COOKIE-2]', async t => {
  const rows: [path: string, lines: string[]][] = [
    ['/cookies/set', []],
    ['/cookies/set?', []],
    ['/cookies/set?a=1', ['a=1; Path=/']],
    ['/cookies/set?a=1&b=2&a=3', ['a=1; Path=/', 'b=2; Path=/']],
    ['/cookies/set?a', ['a=; Path=/']],
    ['/cookies/set?a=a%3Bb+%22c%22', ['a=a%3Bb%20%22c%22; Path=/']],
    ['/cookies/set?a=100%25,%5C', ['a=100%25%2C%5C; Path=/']],
    ['/cookies/set?a=Gr%C3%BC%C3%9Fe%F0%9F%98%80', ['a=Gr%C3%BC%C3%9Fe%F0%9F%98%80; Path=/']],
    ['/cookies/set?a=%0d%0aSet-Cookie:b=1', ['a=%0D%0ASet-Cookie:b=1; Path=/']],
    ["/cookies/set?a=!%23$%26'()*%2B-./:<=>?@[]^_`{|}~", ["a=!#$&'()*+-./:<=>?@[]^_`{|}~; Path=/"]],
    ['/cookies/set?_ga=1&_gid=2&_=3', ['_ga=1; Path=/', '_gid=2; Path=/', '_=3; Path=/']],
    ['/cookies/set?__proto__=1', ['__proto__=1; Path=/']],
    ['/cookies/set/a/b', ['a=b; Path=/']],
    ['/cookies/set/a/b%20c%2Fd', ['a=b%20c/d; Path=/']],
    ['/cookies/set/a/', ['a=; Path=/']],
    ['/cookies/set/a/1?b=2', ['a=1; Path=/']],
    [
      `/cookies/set?${Array.from({ length: 20 }, (_, index) => `c${index}=x`).join('&')}`,
      Array.from({ length: 20 }, (_, index) => `c${index}=x; Path=/`),
    ],
  ]
  for (const [path, lines] of rows) t.same(await setCookies(path), lines, path)
})

t.test('sets the requested attributes in a fixed order [COOKIE-2]', async t => {
  const rows: [query: string, attributes: string][] = [
    [
      '_samesite=lax&_httponly&_secure&_maxage=60&_domain=a.test&_path=/x',
      'Path=/x; Domain=a.test; Max-Age=60; Secure; HttpOnly; SameSite=Lax',
    ],
    ['_path=/a/b', 'Path=/a/b'],
    ['_domain=.Example-1.test', 'Path=/; Domain=.Example-1.test'],
    ['_maxage=-1', 'Path=/; Max-Age=-1'],
    ['_maxage=0', 'Path=/; Max-Age=0'],
    ['_maxage=9999999999', 'Path=/; Max-Age=9999999999'],
    ['_secure=true', 'Path=/; Secure'],
    ['_secure=0&_httponly=no', 'Path=/'],
    ['_httponly=ON', 'Path=/; HttpOnly'],
    ['_samesite=STRICT', 'Path=/; SameSite=Strict'],
    ['_samesite=none', 'Path=/; Secure; SameSite=None'],
    ['_samesite=None&_secure=false', 'Path=/; Secure; SameSite=None'],
    ['_path=/x&_path=y', 'Path=/x'],
  ]
  for (const [query, attributes] of rows) {
    t.same(await setCookies(`/cookies/set?a=1&${query}&b=2`), [`a=1; ${attributes}`, `b=2; ${attributes}`], query)
    t.same(await setCookies(`/cookies/set/a/1?${query}`), [`a=1; ${attributes}`], `${query}, by path`)
  }
})

t.test('deletes cookies for the requested path and domain [COOKIE-3]', async t => {
  const end = 'Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT'
  const rows: [query: string, lines: string[]][] = [
    ['', []],
    ['?a', [`a=; Path=/; ${end}`]],
    ['?a=1&b', [`a=; Path=/; ${end}`, `b=; Path=/; ${end}`]],
    ['?a&_path=/x&_domain=a.test', [`a=; Path=/x; Domain=a.test; ${end}`]],
    ['?a&_secure&_httponly&_samesite=bogus&_maxage=bogus', [`a=; Path=/; ${end}`]],
    ['?_ga', [`_ga=; Path=/; ${end}`]],
  ]
  for (const [query, lines] of rows) t.same(await setCookies(`/cookies/delete${query}`), lines, query)
})

t.test('rejects invalid names and attributes, and sets no cookie [COOKIE-4, TOOL-1]', async t => {
  const attributes = [
    '_path=x',
    '_path=',
    '_path=/a;b',
    '_path=/a%20b',
    '_path=/%0a',
    '_path=/%C3%A9',
    '_domain=',
    '_domain=a_b',
    '_domain=a%20b',
    '_domain=a;b',
    '_domain=%C3%A9',
    '_samesite=',
    '_samesite=maybe',
    '_samesite',
    '_samesite=__proto__',
    '_maxage=',
    '_maxage=1.5',
    '_maxage=abc',
    '_maxage=%2B1',
    '_maxage=12345678901',
    '_maxage=1e3',
  ]
  await checkRefusals(
    t,
    url,
    [
      ...attributes
        .flatMap(query => [`/cookies/set?a=1&${query}`, `/cookies/set/a/1?${query}`])
        .map(path => ({ path, error: 'invalid_cookie_attribute' })),
      ...attributes
        .filter(query => /^_(?:path|domain)/.test(query))
        .map(query => ({ path: `/cookies/delete?a&${query}`, error: 'invalid_cookie_attribute' })),
      ...['=1', 'a%20b=1', 'a;b=1', 'a,b=1', '%C3%A9=1', 'a%0d%0a=1', 'a(b)=1', '%22a%22=1', 'ok=1&=2']
        .flatMap(query => [`/cookies/set?${query}`, `/cookies/delete?${query}`])
        .map(path => ({ path, error: 'invalid_cookie_name' })),
      ...['a%20b/1', 'a%2Fb/1', '%C3%A9/1', '/1'].map(rest => ({
        path: `/cookies/set/${rest}`,
        error: 'invalid_cookie_name',
      })),
      ...['set', 'delete'].map(what => ({
        path: `/cookies/${what}?${Array.from({ length: 21 }, (_, index) => `c${index}`).join('&')}`,
        error: 'too_many_cookies',
      })),
    ],
    { negotiated: true },
  )
  t.equal((await send(url, '/cookies/set?a=1&a%20b=2')).headers['set-cookie'], undefined)
})

t.test('only GET and HEAD are allowed [TOOL-5, TOOL-3]', async t => {
  for (const path of ['/cookies', '/cookies/set', '/cookies/set/a/b', '/cookies/delete']) {
    t.equal((await send(url, path, { method: 'POST' })).status, 405, path)
    t.equal((await send(url, path, { method: 'HEAD' })).text, '', `HEAD ${path}`)
  }
})
