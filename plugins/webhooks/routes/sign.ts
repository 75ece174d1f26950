/** `/webhooks` and `/webhooks/sign`: the supported schemes, and signed examples. */
import { isUtf8 } from 'node:buffer'
import {
  describe,
  readQuery,
  type FastifyInstance,
  type FastifyRequest,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { DEMO_SECRETS } from '../demo-secrets.ts'
import { failures, invalidPayload, refuse } from '../errors.ts'
import { presentedSecret } from '../presented-secret.ts'
import { DEFAULT_TOLERANCE_SECS, findScheme, isTimestamp, SCHEMES, unixNow } from '../schemes.ts'
import { messageId, samplePayload, signExample } from '../signing.ts'
import { WEBHOOKS, WEBHOOKS_SIGN } from '../replies.ts'

const category = 'Request Bin & Webhooks'
const overview: RouteDescription = {
  category,
  summary: 'List signature schemes and demo secrets',
  reply: WEBHOOKS,
  responses: { 200: { description: 'What each scheme signs, and which headers it uses' } },
  examples: [{ name: 'Overview', path: '/webhooks', expectStatus: 200 }],
}
const sign: RouteDescription = {
  category,
  summary: 'Sign a payload',
  reply: WEBHOOKS_SIGN,
  description:
    'Signs the body of a POST, otherwise `payload`, otherwise a sample event. Returns the headers, the signed text and a `curl` command that sends them.',
  parameters: [
    {
      name: 'scheme',
      in: 'query',
      schema: { type: 'string', enum: ['standard', 'hmac-hex', 'timestamped'], default: 'standard' },
    },
    { name: 'secret', in: 'query', description: 'Default: the first demo secret', schema: { type: 'string' } },
    { name: 'payload', in: 'query', schema: { type: 'string' } },
    { name: 'id', in: 'query', description: 'ID of the message', schema: { type: 'string', maxLength: 256 } },
    { name: 'timestamp', in: 'query', description: 'Unix seconds; default: now', schema: { type: 'integer' } },
  ],
  responses: {
    200: { description: 'The signed message' },
    400: { description: 'The scheme is unknown, or a value cannot be signed' },
  },
  examples: [
    { name: 'Sample event', method: 'GET', path: '/webhooks/sign', expectStatus: 200 },
    {
      name: 'Own payload',
      method: 'POST',
      path: '/webhooks/sign?scheme=hmac-hex',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"hello":"gateway"}',
      bodyType: 'json',
      expectStatus: 200,
    },
  ],
}

export function registerSign(app: FastifyInstance, svc: Svc): void {
  const list = {
    schemes: Object.fromEntries(
      SCHEMES.map(({ name, headers, signature, hasTimestamp }) => [
        name,
        {
          headers,
          signature,
          tolerance_seconds: hasTimestamp ? DEFAULT_TOLERANCE_SECS : null,
          verify_path: name === 'standard' ? '/webhooks/verify' : `/webhooks/verify/${name}`,
        },
      ]),
    ),
    demo_secrets: DEMO_SECRETS,
    sign_path: '/webhooks/sign',
    outbound_delivery: false,
  }
  app.get('/webhooks', describe(overview), () => list)

  app.route({
    method: ['GET', 'POST'],
    url: '/webhooks/sign',
    ...describe(sign),
    handler: request => {
      const query = readQuery(request)
      const schemeName = query.get('scheme') || 'standard'
      const scheme = findScheme(schemeName)
      if (scheme === undefined) throw refuse(failures.unknownScheme(schemeName))
      const secret =
        presentedSecret(request, query).trim() === '' ? DEMO_SECRETS[0].secret : presentedSecret(request, query)
      const key = scheme.keyOf(secret)
      if (key === null) throw refuse(failures.invalidSecret())
      const timestamp = query.get('timestamp') ?? String(unixNow())
      if (!isTimestamp(timestamp)) throw refuse(failures.invalidTimestamp(timestamp))
      return signExample({
        scheme,
        secret,
        key,
        payload: payloadOf(request, query),
        id: messageId(query.get('id')),
        timestamp,
        urlOf: path => svc.http.url(request, path),
      })
    },
  })

  function payloadOf(request: FastifyRequest, query: URLSearchParams): string {
    const body = request.method === 'POST' ? svc.http.receivedBody(request) : null
    if (body === null || body.length === 0) return query.get('payload') || samplePayload()
    if (!isUtf8(body)) throw invalidPayload()
    return body.toString()
  }
}
