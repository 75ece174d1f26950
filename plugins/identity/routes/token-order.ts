/** Tokens to order. */
import { describe } from 'svc/plugin'
import type { FastifyInstance } from 'svc/plugin'
import { readJson } from '../requests/json-body.ts'
import type { Provider } from '../provider.ts'
import { checkTokenOrder, makeToken } from '../tokens/token-order.ts'
import { CATEGORY, jsonExample, sendJson } from './answer.ts'

const BODY = {
  type: 'object',
  properties: {
    claims: { type: 'object', description: 'Laid over the usual claims; null takes one out' },
    header: { type: 'object', description: 'Laid over the usual header; null takes a member out' },
    algorithm: { enum: ['RS256', 'HS256', 'none'], default: 'RS256' },
    expires_in: { type: 'integer', default: 3600, description: 'Seconds; negative: expired already' },
    not_before_in: { type: 'integer', description: 'Seconds until the token is valid' },
    wrong_signature: { type: 'boolean', default: false },
  },
}

/** Registers `POST /oauth/debug/token`; in public mode it is for admins, since it vouches for anything. */
export function registerTokenOrderRoute(app: FastifyInstance, { svc, keys, tokens }: Provider): void {
  const path = '/oauth/debug/token'
  app.post(
    path,
    describe({
      category: CATEGORY,
      summary: 'Order a token, good or bad',
      description: 'Any claims, header, dates and signature, for trying what a gateway lets through.',
      requestBody: { description: 'What differs from a usual access token', content: { 'application/json': BODY } },
      responses: { 200: { description: 'The token, and what is in it' }, 400: { description: '`invalid_request`' } },
      examples: [
        jsonExample('Expired', path, { expires_in: -60 }, 200),
        jsonExample(
          'Own claims, unknown key',
          path,
          { claims: { sub: 'carol', roles: ['admin'] }, header: { kid: 'retired-key' } },
          200,
        ),
        jsonExample('Wrong signature', path, { wrong_signature: true }, 200),
      ],
    }),
    async (request, reply) => {
      if (svc.config.publicMode) svc.http.guardAdmin(request)
      const order = checkTokenOrder(
        readJson(request.headers['content-type'], svc.http.body(request), 'invalid_request'),
      )
      return sendJson(reply, await makeToken(order, tokens.issuer(request), await keys))
    },
  )
}
