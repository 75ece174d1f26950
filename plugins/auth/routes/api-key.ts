/** `/auth/api-key`: a key in a request header. */
import { describe, isSameSecret } from 'svc/plugin'
import type { FastifyInstance, FastifyRequest, RouteDescription, Svc } from 'svc/plugin'
import { fieldValues } from '../fields.ts'
import { RESPONSES, unauthenticated } from '../outcome.ts'
import type { Authenticated } from '../outcome.ts'

interface ExpectedKey {
  header_name: string
  key_value: string
}

const DEFAULT: ExpectedKey = { header_name: 'apikey', key_value: 'my-key' }
const CHALLENGE = 'ApiKey realm="svc"'
const SHARED = {
  category: 'Auth: Basic & API Key',
  negotiated: true,
  responses: RESPONSES,
} satisfies Partial<RouteDescription>

function check(request: FastifyRequest, { header_name: header, key_value: key }: ExpectedKey): Authenticated {
  // Node reads header bytes as latin1; a key beyond ASCII comes as the bytes of its UTF-8.
  const isRight = fieldValues(request, header).some(value => isSameSecret(Buffer.from(value, 'latin1'), key))
  if (!isRight) throw unauthenticated('unauthorized', CHALLENGE)
  return { authenticated: true, auth_type: 'api-key', header }
}

/** Registers the check against the default key, and the one against header and key of the path. */
export function registerApiKeyRoutes(app: FastifyInstance, svc: Svc): void {
  app.all(
    '/auth/api-key',
    describe({
      ...SHARED,
      summary: 'Check an API key',
      description: 'Header `apikey`, value `my-key`.',
      examples: [
        { name: 'Right', path: '/auth/api-key', headers: [{ name: 'apikey', value: 'my-key' }], expectStatus: 200 },
        { name: 'None', path: '/auth/api-key', expectStatus: 401 },
      ],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, DEFAULT)),
  )

  app.all<{ Params: ExpectedKey }>(
    '/auth/api-key/:header_name/:key_value',
    describe({
      ...SHARED,
      summary: 'Check an API key against header and key of the path',
      parameters: [
        { name: 'header_name', in: 'path', description: 'Header, in any case', schema: { type: 'string' } },
        { name: 'key_value', in: 'path', description: 'Expected value', schema: { type: 'string' } },
      ],
      examples: [
        {
          name: 'Own header',
          path: '/auth/api-key/X-Team-Key/k3y',
          headers: [{ name: 'x-team-key', value: 'k3y' }],
          expectStatus: 200,
        },
      ],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, request.params)),
  )
}
