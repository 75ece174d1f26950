/** `POST /webhooks/receive/{secret_id}`: accepts webhooks from real senders that are signed with a demo secret. */
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { DEMO_SECRETS } from '../demo-secrets.ts'
import { failures, unknownSecretId } from '../errors.ts'
import { detectScheme } from '../schemes.ts'
import { verify } from '../verification.ts'

const receive: RouteDescription = {
  category: 'Request Bin & Webhooks',
  summary: 'Receive a webhook',
  description: 'The headers determine the scheme.',
  takes: 'deliveries',
  parameters: [
    {
      name: 'secret_id',
      in: 'path',
      required: true,
      schema: { type: 'string', enum: DEMO_SECRETS.map(({ id }) => id) },
    },
  ],
  responses: {
    204: { description: 'Accepted' },
    401: { description: 'The signature is missing, does not match the secret, or is too old' },
    404: { description: 'Unknown demo secret' },
  },
  examples: [
    {
      name: 'Signed body',
      method: 'POST',
      path: '/webhooks/receive/github-docs',
      headers: [
        {
          name: 'X-Hub-Signature-256',
          value: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
        },
      ],
      body: 'Hello, World!',
      expectStatus: 204,
    },
    {
      name: 'Unsigned',
      method: 'POST',
      path: '/webhooks/receive/demo',
      body: '{}',
      bodyType: 'json',
      expectStatus: 401,
    },
  ],
}

export function registerReceive(app: FastifyInstance, svc: Svc): void {
  app.post<{ Params: { secret_id: string } }>('/webhooks/receive/:secret_id', describe(receive), (request, reply) => {
    const id = request.params.secret_id
    const demo = DEMO_SECRETS.find(known => known.id === id)
    if (demo === undefined) throw unknownSecretId(id)
    const scheme = detectScheme(request.headers)
    const { failure } =
      scheme === undefined
        ? { failure: failures.missingHeaders(['webhook-signature, X-Hub-Signature-256 or Alt-Signature']) }
        : verify({
            scheme,
            headers: request.headers,
            body: svc.http.receivedBody(request),
            secret: demo.secret,
            tolerance: null,
            ignoreTimestamp: false,
          })
    if (failure === null) return reply.code(204).send()
    return reply
      .code(401)
      .send({ valid: false, scheme: scheme?.name ?? null, error: failure.error, message: failure.message })
  })
}
