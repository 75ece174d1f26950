/** Clients that need HTTPS: with a certificate, and with a metadata document as client id. */
import t from 'tap'
import {
  Client,
  DpopSession,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import * as client from 'openid-client'
import { httpsFetch, type TlsIdentity } from '../support/https-fetch.ts'
import { call, read } from '../support/oauth.ts'
import { serve } from '../support/server.ts'

const server = await serve(t, {
  oneProcess: 'each process has its own HTTPS port',
  yaml: `plugins: { enable: [identity, mcp, auth] }
mcp:
  servers:
    - { name: bound, auth: oauth, issuer: full, dpop: required, tools: [echo] }
    - { name: nonces, auth: oauth, issuer: nonces, dpop: required, tools: [echo] }
identity:
  issuers: [{ name: nonces, dpop: { nonce: true }, require: [dpop] }]
`,
})
const origin = `https://localhost:${server.ports.https}`
const ca = String((await call(`${server.url}/auth/mtls/get-ca-cert`)).body.ca_cert_pem)

/** A `fetch` that ends with the test. */
function fetchOf(t: { teardown(callback: () => unknown): unknown }, more: Partial<TlsIdentity> = {}): typeof fetch {
  const { fetch: send, close } = httpsFetch({ ca, ...more })
  t.teardown(close)
  return send
}

t.test('openid-client: tls_client_auth at the addresses for certificates [IDN-16] [IDN-20]', async t => {
  const { cert_pem, key_pem } = (await call(`${server.url}/auth/mtls/get-client-cert`)).body
  const configure = (send: typeof fetch, useAliases = true): Promise<client.Configuration> =>
    client.discovery(
      new URL(`${server.url}/oauth/i/full`),
      'svc-mtls',
      { use_mtls_endpoint_aliases: useAliases },
      client.TlsClientAuth(),
      {
        execute: [client.allowInsecureRequests],
        [client.customFetch]: (url, options) => send(url, options as RequestInit),
      },
    )
  const config = await configure(fetchOf(t, { cert: String(cert_pem), key: String(key_pem) }))
  const { access_token } = await client.clientCredentialsGrant(config)
  t.match(read(access_token).claims, { client_id: 'svc-mtls', cnf: { 'x5t#S256': /^[\w-]{43}$/ } })
  t.match(await client.tokenIntrospection(config, access_token), { active: true, client_id: 'svc-mtls' })

  const callback = 'http://localhost:3000/callback'
  const url = client.buildAuthorizationUrl(config, { redirect_uri: callback, scope: 'openid', svc_login: 'auto' })
  const { headers } = await fetch(url, { redirect: 'manual' })
  const tokens = await client.authorizationCodeGrant(config, new URL(headers.get('location')!))
  t.equal(tokens.claims()!.iss, `${server.url}/oauth/i/full`, 'the issuer of the metadata, not of the address')
  t.equal((await client.fetchUserInfo(config, tokens.access_token, 'demo')).sub, 'demo')
  t.ok((await client.refreshTokenGrant(config, tokens.refresh_token!)).access_token)

  for (const other of [await configure(fetchOf(t)), await configure(fetch, false)])
    await t.rejects(client.clientCredentialsGrant(other), client.WWWAuthenticateChallengeError, 'no certificate')
})

type Information = Parameters<NonNullable<OAuthClientProvider['saveClientInformation']>>[0]

/** A client without registration: its id is the URL of a document of this instance. */
class DocumentClient implements OAuthClientProvider {
  readonly clientMetadataUrl = `${origin}/oauth/i/full/clients/cli.json`
  readonly redirectUrl = 'http://127.0.0.1:9/callback'
  readonly clientMetadata = { client_name: 'test', redirect_uris: [this.redirectUrl] }
  readonly #send: typeof fetch
  readonly #session = DpopSession.create()
  #verifier = ''
  #information: Information | undefined
  saved: StoredOAuthTokens | undefined
  callback = new URLSearchParams()

  constructor(send: typeof fetch) {
    this.#send = send
  }
  dpop() {
    return this.#session
  }
  clientInformation() {
    return this.#information
  }
  saveClientInformation(information: Information) {
    this.#information = information
  }
  tokens() {
    return this.saved
  }
  saveTokens(tokens: StoredOAuthTokens) {
    this.saved = tokens
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier() {
    return this.#verifier
  }
  async redirectToAuthorization(url: URL): Promise<void> {
    url.searchParams.set('svc_login', 'auto')
    const { headers } = await this.#send(url, { redirect: 'manual' })
    this.callback = new URL(headers.get('location') ?? 'http://none').searchParams
  }
}

t.test('the MCP client: a metadata document as client id, and DPoP [IDN-19] [IDN-24]', async t => {
  for (const name of ['bound', 'nonces']) {
    const send = fetchOf(t)
    const endpoint = new URL(`${origin}/mcp/servers/${name}`)
    const provider = new DocumentClient(send)
    const transport = (): StreamableHTTPClientTransport =>
      new StreamableHTTPClientTransport(endpoint, { authProvider: provider, fetch: send })
    const first = transport()
    await t.rejects(new Client({ name: 'test', version: '1' }).connect(first), /Unauthorized/i, 'it redirects first')
    await first.finishAuth(provider.callback)
    t.match(provider.saved, { token_type: 'DPoP' }, name)
    const { thumbprint } = await provider.dpop()
    t.match(read(provider.saved!.access_token).claims, {
      client_id: provider.clientMetadataUrl,
      aud: endpoint.href,
      cnf: { jkt: thumbprint },
    })
    const connected = new Client({ name: 'test', version: '1' })
    await connected.connect(transport())
    t.match(await connected.callTool({ name: 'echo', arguments: { text: 'hello' } }), { content: [{ type: 'text' }] })
    await connected.close()
    // The token alone is not enough.
    const { status } = await send(endpoint, {
      method: 'POST',
      headers: { authorization: `Bearer ${provider.saved!.access_token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    t.equal(status, 401)
  }
})
