/** `/digest/{algorithm}`: a body with a correct or incorrect digest, for gateways that check integrity. */
import { createHash } from 'node:crypto'
import { describe, isFlagSet, type FastifyInstance, type RouteDescription } from 'svc/plugin'
import { unsupportedAlgorithm } from '../errors.ts'
import { DIGEST } from '../replies.ts'

/** Names in RFC 9530, 5, and in the runtime; the other algorithms of the RFC are deprecated. */
const ALGORITHMS = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
])

const digest: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Get a body with its digest',
  reply: DIGEST,
  description: 'Sends `Content-Digest` and `Repr-Digest` (RFC 9530). With `wrong`, the digests do not match the body.',
  parameters: [
    { name: 'algorithm', in: 'path', required: true, schema: { type: 'string', enum: [...ALGORITHMS.keys()] } },
    { name: 'wrong', in: 'query', description: 'Send a digest that does not match', schema: { type: 'boolean' } },
  ],
  responses: {
    200: { description: '`algorithm` and whether the digest is `valid`' },
    400: { description: 'The algorithm is not supported' },
  },
  examples: [
    { name: 'Right', path: '/digest/sha-256', expectStatus: 200 },
    { name: 'Wrong', path: '/digest/sha-512?wrong', expectStatus: 200 },
  ],
}

export function registerDigest(app: FastifyInstance): void {
  app.get<{ Params: { algorithm: string } }>('/digest/:algorithm', describe(digest), (request, reply) => {
    const algorithm = request.params.algorithm.toLowerCase()
    const hash = ALGORITHMS.get(algorithm)
    if (hash === undefined) throw unsupportedAlgorithm(request.params.algorithm, [...ALGORITHMS.keys()])
    const valid = !isFlagSet(request, 'wrong')
    const body = JSON.stringify({ algorithm, valid })
    const value = `${algorithm}=:${createHash(hash)
      .update(valid ? body : `${body} changed on the way`)
      .digest('base64')}:`
    reply.headers({ 'Content-Type': 'application/json; charset=utf-8', 'Content-Digest': value, 'Repr-Digest': value })
    return reply.send(body)
  })
}
