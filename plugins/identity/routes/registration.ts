/** The registration endpoint. */
import type { FastifyInstance } from 'svc/plugin'
import { KEY_PAIR_ALGORITHMS } from '../jwt/algorithms.ts'
import { MAX_CLIENT_KEYS } from '../jwt/public-keys.ts'
import { AUTH_METHODS } from '../oauth/auth-methods.ts'
import { sendJson } from '../oauth/json-response.ts'
import type { Provider } from '../provider/provider.ts'
import { registerClient } from '../registration/registration.ts'
import { registerEndpoint } from './issuer-routes.ts'
import { CATEGORY, jsonExample } from './route-parts.ts'
import { OAUTH_REGISTER_POST } from '../replies.ts'

const BODY = {
  type: 'object',
  properties: {
    client_name: { type: 'string', maxLength: 200 },
    redirect_uris: { type: 'array', items: { type: 'string' }, maxItems: 10 },
    grant_types: { type: 'array', items: { type: 'string' } },
    response_types: { type: 'array', items: { const: 'code' } },
    token_endpoint_auth_method: { enum: AUTH_METHODS },
    scope: { type: 'string', maxLength: 1000 },
    jwks: { type: 'object', properties: { keys: { type: 'array', maxItems: MAX_CLIENT_KEYS } } },
    jwks_uri: { type: 'string', maxLength: 2048 },
    tls_client_auth_subject_dn: { type: 'string', maxLength: 1000 },
    require_pushed_authorization_requests: { type: 'boolean' },
    require_signed_request_object: { type: 'boolean' },
    dpop_bound_access_tokens: { type: 'boolean' },
    tls_client_certificate_bound_access_tokens: { type: 'boolean' },
    id_token_signed_response_alg: { enum: KEY_PAIR_ALGORITHMS },
  },
}

/** Registers the registration endpoint. */
export function registerRegistrationRoute(app: FastifyInstance, provider: Provider): void {
  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'register',
    description: {
      category: CATEGORY,
      summary: 'Register a client',
      reply: OAUTH_REGISTER_POST,
      description:
        'Dynamic client registration (RFC 7591) without authentication. A registration expires after a day. Redirect URIs are compared exactly.',
      requestBody: { description: 'Client metadata', required: true, content: { 'application/json': BODY } },
      responses: {
        201: { description: 'The registered client, with its secret unless it is public' },
        400: { description: '`invalid_client_metadata` or `invalid_redirect_uri`' },
      },
      examples: [
        jsonExample(
          'Public client',
          '/oauth/register',
          { client_name: 'cli', redirect_uris: ['http://localhost:3000/callback'], token_endpoint_auth_method: 'none' },
          201,
        ),
      ],
    },
    async handle({ issuer, url, request, reply }) {
      const body = provider.svc.http.body(request)
      return sendJson(reply.code(201), await registerClient(request.headers['content-type'], body, issuer, url))
    },
  })
}
