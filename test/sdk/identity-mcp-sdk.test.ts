/** The client authorization of the MCP SDK, in single steps and as a complete flow. */
import t from 'tap'
import {
  auth,
  discoverAuthorizationServerMetadata,
  exchangeAuthorization,
  refreshAuthorization,
  registerClient,
  startAuthorization,
  type OAuthClientProvider,
} from '@modelcontextprotocol/sdk/client/auth.js'
import type {
  OAuthClientInformationFull,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { encode, read } from '../support/oauth.ts'
import { serve } from '../support/server.ts'

const server = await serve(t)
const redirectUrl = 'http://localhost:6274/oauth/callback'
const resource = new URL(`${server.url}/mcp/protected`)

async function browse(url: URL): Promise<string> {
  const response = await fetch(url.origin + url.pathname, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `${url.searchParams}&${encode({ username: 'demo', password: 'demo' })}`,
  })
  return new URL(response.headers.get('location')!).searchParams.get('code')!
}

for (const method of ['none', 'client_secret_basic', 'client_secret_post']) {
  t.test(`registers, authorizes, exchanges and refreshes with ${method} [IDP-49] [IDP-45]`, async t => {
    const metadata = await discoverAuthorizationServerMetadata(server.url)
    t.ok(metadata)
    const clientMetadata: OAuthClientMetadata = {
      redirect_uris: [redirectUrl],
      client_name: 'MCP client',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
    }
    const clientInformation = await registerClient(server.url, { metadata, clientMetadata })
    const { authorizationUrl, codeVerifier } = await startAuthorization(server.url, {
      metadata,
      clientInformation,
      redirectUrl,
      scope: 'mcp:tools',
      state: 's',
      resource,
    })
    const tokens = await exchangeAuthorization(server.url, {
      metadata,
      clientInformation,
      authorizationCode: await browse(authorizationUrl),
      codeVerifier,
      redirectUri: redirectUrl,
      resource,
    })
    t.match(read(tokens.access_token).claims, { aud: resource.href, scope: 'mcp:tools', sub: 'demo' })
    const refreshed = await refreshAuthorization(server.url, {
      metadata,
      clientInformation,
      refreshToken: tokens.refresh_token!,
      resource,
    })
    t.equal(read(refreshed.access_token).claims.aud, resource.href)
  })
}

t.test('the demo client, with an unencoded secret [IDP-49] [IDP-7]', async t => {
  const metadata = await discoverAuthorizationServerMetadata(server.url)
  const clientInformation = { client_id: 'svc', client_secret: 'svc-secret' }
  const { authorizationUrl, codeVerifier } = await startAuthorization(server.url, {
    metadata,
    clientInformation,
    redirectUrl,
  })
  const tokens = await exchangeAuthorization(server.url, {
    metadata,
    clientInformation,
    authorizationCode: await browse(authorizationUrl),
    codeVerifier,
    redirectUri: redirectUrl,
  })
  t.ok(tokens.id_token)
})

t.test('the complete flow with the protected MCP server [IDP-49]', async t => {
  const kept: { information?: OAuthClientInformationFull; tokens?: OAuthTokens; verifier?: string; url?: URL } = {}
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      redirect_uris: [redirectUrl],
      client_name: 'MCP client',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.information,
    saveClientInformation: information => {
      kept.information = information as OAuthClientInformationFull
    },
    tokens: () => kept.tokens,
    saveTokens: tokens => {
      kept.tokens = tokens
    },
    redirectToAuthorization: url => {
      kept.url = url
    },
    saveCodeVerifier: verifier => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier!,
  }
  t.equal(await auth(provider, { serverUrl: resource }), 'REDIRECT')
  t.equal(await auth(provider, { serverUrl: resource, authorizationCode: await browse(kept.url!) }), 'AUTHORIZED')
  const first = kept.tokens?.access_token
  t.equal(await auth(provider, { serverUrl: resource }), 'AUTHORIZED', 'by the refresh token')
  t.not(kept.tokens?.access_token, first)
})
