/** `QUERY /query`: a resource by RFC 10008, and the method on the other routes. */
import t from 'tap'
import { send, type Reply, type RequestOptions } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t, { plugins: ['query', 'echo', 'httpbin', 'status', 'info'] })
const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }
const KITCHEN = { from: 'products', where: { category: 'Kitchen' }, fields: ['id', 'price'], limit: 2 }
const FOUND = {
  count: 2,
  items: [
    { id: 'p4', price: 599.99 },
    { id: 'p5', price: 34.99 },
  ],
}

function ask(body: unknown, path = '/query', options: RequestOptions = {}): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return send(url, path, { method: 'QUERY', body: text, ...options, headers: { ...JSON_TYPE, ...options.headers } })
}

t.test('a query gets its result, with what RFC 10008 and caches need [QUERY-1]', async t => {
  const reply = await ask(KITCHEN)
  t.equal(reply.status, 200)
  t.same(reply.json(), FOUND)
  t.match(reply.headers, {
    'content-type': 'application/json; charset=utf-8',
    etag: /^"[0-9a-f]{32}"$/,
    'cache-control': 'public, max-age=60',
    vary: 'Content-Type',
    'content-location': /^\/query\/results\/[0-9a-f]{32}$/,
    location: /^\/query\/[0-9a-f]{32}$/,
    'accept-query': 'application/json, application/x-www-form-urlencoded',
  })
  t.match(await ask(KITCHEN, '/query', { headers: { 'If-None-Match': reply.headers.etag! } }), {
    status: 304,
    text: '',
    headers: { etag: reply.headers.etag, vary: 'Content-Type' },
  })
  t.equal((await ask(KITCHEN, '/query?ttl=5')).headers['cache-control'], 'public, max-age=5')
  for (const path of [reply.headers['content-location']!, reply.headers.location!]) {
    const again = await send(url, path)
    t.equal(again.text, reply.text, path)
    t.match(again.headers, { etag: reply.headers.etag, vary: undefined })
    t.equal((await send(url, path, { headers: { 'If-None-Match': reply.headers.etag! } })).status, 304)
    t.match(await send(url, path, { method: 'HEAD' }), { status: 200, text: '' })
  }
  t.match(await send(url, '/query/results/abc'), { status: 404, text: /"unknown_query"/ })
  t.match(await send(url, '/query/again'), { status: 200, text: /"accept_query"/ })
})

t.test('equal queries have equal ids, other queries other ids [QUERY-2]', async t => {
  const id = async (body: unknown, headers = {}): Promise<string> =>
    (await ask(body, '/query', { headers })).headers.location!
  const first = await id(KITCHEN)
  t.equal(
    await id('{"limit":2,"fields":["price","id","id"],\n"where":{"category":"Kitchen"},"from":"products"}'),
    first,
  )
  t.equal(await id('from=products&where.category=Kitchen&fields=id,price&limit=2', FORM_TYPE), first)
  t.equal(await id('fields=price&limit=2&fields=id&where.category=Kitchen&from=products', FORM_TYPE), first)
  const others = [
    { ...KITCHEN, limit: 1 },
    { ...KITCHEN, fields: ['id'] },
    { ...KITCHEN, where: { category: 'Sports' } },
    { ...KITCHEN, where: {} },
    { from: 'users' },
    { from: 'orders' },
  ]
  t.equal(new Set([first, ...(await Promise.all(others.map(body => id(body))))]).size, others.length + 1)
})

t.test('conditions compare numbers, truth values and text; forms have the types of the fields [QUERY-2]', async t => {
  const ids = async (body: unknown, headers = {}): Promise<string[]> =>
    (await ask(body, '/query', { headers })).json<{ items: { id: string }[] }>().items.map(item => item.id)
  t.same(await ids({ from: 'products', where: { inStock: false } }), ['p3', 'p9'])
  t.same(await ids('from=products&where.inStock=false', FORM_TYPE), ['p3', 'p9'])
  t.same(await ids('from=products&where.price=45.99', FORM_TYPE), ['p3'])
  t.same(await ids({ from: 'orders', where: { userId: 'u1', status: 'DELIVERED' } }), ['o1', 'o4'])
  t.same(await ids({ from: 'users', where: { name: 'nobody' } }), [])
  t.equal((await ids({ from: 'products' })).length, 10)
})

