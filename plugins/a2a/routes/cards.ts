/** Owns the routes of the public cards and of the agent directory (A2A 1.0, 8). */
import { createHash } from 'node:crypto'
import {
  describe,
  HttpError,
  isFlagSet,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
} from 'svc/plugin'
import { namesTag } from 'svc/toolkit'
import type { A2a } from '../a2a.ts'
import { renderVariant, subjectOf } from '../operations/card.ts'
import { combinedCard } from '../cards/combined.ts'
import type { CardSubject } from '../cards/shared-fields.ts'
import { cardV03 } from '../cards/v0.3.ts'
import { CARD_VARIANTS, type CardVariant, isCardVariant } from '../cards/variants.ts'
import type { JsonObject } from '../types.ts'
import { agentOf } from './agent.ts'
import { A2A, A2A_JWKS_JSON } from '../replies.ts'

const CARD = 'Agent card'
const LEGACY_CARD = 'Agent card, protocol 0.3'
const ROUTES: readonly { route: string; summary: string; render: (subject: CardSubject) => JsonObject }[] = [
  { route: '/.well-known/agent-card.json', summary: `${CARD} of the default agent`, render: combinedCard },
  { route: '/.well-known/agent.json', summary: `${LEGACY_CARD} of the default agent`, render: cardV03 },
  // Clients resolve the well-known path against the URL that they are given.
  {
    route: '/a2a/.well-known/agent-card.json',
    summary: `${CARD} of the default agent, below /a2a`,
    render: combinedCard,
  },
  { route: '/a2a/.well-known/agent.json', summary: `${LEGACY_CARD} of the default agent, below /a2a`, render: cardV03 },
  { route: '/a2a/:agent', summary: CARD, render: combinedCard },
  { route: '/a2a/:agent/', summary: `${CARD}, with a slash at the end`, render: combinedCard },
  { route: '/a2a/:agent/.well-known/agent-card.json', summary: `${CARD} at its well-known path`, render: combinedCard },
  { route: '/a2a/:agent/.well-known/agent.json', summary: LEGACY_CARD, render: cardV03 },
]

const VARIANT_ROUTES = ['/a2a/:agent/cards/:variant', '/a2a/:agent/cards/:variant/.well-known/agent-card.json']

export function registerCards(app: FastifyInstance, a2a: A2a): void {
  app.get('/a2a', describe(directory), request => renderDirectory(a2a, request))
  app.get('/a2a/', describe(directoryWithSlash), request => renderDirectory(a2a, request))
  for (const { route, summary, render } of ROUTES) {
    app.get(route, describe(describeCard(route, summary)), async (request, reply) =>
      sendCard(request, reply, await plainCard(a2a, request, render)),
    )
  }
  for (const route of VARIANT_ROUTES)
    app.get(route, describe(describeVariant(route)), async (request, reply) =>
      sendCard(request, reply, await renderVariant(a2a, agentOf(a2a, request), request, variantOf(request))),
    )
  app.get('/a2a/jwks.json', describe(describeKeys), (_request, reply) =>
    reply.header('Cache-Control', 'no-cache').send(a2a.signer.jwks),
  )
}

/** The configured variant takes the place of the card of 1.0, but not of that of 0.3. */
async function plainCard(
  a2a: A2a,
  request: FastifyRequest,
  render: (subject: CardSubject) => JsonObject,
): Promise<JsonObject> {
  const agent = agentOf(a2a, request)
  const { card } = a2a.svc.options
  if (card !== undefined && render === combinedCard) return renderVariant(a2a, agent, request, card)
  return render(subjectOf(a2a, agent, request))
}

/** Throws 404 with the known variants. */
function variantOf(request: FastifyRequest): CardVariant {
  const { variant } = request.params as { variant: string }
  if (isCardVariant(variant)) return variant
  throw new HttpError(404, { error: 'unknown_variant', variant, variants: CARD_VARIANTS })
}

