/** The host that a request names does not decide what URLs mean: those of settings and allowed hosts stay other servers. */
import t from 'tap'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose'
import { authorization, call, callback, encode, type Body, type Fields } from '../../support/oauth.ts'
import { send, type RequestOptions } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const JSON_TYPE = { 'Content-Type': 'application/json' }

const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const received: string[] = []
const tenant = await listen((request, send) => {
  received.push(`${request.method} ${request.url}`)
  if (request.url?.endsWith('/jwks') || request.url?.startsWith('/bin/'))
    void exportJWK(publicKey).then(jwk => send({ keys: [{ ...jwk, kid: 'tenant' }] }))
  else send({})
})
const tenantHost = `127.0.0.1:${(tenant.address() as AddressInfo).port}`
const tenantUrl = `http://${tenantHost}`

async function listen(answer: (request: IncomingMessage, send: (value: object) => void) => void): Promise<Server> {
  const server = createServer((request, response) => answer(request, value => response.end(JSON.stringify(value))))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return server
}

const server = await serve(t, {
  plugins: ['identity', 'echo', 'bins'],
  settings: {
    identity: {
      fetch_allow: [tenantHost, 'allowed.example'],
      issuers: [
        {
          name: 'trusting',
          trust: [
            { issuer: 'https://tenant.example', jwks_uri: `${tenantUrl}/oauth/jwks`, types: ['workload'] },
            {
              issuer: 'https://unlisted.example',
              jwks_uri: 'http://unlisted.example/oauth/i/full/jwks',
              types: ['workload'],
            },
            { issuer: 'https://own.example', jwks_uri: '/oauth/i/workload/jwks', types: ['workload'] },
          ],
          clients: [
            {
              client_id: 'listed',
              client_secret: 's',
              redirect_uris: [callback],
              backchannel_logout_uri: `${tenantUrl}/echo/bye`,
            },
          ],
        },
      ],
    },
  },
})
/** Sends a request that names a host. */
async function ask(host: string, path: string, { headers = {}, ...options }: RequestOptions = {}) {
  const reply = await send(server.url, path, { ...options, headers: { ...headers, Host: host } })
  const isJson = reply.headers['content-type']?.startsWith('application/json') === true
  return { status: reply.status, headers: reply.headers, text: reply.text, body: isJson ? reply.json<Body>() : {} }
}
type Asked = Awaited<ReturnType<typeof ask>>

const post = (host: string, path: string, fields: Fields): Promise<Asked> =>
  ask(host, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: encode(fields),
  })

/** A token that this instance signs to order, for anybody. */
async function order(issuer: string, body: object): Promise<string> {
  const answer = await call(`${server.url}/oauth/i/${issuer}/debug/token`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  })
  return String(answer.body.token)
}

const assert = async (host: string, assertion: string): Promise<Body> =>
  (await post(host, '/oauth/i/trusting/token', { grant_type: JWT_BEARER, assertion })).body
const audience = (host: string): string => `http://${host}/oauth/i/trusting`
const own = new URL(server.url).host

t.test('a key set of the settings is never an own one, and the kept keys are those of its host [IDN-27]', async t => {
  for (const [iss, host] of [
    ['https://tenant.example', tenantHost],
    ['https://unlisted.example', 'unlisted.example'],
  ] as const) {
    const forged = await order('full', { kind: 'workload', issuer: iss, audience: audience(host) })
    t.equal((await assert(host, forged)).error, 'invalid_grant', `${iss} by Host`)
    const again = await order('full', { kind: 'workload', issuer: iss, audience: audience(own) })
    t.equal((await assert(own, again)).error, 'invalid_grant', `${iss}: no own keys were kept`)
  }
  const right = new SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: 'tenant' })
    .setIssuer('https://tenant.example')
    .setSubject('job')
    .setAudience(audience(own))
    .setExpirationTime('1m')
  t.ok((await assert(own, await right.sign(privateKey))).access_token, 'the real one is accepted')
})

t.test('settings can name a path of this instance, for every host [IDN-27]', async t => {
  for (const host of [own, 'gateway.example', 'other.example:8080']) {
    const token = await order('workload', {
      kind: 'workload',
      issuer: 'https://own.example',
      audience: audience(host),
    })
    t.ok((await assert(host, token)).access_token, host)
  }
})

t.test('a client registers a URL as it sees this instance, and has that path for good [IDN-27]', async t => {
  const key = (await call(`${server.url}/oauth/i/full/debug/keys/svc-jwt`)).body as JWK
  const { d: _, ...shown } = key
  const made = String(
    (
      await call(`${server.url}/bin`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ headers: JSON_TYPE, body: JSON.stringify({ keys: [shown] }) }),
      })
    ).body.id,
  )
  const register = async (host: string, jwks_uri: string): Promise<Asked> =>
    ask(host, '/oauth/i/full/register', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({
        token_endpoint_auth_method: 'private_key_jwt',
        grant_types: ['client_credentials'],
        jwks_uri,
      }),
    })
  const authenticate = async (host: string, id: string): Promise<number> => {
    const assertion = await new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: key.kid! })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(`http://${host}/oauth/i/full`)
      .setExpirationTime('1m')
      .sign(await importJWK(key, 'ES256'))
    const fields = { grant_type: 'client_credentials', client_assertion_type: ASSERTION, client_assertion: assertion }
    return (await post(host, '/oauth/i/full/token', fields)).status
  }
  const ownClient = await register('gateway.example', `http://gateway.example/bin/${made}/keys`)
  t.match(ownClient.body, { jwks_uri: `http://gateway.example/bin/${made}/keys` }, 'the URL is shown as registered')
  for (const host of ['gateway.example', 'other.example', own])
    t.equal(await authenticate(host, ownClient.body.client_id!), 200, `through ${host}`)

  const forged = await register(tenantHost, `${tenantUrl}/bin/${made}/keys`)
  t.equal(await authenticate(tenantHost, forged.body.client_id!), 401, 'an allowed host is not this instance')
  t.ok(received.includes(`GET /bin/${made}/keys`), 'it was asked')
  t.equal(
    (await register('gateway.example', `http://elsewhere.example/bin/${made}/keys`)).body.error,
    'invalid_client_metadata',
  )
})

t.test('the document of a client at an allowed host is never an own one [IDN-27]', async t => {
  const show = (host: string, client_id: string): Promise<Asked> =>
    ask(
      host,
      `/oauth/i/full/authorize?${encode({
        ...authorization({ client_id, redirect_uri: 'http://127.0.0.1:5/callback' }),
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'plain',
      })}`,
    )
  const id = (host: string): string => `http://${host}/oauth/i/full/clients/cli.json`
  t.equal((await show('gateway.example', id('gateway.example'))).status, 200, 'an own document')
  for (const host of ['allowed.example', tenantHost])
    t.match(await show(host, id(host)), { status: 400, text: /invalid_client/ }, host)
})

t.test('logout tokens go to the host of the settings, whatever host the request names [IDN-27]', async t => {
  const before = received.length
  const code = new URL(
    (
      await ask(
        tenantHost,
        `/oauth/i/trusting/authorize?${encode(authorization({ client_id: 'listed', scope: 'openid', svc_login: 'auto' }))}`,
      )
    ).headers.location!,
  ).searchParams.get('code')!
  const { body } = await post(tenantHost, '/oauth/i/trusting/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    client_id: 'listed',
    client_secret: 's',
  })
  await ask(tenantHost, `/oauth/i/trusting/logout?${encode({ id_token_hint: body.id_token })}`)
  await until(() => received.length > before, 'the notification')
  t.equal(received.at(-1), 'POST /echo/bye')
})
