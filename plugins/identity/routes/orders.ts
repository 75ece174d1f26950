/** Custom tokens: any claims, header, dates, key, signature and form, valid or not, to test what a gateway rejects. */
import { describe, type FastifyInstance, type FastifyRequest, HttpError, Pacer, readQuery } from 'svc/plugin'
import type { Issuer } from '../issuers/issuer.ts'
import { readJson } from '../oauth/json-body.ts'
import { sendJson } from '../oauth/json-response.ts'
import { createOrder } from '../orders/create-order.ts'
import { MAX_BYTES, type Order, ORDER_SCHEMA, parseOrder, parsePresets } from '../orders/order.ts'
import { PRESETS } from '../orders/presets.ts'
import type { Provider } from '../provider/provider.ts'
import type { OrderedToken } from '../types.ts'
import { registerEndpoint } from './issuer-routes.ts'
import { CATEGORY, jsonExample } from './route-parts.ts'
import { OAUTH_DEBUG_JWKS, OAUTH_DEBUG_TOKENS, OAUTH_DEBUG_TOKEN_POST } from '../replies.ts'

const ORDER_PATH = '/oauth/debug/token'
const LIST_PATH = '/oauth/debug/tokens'
const PUBLIC_MAX_BYTES = 16_384

/** The tool for a language model: an order for the default issuer, or another one. */
function addTool({ use }: Pick<Provider['svc'], 'use'>): void {
  const { properties, ...schema } = ORDER_SCHEMA
  const issuer_name = { type: 'string', minLength: 1, maxLength: 200, description: 'Default: the issuer at /oauth' }
  use('control.tools')!.tool({
    name: 'order_token',
    operation: { method: 'POST', path: ORDER_PATH },
    inputSchema: { ...schema, properties: { issuer_name, ...(properties as object) } },
    request: ({ issuer_name: name, ...order }) => ({
      method: 'POST',
      path: name === undefined ? ORDER_PATH : `/oauth/i/${encodeURIComponent(String(name))}/debug/token`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(order)),
    }),
  })
}

/** Registers the debug endpoints. In public mode they are for admins only, because they sign any claims. */
export function registerOrderRoutes(app: FastifyInstance, provider: Provider): void {
  const { svc } = provider
  const { publicMode } = svc.config
  const maxBytes = publicMode ? PUBLIC_MAX_BYTES : MAX_BYTES
  /** Lists that were made in the current second. */
  const rate = svc.shared('order-rate', () => ({ second: 0, count: 0 }))
  const maxLists = publicMode ? 2 : 10

  function limitLists(): void {
    const second = Math.floor(Date.now() / 1000)
    if (rate.second !== second) Object.assign(rate, { second, count: 0 })
    if (++rate.count > maxLists)
      throw new HttpError(
        429,
        { error: 'too_many_requests', error_description: `at most ${maxLists} lists of tokens a second` },
        { 'Retry-After': '1' },
      )
  }

  addTool(svc)
  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'debug/token',
    description: {
      category: CATEGORY,
      summary: 'Create a debug token, valid or not',
      reply: OAUTH_DEBUG_TOKEN_POST,
      description:
        'Creates a token with any claims, header, dates, key, signature and form, to test what a gateway accepts. `accept` and `why` are what a correct verifier of this issuer says.',
      requestBody: {
        description: 'Differences from a normal access token, or a preset',
        content: { 'application/json': ORDER_SCHEMA },
      },
      responses: {
        200: { description: 'The token with its header and claims' },
        400: { description: '`invalid_request`' },
      },
      examples: [
        jsonExample('Expired', ORDER_PATH, { expires_in: -60 }, 200),
        jsonExample('Preset', ORDER_PATH, { preset: 'hs-confusion' }, 200),
        jsonExample(
          'Custom claims, unknown key',
          ORDER_PATH,
          { claims: { sub: 'carol', roles: ['admin'] }, key: 'unpublished', kid: 'retired-key' },
          200,
        ),
        jsonExample('Wrong signature', ORDER_PATH, { wrong_signature: true }, 200),
      ],
    },
    async handle({ issuer, request, reply }) {
      if (publicMode) svc.http.guardAdmin(request)
      const body = readJson(request.headers['content-type'], svc.http.body(request), 'invalid_request')
      const order = parseOrder(body, maxBytes)
      // An order may have tens of thousands of claims.
      await new Pacer().pause()
      const ordered = await orderToken(order, issuer, request, provider)
      await new Pacer().pause()
      return sendJson(reply, ordered)
    },
  })

  registerEndpoint(app, provider, {
    method: 'GET',
    endpoint: 'debug/tokens',
    description: {
      category: CATEGORY,
      summary: 'Create a debug token of each preset',
      reply: OAUTH_DEBUG_TOKENS,
      description: 'One request gives a test of a gateway its whole matrix: tokens, and whether each must be accepted.',
      parameters: [
        {
          name: 'presets',
          in: 'query',
          description: 'Names separated by commas. Default: all',
          schema: { type: 'string' },
        },
        { name: 'audience', in: 'query', description: 'Audience of the tokens', schema: { type: 'string' } },
        { name: 'scope', in: 'query', description: 'Scope of the tokens', schema: { type: 'string' } },
      ],
      responses: {
        200: { description: 'The tokens' },
        400: { description: '`invalid_request`: unknown preset' },
        429: { description: `More than ${maxLists} lists a second` },
      },
      examples: [{ name: 'Some presets', path: `${LIST_PATH}?presets=valid,expired`, expectStatus: 200 }],
    },
    async handle({ issuer, url, request, reply }) {
      if (publicMode) svc.http.guardAdmin(request)
      const query = readQuery(request)
      const names = parsePresets(query.get('presets') ?? undefined)
      limitLists()
      const audience = query.get('audience') || issuer.settings.access_token.audience
      const scope = query.get('scope') || undefined
      const made = await Promise.all(
        names.map(async preset => {
          const shared = { audience, ...(scope !== undefined && { scope }) }
          const order = { ...shared, ...parseOrder({ preset }, maxBytes) }
          const { token, accept, why } = await orderToken(order, issuer, request, provider, audience)
          return { preset, token, accept, why, description: PRESETS[preset]!.description }
        }),
      )
      const jwksUri = issuer === provider.issuers.default ? `${url}/oauth/jwks` : `${url}/jwks`
      return sendJson(reply, { issuer: url, jwks_uri: jwksUri, audience, tokens: made })
    },
  })

  app.get(
    '/oauth/debug/jwks',
    describe({
      category: CATEGORY,
      summary: 'Keys of debug tokens with the header jku',
      reply: OAUTH_DEBUG_JWKS,
      description: 'No issuer has these keys: a verifier that fetches them was deceived.',
      takes: 'documents',
      responses: { 200: { description: 'A JWK Set' } },
      examples: [{ name: 'Keys', path: '/oauth/debug/jwks', expectStatus: 200 }],
    }),
    async (_request, reply) => sendJson(reply, { keys: await provider.orderKeys.published() }),
  )
}

/** Makes the token of an order. `audience` is what the verifier expects. */
export async function orderToken(
  order: Order,
  issuer: Issuer,
  request: FastifyRequest,
  provider: Provider,
  audience = issuer.settings.access_token.audience,
): Promise<OrderedToken> {
  const url = issuer.url(request)
  return createOrder(order, {
    issuer,
    url,
    baseUrl: provider.svc.http.baseUrl(request),
    keys: provider.orderKeys,
    verify: token =>
      provider.verify(issuer, token, {
        issuer: url,
        audiences: [audience],
        typ: issuer.settings.access_token.typ.toLowerCase(),
      }),
  })
}