/** Answers 304 when the client has this card already (RFC 9110, 13.1.2). */
function sendCard(request: FastifyRequest, reply: FastifyReply, card: JsonObject): FastifyReply {
  const body = Buffer.from(JSON.stringify(card))
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  void reply.headers({ ETag: tag, 'Cache-Control': 'public, max-age=300', Vary: 'Host' })
  if (namesTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.header('Content-Type', 'application/json').send(body)
}

function renderDirectory(a2a: A2a, request: FastifyRequest): JsonObject {
  const isAll = isFlagSet(request, 'all')
  const base = a2a.svc.http.baseUrl(request)
  const hostsOf = (id: string) => {
    const hosts = a2a.svc.http.hosts(request, `/a2a/${id}`, '/.well-known/agent-card.json')
    return hosts.length === 0 ? {} : { hosts }
  }
  return {
    protocolVersions: ['1.0', '0.3'],
    versionHeader: 'A2A-Version',
    defaultAgent: `${base}/a2a`,
    agents: (isAll ? a2a.agents.all() : a2a.agents.list()).map(({ id, name, description, requiresToken, listed }) => ({
      id,
      name,
      description,
      jsonrpc: `${base}/a2a/${id}`,
      rest: `${base}/a2a/${id}/v1`,
      card: `${base}/a2a/${id}/.well-known/agent-card.json`,
      legacyCard: `${base}/a2a/${id}/.well-known/agent.json`,
      requiresAuth: requiresToken === true,
      ...hostsOf(id),
      ...(listed === false ? { test: true } : {}),
    })),
    webhookSink: `${base}/a2a/webhook-sink/{id}`,
  }
}

const directory: RouteDescription = {
  category: 'A2A Agents',
  summary: 'List the agents',
  reply: A2A,
  responses: { 200: { description: 'All agents with their endpoints and cards' } },
  examples: [{ name: 'Directory', path: '/a2a', expectStatus: 200 }],
}

const directoryWithSlash: RouteDescription = {
  ...directory,
  summary: 'List the agents, with a slash at the end',
  reply: A2A,
  examples: [{ name: 'Directory', path: '/a2a/', expectStatus: 200 }],
}

function describeCard(route: string, summary: string): RouteDescription {
  const hasAgent = route.includes(':agent')
  return {
    category: 'A2A Agents',
    summary,
    // To OpenAPI, the path with a slash would be ambiguous.
    ...(route === '/a2a/:agent/' ? { path: '/a2a/{agent}' } : {}),
    parameters: hasAgent ? [AGENT_PARAMETER] : [],
    responses: {
      200: { description: 'The agent card' },
      304: { description: 'The card has not changed (If-None-Match)' },
      ...(hasAgent ? { 404: { description: 'Unknown agent' } } : {}),
    },
    examples: hasAgent
      ? ['weather', 'secure'].map(agent => ({
          name: `Card of ${agent}`,
          path: route.replace(':agent', agent),
          expectStatus: 200,
        }))
      : [{ name: 'Card', path: route, expectStatus: 200 }],
  }
}

export const AGENT_PARAMETER = {
  name: 'agent',
  in: 'path',
  required: true,
  description: 'Agent id, such as echo',
  schema: { type: 'string' },
} as const

function describeVariant(route: string): RouteDescription {
  return {
    category: 'A2A Agents',
    summary: route.endsWith('.json') ? 'Variant of an agent card, at its well-known path' : 'Variant of an agent card',
    description: 'The card of protocol 1.0 signed, signed wrongly, or with more interfaces.',
    parameters: [
      AGENT_PARAMETER,
      {
        name: 'variant',
        in: 'path',
        required: true,
        description: 'What differs from the plain card',
        schema: { type: 'string', enum: [...CARD_VARIANTS] },
      },
    ],
    responses: {
      200: { description: 'The agent card' },
      304: { description: 'The card has not changed (If-None-Match)' },
      404: { description: 'Unknown agent or variant' },
    },
    examples: [
      { name: 'Signed card', path: fill(route, 'signed'), expectStatus: 200 },
      { name: 'Card with a wrong signature', path: fill(route, 'signed-wrong'), expectStatus: 200 },
    ],
  }
}

function fill(route: string, variant: CardVariant): string {
  return route.replace(':agent', 'echo').replace(':variant', variant)
}

const describeKeys: RouteDescription = {
  category: 'A2A Agents',
  summary: 'Keys of signed agent cards',
  reply: A2A_JWKS_JSON,
  takes: 'documents',
  responses: { 200: { description: 'A JWK Set' } },
  examples: [{ name: 'Keys', path: '/a2a/jwks.json', expectStatus: 200 }],
}
