/** The login form and the other pages: content, escaping, headers. */
import t from 'tap'
import {
  authorization,
  call,
  callback,
  challenge,
  encode,
  locationOf,
  post,
  register,
  type Answer,
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const url = `${server.url}/oauth/authorize`
const ask = (fields: Fields) => call(`${url}?${encode(authorization(fields))}`)
const poison = `"><script>alert(1)</script><b x='&amp;`
const escaped = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;b x=&#39;&amp;amp;'

/** Inputs of the page in order: name to value, as a browser would send them. */
function inputs({ text }: Answer): [name: string, value: string][] {
  const entities: Record<string, string> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    '#39': "'",
    '#10': '\n',
    '#13': '\r',
  }
  return [...text.matchAll(/<input [^>]*?name="([^"]*)"[^>]*? value="([^"]*)"/g)].map(([, name, value]) => [
    name!,
    value!.replace(/&(#?\w+);/g, (_, entity: string) => entities[entity] ?? '?'),
  ])
}

t.test('the form contains the request and fields for user name and password [IDP-17]', async t => {
  const fields = {
    client_id: 'svc',
    redirect_uri: callback,
    response_type: 'code',
    response_mode: 'form_post',
    scope: 'openid x',
    state: 's',
    nonce: 'n',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    max_age: '5',
    resource: ['urn:a', 'urn:b'],
  }
  const page = await ask({ ...fields, prompt: 'login', display: 'page' })
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  t.strictSame(inputs(page), [...new URLSearchParams(encode(fields)), ['username', 'demo'], ['password', '']])
  t.match(page.text, '<form method="post" action="authorize">')
  t.match(
    page.text,
    /<button type="submit" name="action" value="approve">[^]*<button type="submit" name="action" value="deny"/,
  )
  t.match(page.text, /<strong>svc demo client<\/strong>[^]*<code>svc<\/code>/)
  t.match(page.text, '<li>openid</li><li>x</li>')
  for (const name of ['demo', 'alice', 'bob']) t.match(page.text, `<code>${name}</code></th><td><code>${name}</code>`)
})

t.test('absent parameters are not in the form [IDP-17]', async t => {
  t.strictSame(inputs(await ask({})), [
    ['client_id', 'svc'],
    ['redirect_uri', callback],
    ['response_type', 'code'],
    ['username', 'demo'],
    ['password', ''],
  ])
  const { body: client } = await register(server.url, { redirect_uris: [callback], client_name: 'My app', scope: 'a' })
  const page = await ask({ client_id: client.client_id!, redirect_uri: undefined })
  t.notOk(inputs(page).some(([name]) => name === 'redirect_uri'))
  t.match(page.text, '<strong>My app</strong>')
  t.match(page.text, '<li>a</li>')
})

t.test('login_hint prefills the user name [IDP-17]', async t => {
  t.same(inputs(await ask({ login_hint: 'bob' })).at(-2), ['username', 'bob'])
  t.equal(inputs(await ask({ login_hint: 'x'.repeat(5000) })).at(-2)![1].length, 256)
})

t.test('wrong credentials show the form again, without the password [IDP-20]', async t => {
  const request = authorization({ state: poison, nonce: 'n', resource: ['urn:a', 'urn:b'] })
  for (const [username, password] of [
    ['alice', 'wrong'],
    ['alice', ''],
    ['', 'alice'],
    ['nobody', 'nobody'],
    [poison, poison],
    ['__proto__', '__proto__'],
  ] as const) {
    const page = await post(url, { ...request, username, password, action: 'approve' }, {})
    t.equal(page.status, 401)
    t.equal(page.headers.get('location'), null)
    t.equal(page.headers.get('cache-control'), 'no-store')
    t.match(page.text, 'role="alert">Wrong user name or password.')
    const kept = inputs(page)
    t.strictSame(new Set(kept.slice(0, -2).map(String)), new Set([...new URLSearchParams(encode(request))].map(String)))
    t.same(kept.slice(-2), [
      ['username', username],
      ['password', ''],
    ])
  }
})

t.test('the form can be submitted [IDP-17] [IDP-20]', async t => {
  const state = `a\r\nb ${poison} \u{1f600}`
  const page = await ask({ state })
  const fields = Object.fromEntries(inputs(page))
  const { query } = locationOf(await post(url, { ...fields, password: 'demo', action: 'approve' }, {}))
  t.equal(query.get('state'), state)
  t.ok(query.get('code'))
})

t.test('all input shown on a page is escaped [IDP-18]', async t => {
  const { body: client } = await register(server.url, { redirect_uris: [callback], client_name: poison })
  const pages: [string, Answer][] = [
    ...(await Promise.all(
      ['state', 'nonce', 'login_hint', 'redirect_uri'].map(
        async name =>
          [
            name,
            await ask({ [name]: name === 'redirect_uri' ? `http://h/${poison.replaceAll(' ', '')}` : poison }),
          ] as [string, Answer],
      ),
    )),
    ['scope', await ask({ scope: '<script>alert(1)</script>' })],
    ['resource', await ask({ resource: `urn:${poison.replaceAll(' ', '')}` })],
    ['client_name', await ask({ client_id: client.client_id! })],
    ['client_id', await ask({ client_id: poison })],
    ['error page', await ask({ redirect_uri: poison })],
    ['username', await post(url, { ...authorization(), username: poison, password: 'x' }, {})],
    [
      'form_post',
      await post(url, { ...authorization({ response_mode: 'form_post', state: poison }), action: 'deny' }, {}),
    ],
  ]
  for (const [what, { text }] of pages) {
    t.notMatch(text, /<script>alert|<b x/, what)
    t.notMatch(text, /value="[^"]*"[^ >]/, what)
  }
  for (const what of ['state', 'nonce', 'login_hint', 'username', 'form_post'])
    t.match(pages.find(([name]) => name === what)![1].text, escaped, what)
})

t.test('every page forbids framing, referrers and loading of resources [IDP-19]', async t => {
  const { body: client } = await register(server.url, { redirect_uris: [callback] })
  for (const page of [
    await ask({}),
    await ask({ client_id: 'nobody' }),
    await ask({ client_id: client.client_id!, redirect_uri: 'http://x/' }),
    await post(url, { ...authorization(), username: 'x' }, {}),
    await post(url, authorization(), {}),
  ]) {
    t.equal(page.headers.get('x-frame-options'), 'DENY')
    t.equal(page.headers.get('referrer-policy'), 'no-referrer')
    t.equal(page.headers.get('cache-control'), 'no-store')
    t.equal(
      page.headers.get('content-security-policy'),
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    )
    t.notMatch(page.text, /<script|<link|<img|\bon\w+=|src=|https?:\/\/(?!localhost:3000|x\/)/)
  }
})

t.test('the form works with keyboards and screen readers [IDP-47]', async t => {
  const failed = (await post(url, { ...authorization(), username: 'x' }, {})).text
  for (const text of [(await ask({})).text, failed]) {
    t.match(text, '<html lang="en">')
    t.match(text, /<title>[^<]+<\/title>/)
    t.equal(text.match(/<h1>/g)?.length, 1)
    for (const [, id] of text.matchAll(/<input id="(\w+)"/g)) t.match(text, `<label for="${id}">`)
    t.notMatch(text, 'tabindex')
    t.ok(text.indexOf('value="approve"') < text.indexOf('value="deny"'), 'Enter approves')
  }
  t.match(failed, /id="username"[^>]* aria-invalid="true" aria-describedby="failed"/)
  t.match(failed, 'id="failed" role="alert"')
})
