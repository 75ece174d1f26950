/** `/auth/basic-auth` and `/auth/api-key`, and behavior that all checks share. */
import t from 'tap'
import { request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { basic, call } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const url = (path: string) => `${server.url}/auth/${path}`
const right = { Authorization: basic('basic', 'password') }

t.test('Basic: valid credentials are accepted [AUTH-2]', async t => {
  const rows: [string, string, string][] = [
    ['basic-auth', basic('basic', 'password'), 'basic'],
    ['basic-auth', `bASIC   ${btoa('basic:password')}`, 'basic'],
    ['basic-auth/carol/k3y', basic('carol', 'k3y'), 'carol'],
    ['basic-auth/a%20b/c:d%2Fe', basic('a b', 'c:d/e'), 'a b'],
    [
      `basic-auth/${encodeURIComponent('jürgen')}/${encodeURIComponent('pässwörd')}`,
      basic('jürgen', 'pässwörd'),
      'jürgen',
    ],
    ['basic-auth/__proto__/constructor', basic('__proto__', 'constructor'), '__proto__'],
  ]
  for (const [path, authorization, username] of rows) {
    const { status, body } = await call(url(path), { headers: { Authorization: authorization } })
    t.strictSame([status, body], [200, { authenticated: true, auth_type: 'basic-auth', username }], path)
  }
})

t.test('Basic: other credentials get the challenge [AUTH-2] [AUTH-4]', async t => {
  const rows: [string, string | undefined][] = [
    ['basic-auth', undefined],
    ['basic-auth', 'Basic'],
    ['basic-auth', 'Basic %%%'],
    ['basic-auth', `Basic ${btoa('basic')}`],
    ['basic-auth', basic('basic', 'Password')],
    ['basic-auth', basic('Basic', 'password')],
    ['basic-auth', basic('', '')],
    ['basic-auth', `Bearer ${btoa('basic:password')}`],
    ['basic-auth', btoa('basic:password')],
    ['basic-auth', basic('basic', 'password ')],
    ['basic-auth/a/b', basic('basic', 'password')],
    ['basic-auth/a/b', basic('a', 'b:')],
  ]
  for (const [path, authorization] of rows) {
    const { status, headers, body } = await call(url(path), {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    })
    t.strictSame(
      [status, body, headers.get('www-authenticate')],
      [401, { authenticated: false, error: 'unauthorized' }, 'Basic realm="svc", charset="UTF-8"'],
      `${path} ${authorization}`,
    )
  }
})

t.test('API key: the valid key in the expected header is accepted [AUTH-3]', async t => {
  const rows: [string, Record<string, string>, string][] = [
    ['api-key', { apikey: 'my-key' }, 'apikey'],
    ['api-key', { ApiKey: ' my-key ' }, 'apikey'],
    ['api-key/X-Team-Key/k3y', { 'x-team-key': 'k3y' }, 'X-Team-Key'],
    ['api-key/Authorization/Bearer%20x', { authorization: 'Bearer x' }, 'Authorization'],
    [`api-key/k/${encodeURIComponent('ü/é')}`, { k: Buffer.from('ü/é').toString('latin1') }, 'k'],
  ]
  for (const [path, headers, header] of rows) {
    const { status, body } = await call(url(path), { headers })
    t.strictSame([status, body], [200, { authenticated: true, auth_type: 'api-key', header }], path)
  }
})

t.test('API key: other keys get the challenge [AUTH-3] [AUTH-4]', async t => {
  const rows: [string, Record<string, string>][] = [
    ['api-key', {}],
    ['api-key', { apikey: 'My-key' }],
    ['api-key', { apikey: '' }],
    ['api-key', { 'x-apikey': 'my-key' }],
    ['api-key?apikey=my-key', {}],
    ['api-key/x/y', { apikey: 'my-key' }],
    ['api-key/__proto__/x', {}],
    ['api-key/constructor/x', {}],
    ['api-key/%3Amethod/GET', {}],
    ['api-key/:path/x', {}],
    ['api-key/a%20b/x', {}],
    ['api-key/a%0Ab/x', {}],
    [`api-key/${encodeURIComponent('ü')}/x`, {}],
  ]
  for (const [path, headers] of rows) {
    const answer = await call(url(path), { headers })
    t.strictSame(
      [answer.status, answer.body, answer.headers.get('www-authenticate')],
      [401, { authenticated: false, error: 'unauthorized' }, 'ApiKey realm="svc"'],
      path,
    )
  }
  t.equal((await call(url('api-key/%/x'))).status, 400, 'a malformed escape is not a valid path')
})

t.test('a valid key among repeated headers is accepted [AUTH-3]', async t => {
  const sent = request(url('api-key'), { headers: ['apikey', 'x', 'APIKEY', 'my-key', 'Host', 'localhost'] })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  t.equal(response.statusCode, 200)
  response.resume()
})

t.test('every method, body and content type is accepted [AUTH-1]', async t => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    t.equal((await call(url('basic-auth'), { method, headers: right })).status, 200, method)
  t.equal((await call(url('basic-auth'), { method: 'HEAD', headers: right })).status, 200)
  for (const [type, body] of [
    ['application/json', '{'],
    ['application/xml', '<'],
    ['x/y', 'z'],
    ['nonsense', 'z'],
    ['multipart/form-data', 'z'],
  ]) {
    t.equal(
      (await call(url('basic-auth'), { method: 'POST', headers: { ...right, 'Content-Type': type! }, body: body! }))
        .status,
      200,
      type!,
    )
  }
  t.equal((await call(url('basic-auth'), { method: 'POST', headers: right, body: 'x'.repeat(1_100_000) })).status, 413)
})

t.test('responses and errors are JSON or XML [AUTH-1]', async t => {
  for (const [path, headers, status] of [
    ['basic-auth', right, 200],
    ['basic-auth', {}, 401],
    ['api-key', {}, 401],
    ['jwt', {}, 401],
    ['hmac', {}, 401],
    ['hmac?clock_skew=x', {}, 400],
    ['mtls', {}, 401],
    ['mtls/get-ca-cert', {}, 200],
  ] as const) {
    const xml = await call(url(path), { headers: { ...headers, Accept: 'application/xml' } })
    t.strictSame(
      [xml.status, xml.headers.get('content-type'), xml.headers.get('vary')?.includes('Accept')],
      [status, 'application/xml; charset=utf-8', true],
      path,
    )
    t.match(
      xml.text,
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<response><(?:authenticated>(?:true|false)<|ca_cert_pem>)/,
    )
    const json = await call(url(path), { headers })
    t.strictSame(
      [json.status, json.headers.get('content-type'), json.headers.get('vary')?.includes('Accept')],
      [status, 'application/json; charset=utf-8', true],
      path,
    )
  }
})