t.test('redirects lead to the result or to another resource that takes the query [QUERY-3]', async t => {
  const seeOther = await ask(KITCHEN, '/query?redirect=303')
  t.match(seeOther, { status: 303, text: '', headers: { location: /^\/query\/results\/[0-9a-f]{32}$/ } })
  t.same((await send(url, seeOther.headers.location!)).json(), FOUND)
  for (const status of [307, 308]) {
    t.match(await ask(KITCHEN, `/query?redirect=${status}`), { status, headers: { location: '/query/again' } })
    const kept = await ask(KITCHEN, `/query?redirect=${status}&ttl=9`)
    t.equal(kept.headers.location, '/query/again?ttl=9')
    const again = await ask(KITCHEN, kept.headers.location)
    t.same(again.json(), FOUND)
    t.equal(again.headers['cache-control'], 'public, max-age=9')
  }
  const followed = await fetch(`${url}/query?redirect=307`, {
    method: 'QUERY',
    headers: JSON_TYPE,
    body: JSON.stringify(KITCHEN),
  })
  t.equal(new URL(followed.url).pathname, '/query/again')
  t.same(await followed.json(), FOUND)
})

t.test('content without a type is 400, of another type 415, not a query 422 [QUERY-4]', async t => {
  const body = JSON.stringify(KITCHEN)
  t.match(await send(url, '/query', { method: 'QUERY', body }), {
    status: 400,
    text: /"missing_content_type"/,
    headers: { 'accept-query': /json/ },
  })
  for (const type of ['text/plain', 'application/jsonp', '', 'application/json+x', 'text/plain, application/json'])
    t.match(
      await ask(body, '/query', { headers: { 'Content-Type': type } }),
      { status: 415, headers: { 'accept-query': 'application/json, application/x-www-form-urlencoded' } },
      JSON.stringify(type),
    )
  for (const type of ['Application/JSON; charset=utf-8', ' application/json;x="y;z"'])
    t.equal((await ask(body, '/query', { headers: { 'Content-Type': type } })).status, 200, type)
  for (const [query, at, details] of [
    ['{', '', /JSON object/],
    ['[]', '', /JSON object/],
    ['', 'from', /products, users, orders/],
    [{}, 'from', /products, users, orders/],
    [{ from: 'prodcts' }, 'from', /did you mean "products"/],
    [{ from: 1 }, 'from', /text/],
    [{ from: '__proto__' }, 'from', /unknown source/],
    [{ form: 'products' }, 'form', /did you mean "from"/],
    [{ from: 'products', where: { categry: 1 } }, 'where.categry', /did you mean "category"/],
    [{ from: 'products', where: { constructor: 1 } }, 'where.constructor', /unknown field/],
    [{ from: 'products', where: { category: 1 } }, 'where.category', /string/],
    [{ from: 'products', where: { price: '1' } }, 'where.price', /number/],
    [{ from: 'products', where: { category: null } }, 'where.category', /string/],
    [{ from: 'products', where: [] }, 'where', /object/],
    [{ from: 'orders', where: { items: [] } }, 'where.items', /unknown field/],
    [{ from: 'products', fields: [] }, 'fields', /list/],
    [{ from: 'products', fields: ['nmae'] }, 'fields[0]', /did you mean "name"/],
    [{ from: 'products', fields: [7] }, 'fields[0]', /text/],
    [{ from: 'products', limit: 0 }, 'limit', /1 to 100/],
    [{ from: 'products', limit: 101 }, 'limit', /1 to 100/],
    [{ from: 'products', limit: '5' }, 'limit', /whole number/],
  ] as const) {
    const reply = await ask(query)
    t.match(reply, { status: 422, headers: { 'accept-query': /json/ } }, JSON.stringify(query))
    t.match(reply.json(), { error: 'invalid_query', at, details })
  }
  for (const [query, at, details] of [
    ['', 'from', /products/],
    ['from=products&from=users', 'from', /twice/],
    ['from=products&where.price=x', 'where.price', /number/],
    ['from=products&where.inStock=1', 'where.inStock', /boolean/],
    ['from=products&where.=1', 'where.', /unknown field/],
    ['from=products&limt=2', 'limt', /did you mean "limit"/],
    ['from=products&limit=2x', 'limit', /whole number/],
    ['from=products&fields=', 'fields[0]', /unknown field/],
    ['from=products&where.category=a&where.category=b', 'where.category', /twice/],
    ['from=products&__proto__=1', '__proto__', /unknown name/],
    ['from=products&where.__proto__=1', 'where.__proto__', /unknown field/],
  ] as const)
    t.match((await ask(query, '/query', { headers: FORM_TYPE })).json(), { error: 'invalid_query', at, details }, query)
  for (const [path, parameter] of [
    ['/query?redirect=302', 'redirect'],
    ['/query?redirect=', 'redirect'],
    ['/query?ttl=-1', 'ttl'],
    ['/query/again?ttl=x', 'ttl'],
    ['/query?redirect=307&ttl=x', 'ttl'],
  ] as const)
    t.match(await ask(KITCHEN, path), { status: 400, text: new RegExp(`"parameter":"${parameter}"`) }, path)
  t.equal((await ask(`{"from":"${'x'.repeat(20_000)}"}`)).status, 413)
})

