/** `/auth/api-key`: a key in a request header. */
import { describe, type FastifyInstance, type FastifyRequest, type RouteDescription, type Svc } from 'svc/plugin'
import { isSameSecret } from 'svc/toolkit'
import { fieldValues } from '../fields.ts'
import { RESPONSES, unauthenticated, type Authenticated } from '../outcome.ts'
import { AUTH_API_KEY } from '../replies.ts'

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
  // Node decodes header bytes as Latin-1; a non-ASCII key arrives as UTF-8 bytes.
  const isValid = fieldValues(request, header).some(value => isSameSecret(Buffer.from(value, 'latin1'), key))
  if (!isValid) throw unauthenticated('unauthorized', CHALLENGE)
  return { authenticated: true, auth_type: 'api-key', header }
}

/** Registers the check for the default key, and the one for a header and key given in the path. */
export function registerApiKeyRoutes(app: FastifyInstance, svc: Svc): void {
  app.all(
    '/auth/api-key',
    describe({
      ...SHARED,
      summary: 'Check an API key',
      reply: AUTH_API_KEY,
      description: 'Expects the header `apikey` with the value `my-key`.',
      credentials: [{ in: 'header', name: DEFAULT.header_name }],
      examples: [
        { name: 'Valid key', path: '/auth/api-key', headers: [{ name: 'apikey', value: 'my-key' }], expectStatus: 200 },
        { name: 'No key', path: '/auth/api-key', expectStatus: 401 },
      ],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, DEFAULT)),
  )

  app.all<{ Params: ExpectedKey }>(
    '/auth/api-key/:header_name/:key_value',
    describe({
      ...SHARED,
      summary: 'Check an API key given in the path',
      reply: AUTH_API_KEY,
      credentials: [{ in: 'header', name: 'X-Team-Key', description: 'The header that the path names' }],
      parameters: [
        { name: 'header_name', in: 'path', description: 'Header name, case-insensitive', schema: { type: 'string' } },
        { name: 'key_value', in: 'path', description: 'Expected key', schema: { type: 'string' } },
      ],
      examples: [
        {
          name: 'Custom header',
          path: '/auth/api-key/X-Team-Key/k3y',
          headers: [{ name: 'x-team-key', value: 'k3y' }],
          expectStatus: 200,
        },
      ],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, request.params)),
  )
}
