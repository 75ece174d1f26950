/** The steps to a token for a protected MCP server (MCP authorization; RFC 9728, 8414, 7591, 7636, 8707). */
import { authorize, redirectUri, type AuthorizationResponse } from '../../lib/tokens/code-flow.ts'
import { headerOf } from '../../lib/protocol/http.ts'
import { randomSecret } from '../../lib/protocol/ids.ts'
import { sendAndRead, challengeOf, postForm, type SentExchange } from '../../lib/tokens/oauth.ts'
import type { Target } from './types.ts'

/** Results of the completed steps. */
export interface Flow {
  /** Number of completed steps. */
  done: number
  exchanges: readonly SentExchange[]
  metadataUrl?: string
  scope?: string
  resource?: string
  issuer?: string
  server?: { authorization_endpoint: string; token_endpoint: string; registration_endpoint: string }
  clientId?: string
  verifier?: string
  authorization?: AuthorizationResponse
  authorizationUrl?: string
  token?: string
}

export const START: Flow = { done: 0, exchanges: [] }

interface Step {
  title: string
  about: string
  /** Opens a window, which browsers allow only after a click. */
  needsWindow?: true
  run(
    flow: Flow,
    context: { target: Target; opened: Window | null; signal: AbortSignal },
  ): Promise<{ found: Partial<Flow>; exchange?: SentExchange }>
}

function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined || value === '') throw new Error(`The response has no ${what}.`)
  return value
}

/** A parameter of a challenge (RFC 9110, 11.2). */
function challengeParameter(challenge: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1]
}

/** URL of the metadata: the well-known part comes before the path of the issuer (RFC 8414, 3.1). */
function serverMetadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer)
  return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`
}

export const STEPS: readonly Step[] = [
  {
    title: 'Request without a token',
    about: 'The server rejects the request and names its metadata.',
    async run(_flow, { target }) {
      const exchange = await sendAndRead('Request without a token', {
        method: 'POST',
        path: target.url,
        gateway: target.gateway,
        headers: [
          { name: 'Content-Type', value: 'application/json' },
          { name: 'Accept', value: 'application/json, text/event-stream' },
        ],
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      })
      if (exchange.status !== 401)
        throw new Error(`The server returned ${exchange.status}: it does not require a token.`)
      const challenge = headerOf(exchange.headers, 'www-authenticate') ?? ''
      const scope = challengeParameter(challenge, 'scope')
      return {
        exchange,
        found: {
          metadataUrl: needed(
            challengeParameter(challenge, 'resource_metadata'),
            'resource_metadata in WWW-Authenticate',
          ),
          ...(scope === undefined ? {} : { scope }),
        },
      }
    },
  },
  {
    title: 'Resource metadata',
    about: 'Names the authorization servers that issue tokens for the server.',
    async run({ metadataUrl }) {
      const exchange = await sendAndRead('Resource metadata', { method: 'GET', path: metadataUrl! })
      const { resource, authorization_servers: servers } = exchange.body as {
        resource?: string
        authorization_servers?: string[]
      }
      return {
        exchange,
        found: { resource: needed(resource, 'resource'), issuer: needed(servers?.[0], 'authorization_servers') },
      }
    },
  },
  {
    title: 'Server metadata',
    about: 'Names the endpoints for registration, authorization and tokens.',
    async run({ issuer }) {
      const exchange = await sendAndRead('Server metadata', { method: 'GET', path: serverMetadataUrl(issuer!) })
      const server = exchange.body as NonNullable<Flow['server']>
      needed(server.registration_endpoint, 'registration_endpoint')
      return { exchange, found: { server } }
    },
  },
  {
    title: 'Register a client',
    about: 'Registers this page as a public client.',
    async run({ server, scope }) {
      const client = {
        client_name: 'svc console',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        ...(scope === undefined ? {} : { scope }),
      }
      const exchange = await sendAndRead('Register a client', {
        method: 'POST',
        path: server!.registration_endpoint,
        headers: [{ name: 'Content-Type', value: 'application/json' }],
        body: JSON.stringify(client),
      })
      return { exchange, found: { clientId: needed((exchange.body as { client_id?: string }).client_id, 'client_id') } }
    },
  },
  {
    title: 'Authorize',
    about: 'Opens a window: sign in as demo with the password demo, and approve.',
    needsWindow: true,
    async run({ server, clientId, scope, resource }, { opened, signal }) {
      const verifier = randomSecret()
      const state = randomSecret()
      const { challenge, method } = await challengeOf(verifier)
      const url = new URL(server!.authorization_endpoint)
      const params = {
        response_type: 'code',
        client_id: clientId!,
        redirect_uri: redirectUri,
        state,
        code_challenge: challenge,
        code_challenge_method: method,
        resource: resource!,
        scope: scope ?? '',
      }
      for (const [name, value] of Object.entries(params)) if (value !== '') url.searchParams.set(name, value)
      const authorization = await authorize(opened!, url.href, state, signal)
      if (authorization.error !== undefined) throw new Error(authorization.error_description ?? authorization.error)
      return { found: { verifier, authorization, authorizationUrl: url.href } }
    },
  },
  {
    title: 'Get the token',
    about: 'Exchanges the code and its verifier for a token.',
    async run({ server, clientId, verifier, authorization, resource }) {
      const exchange = await postForm(
        'Get the token',
        server!.token_endpoint,
        {
          grant_type: 'authorization_code',
          code: authorization?.code ?? '',
          redirect_uri: redirectUri,
          code_verifier: verifier!,
          resource: resource!,
        },
        { id: clientId!, secret: '' },
        null,
      )
      return {
        exchange,
        found: { token: needed((exchange.body as { access_token?: string }).access_token, 'access_token') },
      }
    },
  },
]
