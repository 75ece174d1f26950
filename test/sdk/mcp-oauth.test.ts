/** End-to-end OAuth on the protected server with the official clients: discovery, registration, PKCE, step-up. */
import t from 'tap'
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { startGateway } from '../support/gateway.ts'
import { serve } from '../support/server.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

type Registration = NonNullable<Awaited<ReturnType<OAuthClientProvider['clientInformation']>>>
type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider['tokens']>>>

const REDIRECT = 'http://127.0.0.1:9/callback'

/** Stores the state of a client, and acts as the user who signs in and consents in the browser. */
class Browser implements OAuthClientProvider {
  registration: Registration | undefined
  saved: Tokens | undefined
  verifier = ''
  /** Scopes of the authorization requests, in turn. */
  readonly asked: (string | null)[] = []
  readonly challenges: (string | null)[] = []
  /** Parameters of the redirect back. */
  callback = new URLSearchParams()

  get redirectUrl() {
    return REDIRECT
  }
  get clientMetadata() {
    return {
      client_name: 'test',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }
  clientInformation() {
    return this.registration
  }
  saveClientInformation(registration: Registration) {
    this.registration = registration
  }
  tokens() {
    return this.saved
  }
  /** Without a refresh token: with one, the 1.x client renews the old scope instead of asking for more. */
  saveTokens(tokens: Tokens) {
    this.saved = { ...tokens, refresh_token: undefined }
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked.push(url.searchParams.get('scope'))
    this.challenges.push(url.searchParams.get('code_challenge_method'))
    this.callback = await signInAsDemo(url)
  }
}

/** Submits the sign-in page and returns the parameters of the redirect. */
async function signInAsDemo(url: URL): Promise<URLSearchParams> {
  const page = await fetch(url, { redirect: 'manual' })
  const direct = page.headers.get('location')
  if (direct) return new URL(direct).searchParams
  const html = await page.text()
  const action = /<form[^>]*action="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const form = new URLSearchParams()
  for (const [tag] of html.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1]
    if (name)
      form.set(name, (/value="([^"]*)"/.exec(tag)?.[1] ?? '').replaceAll('&amp;', '&').replaceAll('&quot;', '"'))
  }
  form.set('username', 'demo')
  form.set('password', 'demo')
  const answer = await fetch(new URL(action || url, url), { method: 'POST', body: form, redirect: 'manual' })
  return new URL(answer.headers.get('location') ?? 'http://none').searchParams
}

t.test(
  'the 1.x client finds the provider, registers, signs in with PKCE and steps up [MCP-32, MCP-33, MCP-40]',
  async t => {
    const { url } = await serve(t)
    const endpoint = new URL(`${url}/mcp/protected`)
    const browser = new Browser()
    const connect = async () => {
      const transport = new Transport1(endpoint, { authProvider: browser })
      const client = new Client1({ name: 'test', version: '1' })
      await client.connect(transport)
      return { client, transport }
    }
    t.ok((await connect().catch((error: unknown) => error)) instanceof UnauthorizedError, 'it redirects first')
    t.match(browser.registration?.client_id, /./)
    t.strictSame([browser.asked, browser.challenges], [['mcp:tools'], ['S256']], 'the scope is the challenge’s')
    await new Transport1(endpoint, { authProvider: browser }).finishAuth(browser.callback.get('code') ?? '')
    const { client, transport } = await connect()
    t.match(await client.callTool({ name: 'inspect_request' }), {
      structuredContent: { tokenClaims: { sub: /./, aud: /protected/, scope: 'mcp:tools' } },
    })
    await t.rejects(
      client.callTool({ name: 'cancel_order', arguments: { order_id: 'o5' } }),
      'the missing scope sends it to the provider again',
    )
    t.match(browser.asked[1], /mcp:tools:write/)
    await transport.finishAuth(browser.callback.get('code') ?? '')
    t.match(await client.callTool({ name: 'cancel_order', arguments: { order_id: 'o5' } }), {
      structuredContent: { status: 'cancelled' },
    })
    await client.close()
  },
)

t.test('the 2.x client does the same in the stateless revision [MCP-32, MCP-40]', async t => {
  const { url } = await serve(t)
  const endpoint = new URL(`${url}/mcp/protected`)
  const browser = new Browser()
  const connect = async () => {
    const transport = new Transport2(endpoint, { authProvider: browser })
    const client = new Client2({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(transport)
    return { client, transport }
  }
  await t.rejects(connect())
  t.strictSame(browser.asked, ['mcp:tools'])
  await new Transport2(endpoint, { authProvider: browser }).finishAuth(browser.callback)
  const { client, transport } = await connect()
  t.match(await client.callTool({ name: 'inspect_request', arguments: {} }), {
    structuredContent: { protocolVersion: '2026-07-28', tokenClaims: { scope: 'mcp:tools' } },
  })
  await t.rejects(client.callTool({ name: 'cancel_order', arguments: { order_id: 'o5' } }))
  t.match(browser.asked[1], /mcp:tools:write/)
  await transport.finishAuth(browser.callback)
  t.match(await client.callTool({ name: 'cancel_order', arguments: { order_id: 'o5' } }), {
    structuredContent: { status: 'cancelled' },
  })
  await client.close()
})

/** An instance behind a gateway that strips `/demo`, and one with this base path. */
const BEHIND_A_PREFIX: readonly [
  how: string,
  baseUrl: (t: { teardown(callback: () => unknown): unknown }) => Promise<string>,
][] = [
  [
    'a gateway that says so in X-Forwarded-Prefix',
    async t =>
      (await startGateway(t, (await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })).url, { isPrefixOnly: true })).url,
  ],
  [
    'a gateway that says nothing, with SVC_BASE_PATH',
    async t =>
      (await startGateway(t, (await serve(t, { env: { SVC_BASE_PATH: '/demo' } })).url, { isPrefixOnly: true })).url,
  ],
  ['SVC_BASE_PATH alone', async t => `${(await serve(t, { env: { SVC_BASE_PATH: '/demo' } })).url}/demo`],
]

for (const [how, start] of BEHIND_A_PREFIX) {
  t.test(`both clients sign in and call tools below a path prefix: ${how} [PREFIX-6]`, async t => {
    const base = await start(t)
    const endpoint = new URL(`${base}/mcp/protected`)
    for (const Transport of [Transport1, Transport2]) {
      const browser = new Browser()
      const client = () =>
        Transport === Transport1
          ? new Client1({ name: 'test', version: '1' })
          : new Client2({ name: 'test', version: '1' })
      // Only the transport that received the challenge knows the metadata URL, so it must finish.
      const first = new Transport(endpoint, { authProvider: browser })
      await t.rejects(client().connect(first as never), /Unauthorized/i, 'it redirects first')
      if (first instanceof Transport1) await first.finishAuth(browser.callback.get('code') ?? '')
      else await first.finishAuth(browser.callback)
      const signedIn = client()
      await signedIn.connect(new Transport(endpoint, { authProvider: browser }) as never)
      t.match(await signedIn.callTool({ name: 'inspect_request', arguments: {} }), {
        structuredContent: { tokenClaims: { iss: base, aud: endpoint.href } },
      })
      await signedIn.close()
    }
  })

  t.test(`the HTTP+SSE transport finds its message path below a path prefix: ${how} [PREFIX-6]`, async t => {
    const client = new Client1({ name: 'test', version: '1' })
    await client.connect(new SSEClientTransport(new URL(`${await start(t)}/mcp/sse`)))
    t.ok((await client.listTools()).tools.length > 0)
    await client.close()
  })
}
