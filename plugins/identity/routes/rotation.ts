/** The control plane of keys and faults. */
import {
  describe,
  type FastifyInstance,
  type FastifyRequest,
  HttpError,
  readJsonObject,
  type RouteDescription,
} from 'svc/plugin'
import type { Issuer } from '../issuers/issuer.ts'
import { KEY_PAIR_ALGORITHMS } from '../jwt/algorithms.ts'
import { previousKey, publishedKeys, ROTATION_MODES, signingKey } from '../keys/key-record.ts'
import { sendJson } from '../oauth/json-response.ts'
import type { Provider } from '../provider/provider.ts'
import { timedFaults } from '../settings/fault-settings.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import { defaulted, integer, object, oneOf, optional, type Shape, ShapeError } from '../settings/shape.ts'
import { requestedIssuer } from './issuer-routes.ts'
import { invalidIssuer } from './issuers.ts'
import { CATEGORY, jsonExample } from './route-parts.ts'
import { SVC_IDENTITY_ISSUERS_FAULTS_PUT, SVC_IDENTITY_ISSUERS_ROTATE_POST } from '../replies.ts'

const ISSUER = '/_svc/identity/issuers/:issuer'
const EXAMPLE = '/_svc/identity/issuers/full'
const SHARED = { category: CATEGORY } satisfies Partial<RouteDescription>

const rotation = object({
  mode: defaulted(oneOf(ROTATION_MODES), () => 'graceful' as const),
  algorithm: optional(oneOf(KEY_PAIR_ALGORITHMS)),
  grace_s: defaulted(integer(0, 86_400), () => 600),
  delay_s: defaulted(integer(1, 3600), () => 30),
})

/** Registers the rotation of keys and the faults of an issuer, which can be `default`. */
export function registerRotationRoutes(app: FastifyInstance, provider: Provider): void {
  const { svc, faults } = provider
  app.post(
    `${ISSUER}/rotate`,
    describe({
      ...SHARED,
      summary: 'Rotate the signing key of an issuer',
      reply: SVC_IDENTITY_ISSUERS_ROTATE_POST,
      description:
        '`graceful`: the new key signs, the old one stays published for `grace_s` seconds. `announce`: both are published, the new key signs after `delay_s`. `hard`: the old key is gone at once. `late`: the new key signs, and is published after `delay_s`. `revert`: the previous key signs again.',
      requestBody: { description: 'All members are optional', content: { 'application/json': rotation.schema } },
      responses: {
        200: { description: 'The signing key, the published keys, and when the old key retires' },
        400: { description: '`invalid_rotation`, with the path of the invalid member' },
        404: { description: '`unknown_issuer`' },
        409: { description: '`no_previous_key`: `revert` before any rotation' },
      },
      examples: [jsonExample('Graceful', `${EXAMPLE}/rotate`, { mode: 'graceful', grace_s: 60 }, 200)],
    }),
    async (request, reply) => {
      svc.http.guardAdmin(request)
      const issuer = await anyIssuer(request, provider)
      const { mode, algorithm, grace_s, delay_s } = readBody(request, provider, rotation, 'invalid_rotation')
      const before = await issuer.keys.record()
      if (mode === 'revert' && previousKey(before, Date.now()) === undefined)
        throw new HttpError(409, { error: 'no_previous_key', details: 'the issuer has signed with one key only' })
      const old = signingKey(before, Date.now()).kid
      const record = await issuer.keys.rotate({ mode, graceS: grace_s, delayS: delay_s }, algorithm)
      const now = Date.now()
      const until = record.keys.find(({ kid }) => kid === old)?.until ?? null
      return sendJson(reply, {
        signing: signingKey(record, now).kid,
        published: publishedKeys(record, now).map(({ kid }) => kid),
        retires_at: until === null || until <= now ? null : new Date(until).toISOString(),
      })
    },
  )
  app.put(
    `${ISSUER}/faults`,
    describe({
      ...SHARED,
      summary: 'Set faults of an issuer',
      reply: SVC_IDENTITY_ISSUERS_FAULTS_PUT,
      description:
        'Faults of the JWK Set, the metadata, the token endpoint and introspection, for `for_s` seconds or `times` responses. One request gets a fault with the query, as in `/oauth/jwks?fault=slow&ms=2000`.',
      requestBody: { description: 'The faults', required: true, content: { 'application/json': timedFaults.schema } },
      responses: {
        200: { description: 'The faults' },
        400: { description: '`invalid_faults`, with the path of the invalid member' },
        404: { description: '`unknown_issuer`' },
      },
      examples: [
        { ...jsonExample('Slow keys', `${EXAMPLE}/faults`, { jwks: 'slow', ms: 10, times: 1 }, 200), method: 'PUT' },
      ],
    }),
    async (request, reply) => {
      svc.http.guardAdmin(request)
      const { name } = await anyIssuer(request, provider)
      const set = readBody(request, provider, timedFaults, 'invalid_faults')
      await faults.set(name, set)
      return sendJson(reply, set)
    },
  )
  app.delete(
    `${ISSUER}/faults`,
    describe({
      ...SHARED,
      summary: 'End the faults of an issuer',
      responses: {
        204: { description: 'No faults of the control plane are left' },
        404: { description: '`unknown_issuer`' },
      },
      examples: [{ name: 'End', method: 'DELETE', path: `${EXAMPLE}/faults`, expectStatus: 204 }],
    }),
    async (request, reply) => {
      svc.http.guardAdmin(request)
      const { name } = await anyIssuer(request, provider)
      await faults.clear(name)
      return reply.code(204).send()
    },
  )
}

/** The issuer of the path, which can be the default one. */
async function anyIssuer(request: FastifyRequest, provider: Provider): Promise<Issuer> {
  const { issuer } = request.params as { issuer: string }
  return issuer === DEFAULT_ISSUER ? provider.issuers.default : requestedIssuer(request, provider)
}

function readBody<T>(request: FastifyRequest, { svc }: Provider, shape: Shape<T>, error: string): T {
  const body = readJsonObject(svc.http.body(request))
  try {
    if (body === null) throw new ShapeError('', 'the body must be a JSON object')
    return shape.read(body, '')
  } catch (failure) {
    throw failure instanceof ShapeError ? invalidIssuer(failure, error) : failure
  }
}