t.test('OPTIONS, HEAD and GET name the methods and the types; others are 405 [QUERY-5]', async t => {
  for (const [method, status] of [
    ['OPTIONS', 204],
    ['HEAD', 200],
    ['GET', 200],
  ] as const)
    t.match(
      await send(url, '/query', { method }),
      {
        status,
        headers: {
          allow: 'QUERY, GET, HEAD, OPTIONS',
          'accept-query': 'application/json, application/x-www-form-urlencoded',
        },
      },
      method,
    )
  const help = (await send(url, '/query')).json<{ from: Record<string, string[]>; example: object }>()
  t.same(Object.keys(help.from), ['products', 'users', 'orders'])
  t.equal((await ask(help.example)).status, 200, 'its example works')
  const refused = await send(url, '/query', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(KITCHEN) })
  t.equal(refused.status, 405)
  t.same(refused.headers.allow!.split(', ').toSorted(), ['GET', 'HEAD', 'OPTIONS', 'QUERY'])
  t.match(await send(url, '/query/again', { method: 'POST' }), { status: 405, headers: { allow: /QUERY/ } })
})

t.test('routes of any method take QUERY with and without a type, GET-only routes answer 405 [QUERY-6]', async t => {
  for (const path of ['/echo', '/anything/a', '/httpbin/anything'])
    for (const headers of [undefined, { 'Content-Type': 'text/plain' }])
      t.match(
        await send(url, path, { method: 'QUERY', headers, body: 'what is it' }),
        { status: 200, text: /what is it/ },
        path,
      )
  t.match(await send(url, '/wire', { method: 'QUERY', body: 'x' }), { status: 200, text: /^QUERY \/wire HTTP\/1\.1/ })
  t.match(await send(url, '/status/201', { method: 'QUERY' }), { status: 201 })
  t.match(await send(url, '/uuid', { method: 'QUERY' }), { status: 405, headers: { allow: /GET/ } })
})

t.test('rules, filters, exports and metrics know the method [QUERY-7]', async t => {
  const rule = { name: 'q', match: { method: 'QUERY', path: '/echo/q' }, then: [{ respond: { status: 418 } }] }
  const stored = await send(url, '/_svc/rules', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(rule) })
  t.equal(stored.status, 201, stored.text)
  t.equal((await ask({}, '/echo/q')).status, 418)
  t.equal((await send(url, '/echo/q', { method: 'POST' })).status, 200)
  const found = (await send(url, '/_svc/requests?method=QUERY&path=/echo/q')).json<{ requests: { method: string }[] }>()
  t.same(
    found.requests.map(({ method }) => method),
    ['QUERY'],
  )
  const verify = { match: { method: 'QUERY', path: '/echo/q' }, exactly: 1 }
  const verified = await send(url, '/_svc/verify', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(verify),
  })
  t.equal(verified.status, 200, verified.text)
  const curl = await send(url, '/_svc/requests/export?format=curl&method=QUERY&path=/echo/q')
  t.match(curl.text, /-X QUERY .*--data-raw/)
  const har = await send(url, '/_svc/requests/export?format=har&method=QUERY&path=/echo/q')
  t.match(har.json(), { log: { entries: [{ request: { method: 'QUERY', postData: { text: '{}' } } }] } })
  t.match((await send(url, '/_svc/metrics')).text, /svc_requests_total\{[^}]*method="QUERY"/)
})

t.test('public instances keep fewer queries [QUERY-8]', async t => {
  const open = await serve(t, { plugins: ['query'], env: { SVC_PUBLIC_MODE: 'true' } })
  const first = await send(open.url, '/query', {
    method: 'QUERY',
    headers: JSON_TYPE,
    body: '{"from":"products","limit":1}',
  })
  const path = first.headers['content-location']!
  t.equal((await send(open.url, path)).status, 200)
  for (let limit = 2; limit <= 101; limit++)
    await send(open.url, '/query', {
      method: 'QUERY',
      headers: JSON_TYPE,
      body: JSON.stringify({
        from: 'products',
        limit: (limit % 100) + 1,
        where: limit > 98 ? { id: `p${limit}` } : {},
      }),
    })
  t.equal((await send(open.url, path)).status, 404, 'the oldest is gone')
})
