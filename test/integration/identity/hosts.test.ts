/** Hosts that an issuer has for itself. */
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t, {
  settings: {
    identity: {
      listeners: [{ port: 0, name: 'pool', issuer: 'full' }],
      hosts: [
        { host: 'login.example', issuer: 'default' },
        { host: 'full.example', issuer: 'full' },
        { host: 'lost.example', issuer: 'ful' },
      ],
    },
  },
})
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const get = (Host: string, path: string) => send(url, path, { headers: { Host } })
const post = (Host: string, path: string, body: string, headers: Record<string, string> = {}) =>
  send(url, path, { method: 'POST', headers: { Host, ...FORM, ...headers }, body })

async function portOf(name: string): Promise<number> {
  const { listeners } = (await send(url, '/_svc/status')).json<{ listeners: { name: string; port: number }[] }>()
  return listeners.find(listener => listener.name === name)!.port
}

t.test('the issuer is the origin, and its endpoints are at the root', async t => {
  for (const document of ['openid-configuration', 'oauth-authorization-server']) {
    t.match((await get('full.example', `/.well-known/${document}`)).json(), {
      issuer: 'http://full.example',
      token_endpoint: 'http://full.example/token',
      jwks_uri: 'http://full.example/jwks',
    })
    t.match((await get('login.example', `/.well-known/${document}`)).json(), {
      issuer: 'http://login.example',
      token_endpoint: 'http://login.example/oauth/token',
    })
  }
  t.match((await get('full.example', '/jwks')).json(), { keys: [{}] })
  t.match((await get('login.example', '/oauth/jwks')).json(), { keys: [{}] })
  t.match((await get('login.example', '/jwks')).json(), { keys: [{}] })
  t.equal((await get('full.example', '/oauth/i/strict/jwks')).status, 404)
})

t.test('a token of the host is one of its issuer', async t => {
  const token = await post(
    'full.example',
    '/token',
    'grant_type=client_credentials&client_id=svc&client_secret=svc-secret',
  )
  const { access_token: accessToken } = token.json<{ access_token: string }>()
  t.type(accessToken, 'string', token.text)
  const claims = JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()) as { iss: string }
  t.equal(claims.iss, 'http://full.example')
  const seen = await post('full.example', '/introspect', `token=${accessToken}&client_id=svc&client_secret=svc-secret`)
  t.match(seen.json(), { active: true, iss: 'http://full.example' }, seen.text)
})

t.test('only hosts of the section name an issuer', async t => {
  t.match((await get('other.example', '/.well-known/openid-configuration')).json(), { issuer: 'http://other.example' })
  t.equal((await get('other.example', '/jwks')).status, 404)
})

t.test('the list has the hosts, and a wrong entry is a load error', async t => {
  const { issuers } = (await get('localhost', '/_svc/identity')).json<{
    issuers: { name: string; hosts?: object[] }[]
  }>()
  t.match(issuers.find(({ name }) => name === 'full')!.hosts, [{ host: 'full.example' }])
  t.match((await get('localhost', '/_svc/plugins')).json(), {
    load_errors: [{ at: 'identity.hosts[2].issuer', message: /unknown issuer/ }],
  })
})

t.test('a listener serves its issuer', async t => {
  const own = `http://127.0.0.1:${await portOf('pool')}`
  t.match((await send(own, '/.well-known/openid-configuration')).json(), { issuer: own, jwks_uri: `${own}/jwks` })
  t.match((await send(own, '/jwks')).json(), { keys: [{}] })
})
