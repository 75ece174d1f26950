/** simple-oauth2 5, as an example of many common clients. */
import t from 'tap'
import { AuthorizationCode, ClientCredentials, ResourceOwnerPassword } from 'simple-oauth2'
import { callback, getCode } from '../support/oauth.ts'
import { serve } from '../support/server.ts'

const server = await serve(t)
const configuration = {
  client: { id: 'svc', secret: 'svc-secret' },
  auth: { tokenHost: server.url, tokenPath: '/oauth/token', revokePath: '/oauth/revoke' },
}

t.test('client credentials [IDP-49]', async t => {
  for (const authorizationMethod of ['header', 'body'] as const) {
    const token = await new ClientCredentials({ ...configuration, options: { authorizationMethod } }).getToken({
      scope: 'a',
    })
    t.equal(token.token.scope, 'a', authorizationMethod)
    t.notOk(token.expired())
  }
})

t.test('password, refresh and revocation [IDP-49]', async t => {
  const token = await new ResourceOwnerPassword(configuration).getToken({
    username: 'alice',
    password: 'alice',
    scope: 'openid',
  })
  const refreshed = await token.refresh()
  t.not(refreshed.token.refresh_token, token.token.refresh_token)
  await refreshed.revokeAll()
  await t.rejects(refreshed.refresh())
})

t.test('authorization code [IDP-49]', async t => {
  const client = new AuthorizationCode({
    ...configuration,
    auth: { ...configuration.auth, authorizePath: '/oauth/authorize' },
  })
  t.match(client.authorizeURL({ redirect_uri: callback, scope: 'openid' }), `${server.url}/oauth/authorize?`)
  const token = await client.getToken({ code: await getCode(server.url), redirect_uri: callback })
  t.ok(token.token.id_token)
})
