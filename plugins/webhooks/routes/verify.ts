/** `POST /webhooks/verify` and `/webhooks/verify/{scheme}`: verifies signatures. */
import {
  describe,
  isFlagSet,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { failures } from '../errors.ts'
import { presentedSecret } from '../presented-secret.ts'
import { findScheme } from '../schemes.ts'
import { standard } from '../schemes/standard.ts'
import type { Scheme } from '../schemes/scheme.ts'
import { verify } from '../verification.ts'
import { WEBHOOKS_VERIFY_POST, WEBHOOKS_VERIFY_POST_2 } from '../replies.ts'

const secret: RouteParameter[] = [
  { name: 'X-Webhook-Secret', in: 'header', schema: { type: 'string' } },
  { name: 'secret', in: 'query', description: 'Used if the header is absent', schema: { type: 'string' } },
  {
    name: 'tolerance',
    in: 'query',
    description: 'Allowed time difference in seconds, past or future',
    schema: { type: 'integer', minimum: 0, maximum: 2_592_000, default: 300 },
  },
  { name: 'ignore_timestamp', in: 'query', description: 'Accept any timestamp', schema: { type: 'boolean' } },
]
const shared = {
  category: 'Request Bin & Webhooks',
  responses: {
    200: { description: 'The signature is valid' },
    400: { description: 'A part of the message is missing or malformed' },
    401: { description: 'The signature does not match, or the timestamp is outside the tolerance' },
  },
} satisfies Partial<RouteDescription>

const byDefault: RouteDescription = {
  ...shared,
  summary: 'Verify a Standard Webhooks signature',
  reply: WEBHOOKS_VERIFY_POST,
  description: 'Every response contains the expected signature if it can be computed.',
  parameters: secret,
  examples: [
    {
      name: 'Public test vector',
      method: 'POST',
      path: '/webhooks/verify?ignore_timestamp=true',
      headers: [
        { name: 'webhook-id', value: 'msg_p5jXN8AQM9LWM0D4loKWxJek' },
        { name: 'webhook-timestamp', value: '1614265330' },
        { name: 'webhook-signature', value: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' },
        { name: 'X-Webhook-Secret', value: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      ],
      body: '{"test": 2432232314}',
      bodyType: 'json',
      expectStatus: 200,
    },
  ],
}
const byName: RouteDescription = {
  ...shared,
  summary: 'Verify a signature with a given scheme',
  reply: WEBHOOKS_VERIFY_POST_2,
  parameters: [
    {
      name: 'scheme',
      in: 'path',
      required: true,
      schema: { type: 'string', enum: ['standard', 'hmac-hex', 'timestamped'] },
    },
    ...secret,
  ],
  responses: { ...shared.responses, 404: { description: 'Unknown scheme' } },
  examples: [
    {
      name: 'HMAC of the body, hex',
      method: 'POST',
      path: '/webhooks/verify/hmac-hex',
      headers: [
        {
          name: 'X-Hub-Signature-256',
          value: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
        },
        { name: 'X-Webhook-Secret', value: "It's a Secret to Everybody" },
      ],
      body: 'Hello, World!',
      expectStatus: 200,
    },
  ],
}

export function registerVerify(app: FastifyInstance, svc: Svc): void {
  function verifyRequest(request: FastifyRequest, reply: FastifyReply, scheme: Scheme): FastifyReply {
    const query = readQuery(request)
    const { report, failure } = verify({
      scheme,
      headers: request.headers,
      body: svc.http.receivedBody(request),
      secret: presentedSecret(request, query),
      tolerance: query.get('tolerance'),
      ignoreTimestamp: isFlagSet(request, 'ignore_timestamp'),
    })
    if (failure === null) return reply.send(report)
    return reply.code(failure.status).send({ ...report, error: failure.error, message: failure.message })
  }

  app.post('/webhooks/verify', describe(byDefault), (request, reply) => verifyRequest(request, reply, standard))

  app.post<{ Params: { scheme: string } }>('/webhooks/verify/:scheme', describe(byName), (request, reply) => {
    const scheme = findScheme(request.params.scheme)
    if (scheme !== undefined) return verifyRequest(request, reply, scheme)
    const { status, error, message } = failures.unknownScheme(request.params.scheme)
    return reply.code(status).send({ valid: false, error, message, expected_signature: null })
  })
}
