/** Real HTTP clients against the toolbox: redirects, codings, retries, caches, cookies. */
import t from 'tap'
import axios from 'axios'
import got from 'got'
import { CookieJar } from 'tough-cookie'
import { Agent, cacheStores, fetch, interceptors, request, RetryAgent } from 'undici'
import { serve } from '../support/server.ts'

const { url } = await serve(t)

t.test('clients follow redirect chains to the end [REDIR-1]', async t => {
  for (const path of ['/redirect/20', '/redirect/1', '/absolute-redirect/10']) {
    const response = await fetch(`${url}${path}?x=1`)
    t.match(await response.json(), { url: `${url}/echo?x=1`, query_params: { x: '1' } }, `fetch ${path}`)
    t.ok(response.redirected)
  }
  t.equal((await got(`${url}/redirect/5?x=1`)).redirectUrls.length, 5, 'got')
  t.match((await axios.get(`${url}/absolute-redirect/3?x=1`)).data, { url: `${url}/echo?x=1` }, 'axios')
  t.match(
    await (await fetch(`${url}/redirect-to?url=/echo&status_code=307`, { method: 'POST', body: 'kept' })).json(),
    { method: 'POST', body: { body: 'kept' } },
    '307 keeps method and body',
  )
  t.match(
    await (await fetch(`${url}/redirect-to?url=/echo&status_code=303`, { method: 'POST', body: 'lost' })).json(),
    { method: 'GET', body: { present: false } },
    '303 does not',
  )
  t.match(await (await fetch(`${url}/status/302`)).json(), { path: '/echo' }, 'a redirect by its status')
  t.match(await (await fetch(`${url}/links/5`)).text(), '<a href=')
})

t.test('clients decode every coding they announce [CODING-1]', async t => {
  for (const [path, flag] of [
    ['/gzip', 'gzipped'],
    ['/deflate', 'deflated'],
    ['/brotli', 'brotli'],
  ] as const) {
    t.match(await (await fetch(url + path)).json(), { [flag]: true }, `fetch ${path}`)
    t.match(await got(url + path).json(), { [flag]: true }, `got ${path}`)
    t.match((await axios.get(url + path)).data, { [flag]: true }, `axios ${path}`)
  }
})

t.test('clients retry what fails and recovers [FLAKY-1]', async t => {
  const agent = new RetryAgent(new Agent(), { maxRetries: 2, minTimeout: 10 })
  const retried = await request(`${url}/flaky/recover/1`, { dispatcher: agent, headers: { 'X-Svc-Session': 'undici' } })
  t.match(
    await retried.body.json(),
    { status: 'ok', message: 'recovered after 1 failures', request_number: 2 },
    'undici honors Retry-After',
  )
  await agent.close()
  const response = await got(`${url}/flaky/recover/1`, { headers: { 'X-Svc-Session': 'got' }, retry: { limit: 2 } })
  t.equal(response.retryCount, 1, 'got')
  await t.rejects(got(`${url}/flaky/pattern/F`, { headers: { 'X-Svc-Session': 'got' }, retry: { limit: 0 } }), {
    code: 'ERR_NON_2XX_3XX_RESPONSE',
  })
})

t.test('caches keep an answer for its ttl, and revalidate it afterwards [CACHE-1, CACHE-4]', async t => {
  const agent = new Agent().compose(interceptors.cache({ store: new cacheStores.MemoryCacheStore() }))
  const get = async (path: string, accept: string): Promise<{ id: unknown; type: unknown; text: string }> => {
    const { headers, body, statusCode } = await request(url + path, { dispatcher: agent, headers: { accept } })
    t.equal(statusCode, 200)
    return { id: headers['x-request-id'], type: headers['content-type'], text: await body.text() }
  }
  const first = await get('/cache/60', 'application/json')
  t.same(await get('/cache/60', 'application/json'), first, 'the second is the first, out of the cache')
  const xml = await get('/cache/60', 'application/xml')
  t.match(xml, { type: 'application/xml; charset=utf-8' }, 'another form is another entry')
  t.not(xml.id, first.id)
  t.same(await get('/cache/60', 'application/xml'), xml)
  await agent.close()

  const cache = new Map()
  const fresh = await got(`${url}/cache/60`, { cache })
  t.notOk(fresh.isFromCache)
  t.ok((await got(`${url}/cache/60`, { cache })).isFromCache, 'got')
  const stale = await got(`${url}/cache/0`, { cache })
  const revalidated = await got(`${url}/cache/0`, { cache })
  t.match(revalidated, { statusCode: 200, isFromCache: true, body: stale.body }, 'got revalidates')
  t.not(revalidated.headers['x-request-id'], stale.headers['x-request-id'], 'by asking')
})

t.test('a cookie jar keeps, sends and forgets cookies [COOKIE-2, COOKIE-3]', async t => {
  const jar = new CookieJar()
  const visit = async (path: string): Promise<Record<string, string>> => {
    const response = await got(url + path, { cookieJar: jar })
    return (JSON.parse(response.body) as { cookies: Record<string, string> }).cookies
  }
  t.same(await visit('/cookies/set?flavor=oat&size=2'), { flavor: 'oat', size: '2' })
  t.same(await visit('/cookies/set/note/a%20b?_maxage=60&_httponly&_samesite=lax'), {
    flavor: 'oat',
    size: '2',
    note: 'a%20b',
  })
  const note = (await jar.getCookies(`${url}/cookies`)).find(({ key }) => key === 'note')
  t.match(note, { httpOnly: true, sameSite: 'lax', maxAge: 60, path: '/' })
  t.same(
    await visit('/cookies/set/deep/x?_path=/cookies/set'),
    { flavor: 'oat', size: '2', note: 'a%20b' },
    'another path',
  )
  t.equal(await jar.getCookieString(`${url}/cookies/set`), 'deep=x; flavor=oat; size=2; note=a%20b')
  t.same(await visit('/cookies/delete?flavor&note'), { size: '2' })
  await visit('/cookies/delete?deep')
  t.match(await jar.getCookieString(`${url}/cookies/set`), /deep=x/, 'still there under its own path')
  await visit('/cookies/delete?deep&_path=/cookies/set')
  t.notMatch(await jar.getCookieString(`${url}/cookies/set`), /deep/)
})

t.test('clients get typed bodies, streams and slow answers as they are', async t => {
  const lines = (await got(`${url}/stream/3`)).body
    .trimEnd()
    .split('\n')
    .map(line => (JSON.parse(line) as { id: number }).id)
  t.same(lines, [0, 1, 2])
  t.equal((await got(`${url}/bytes/100?seed=a`).buffer()).length, 100)
  t.equal((await axios.get(`${url}/drip?numbytes=4&duration=0.05`)).data, '****')
  await t.rejects(got(`${url}/delay/10s`, { timeout: { request: 50 }, retry: { limit: 0 } }), { code: 'ETIMEDOUT' })
})
