/** The debug token endpoint. */
import { describe } from 'svc/plugin'
import type { FastifyInstance } from 'svc/plugin'
import { readJson } from '../requests/json-body.ts'
import type { Provider } from '../provider.ts'
import { parseDebugTokenSpec, createDebugToken } from '../tokens/debug-token.ts'
import { CATEGORY, jsonExample, sendJson } from './route-parts.ts'

const BODY = {
  type: 'object',
  properties: {
    claims: { type: 'object', description: 'Merged over the default claims; null removes a claim' },
    header: { type: 'object', description: 'Merged over the default header; null removes a member' },
    algorithm: { enum: ['RS256', 'HS256', 'none'], default: 'RS256' },
    expires_in: { type: 'integer', default: 3600, description: 'Lifetime in seconds; negative for an expired token' },
    not_before_in: { type: 'integer', description: 'Seconds until the token is valid' },
    wrong_signature: { type: 'boolean', default: false },
  },
}

/** Registers `POST /oauth/debug/token`. In public mode it is for admins only, because it signs any claims. */
export function registerDebugTokenRoute(app: FastifyInstance, { svc, issuers }: Provider): void {
  const path = '/oauth/debug/token'
  app.post(
    path,
    describe({
      category: CATEGORY,
      summary: 'Create a debug token, valid or not',
      description: 'Creates a token with any claims, header, dates and signature, to test what a gateway accepts.',
      requestBody: { description: 'Differences from a normal access token', content: { 'application/json': BODY } },
      responses: {
        200: { description: 'The token with its header and claims' },
        400: { description: '`invalid_request`' },
      },
      examples: [
        jsonExample('Expired', path, { expires_in: -60 }, 200),
        jsonExample(
          'Custom claims, unknown key',
          path,
          { claims: { sub: 'carol', roles: ['admin'] }, header: { kid: 'retired-key' } },
          200,
        ),
        jsonExample('Wrong signature', path, { wrong_signature: true }, 200),
      ],
    }),
    async (request, reply) => {
      if (svc.config.publicMode) svc.http.guardAdmin(request)
      const spec = parseDebugTokenSpec(
        readJson(request.headers['content-type'], svc.http.body(request), 'invalid_request'),
      )
      return sendJson(reply, await createDebugToken(spec, issuers.default, issuers.default.url(request)))
    },
  )
}
