/** `/auth/hmac`: signed requests. */
import {
  describe,
  readQuery,
  type FastifyInstance,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { parseInteger } from 'svc/toolkit'
import { checkHmac } from '../hmac/check.ts'
import { RESPONSES, badRequest, type Authenticated } from '../outcome.ts'
import { AUTH_HMAC } from '../replies.ts'

interface Key {
  username: string
  secret: string
}

const DEFAULT: Key = { username: 'alice', secret: 'secret' }
const DEFAULT_SKEW_S = 300
const MAX_SKEW_S = 604_800

const SKEW: RouteParameter = {
  name: 'clock_skew',
  in: 'query',
  description: `Seconds by which the date may differ from the server time, 0 to ${MAX_SKEW_S}; 0 disables the check`,
  schema: { type: 'integer', minimum: 0, maximum: MAX_SKEW_S, default: DEFAULT_SKEW_S },
}
const SHARED = {
  category: 'Auth: HMAC',
  negotiated: true,
  description:
    'Accepts `Authorization: hmac username="...", algorithm="...", headers="...", signature="..."`, or draft-cavage ' +
    '`Signature keyId="..."`. `Date` or `X-Date` is required. If the signature does not match, `signing_string` shows the string that the server expected to be signed.',
  credentials: [{ scheme: 'hmac' }, { scheme: 'Signature' }],
  responses: { ...RESPONSES, 400: { description: '`clock_skew` is not valid' } },
} satisfies Partial<RouteDescription>

function example(name: string, path: string, username: string, signature: string) {
  const authorization = `hmac username="${username}", algorithm="hmac-sha256", headers="x-date", signature="${signature}"`
  const headers = [
    { name: 'X-Date', value: 'Tue, 01 Apr 2025 08:00:00 GMT' },
    { name: 'Authorization', value: authorization },
  ]
  return { name, path, headers, expectStatus: 200 }
}

function readSkew(request: FastifyRequest): number {
  const text = readQuery(request).get('clock_skew')
  const skew = text === null ? DEFAULT_SKEW_S : parseInteger(text)
  if (skew === null || skew > MAX_SKEW_S)
    throw badRequest(`bad_request: clock_skew must be an integer from 0 to ${MAX_SKEW_S}`)
  return skew
}

function check(request: FastifyRequest, svc: Svc, key: Key): Authenticated {
  return checkHmac(request, svc.http.receivedBody(request), { ...key, clockSkewS: readSkew(request) }, Date.now())
}

/** Registers the check for the default user, and the one for a user and secret given in the path. */
export function registerHmacRoutes(app: FastifyInstance, svc: Svc): void {
  app.all(
    '/auth/hmac',
    describe({
      ...SHARED,
      summary: 'Check an HMAC signature',
      reply: AUTH_HMAC,
      parameters: [SKEW],
      examples: [
        example('Fixed date', '/auth/hmac?clock_skew=0', 'alice', '1ivTl4K2Q1P+Gtfndx8mIwdlS4jBdJDHILzTgHP4JUw='),
        { name: 'No signature', path: '/auth/hmac', expectStatus: 401 },
      ],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, svc, DEFAULT)),
  )

  app.all<{ Params: Key }>(
    '/auth/hmac/:username/:secret',
    describe({
      ...SHARED,
      summary: 'Check an HMAC signature with a secret given in the path',
      reply: AUTH_HMAC,
      parameters: [
        { name: 'username', in: 'path', description: 'Expected user', schema: { type: 'string' } },
        { name: 'secret', in: 'path', description: 'Secret of that user', schema: { type: 'string' } },
        SKEW,
      ],
      examples: [
        example(
          'Custom secret',
          '/auth/hmac/carol/k3y?clock_skew=0',
          'carol',
          'Tmu0LuAjWWjlVoErNiLjWWlWC/YAmzRqUohgYlzpix4=',
        ),
      ],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, svc, request.params)),
  )
}
