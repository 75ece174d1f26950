/** The token, introspection and revocation endpoints, which require client authentication. */
import type { FastifyInstance } from 'svc/plugin'
import { isPublic } from '../accounts/clients.ts'
import { authenticateClient } from '../authentication/client-authentication.ts'
import { faultyIntrospection, faultyTokens } from '../faults/document-faults.ts'
import { asksOf, hostileTokens } from '../faults/hostile.ts'
import { sendPlainFault } from '../faults/plain-faults.ts'
import { grantTokens } from '../grants/grants.ts'
import { NO_STORE, OAuthError } from '../oauth/errors.ts'
import { DEFAULT_ISSUER_GRANTS, DEVICE_CODE, JWT_BEARER } from '../oauth/grant-types.ts'
import { sendJson } from '../oauth/json-response.ts'
import { readForm, required } from '../oauth/parameters.ts'
import type { Provider } from '../provider/provider.ts'
import { openFlips } from '../stores/stores.ts'
import { introspect, INTROSPECTION_MEDIA_TYPE, introspectionJwt, isJwtRequested } from '../tokens/introspection.ts'
import { revoke } from '../tokens/revocation.ts'
import { registerEndpoint } from './issuer-routes.ts'
import { CATEGORY, formBody, formExample } from './route-parts.ts'
import { OAUTH_INTROSPECT_POST, OAUTH_REVOKE_POST, OAUTH_TOKEN_POST } from '../replies.ts'

const CLIENT_FIELDS = ['client_id', 'client_secret', 'client_assertion_type', 'client_assertion']
const GRANT_FIELDS = [
  'scope',
  'resource',
  'username',
  'password',
  'code',
  'redirect_uri',
  'code_verifier',
  'device_code',
  'assertion',
  'refresh_token',
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'requested_token_type',
  'audience',
]
const ERROR_RESPONSES = {
  400: { description: '`invalid_request` or another OAuth error' },
  401: { description: '`invalid_client`' },
}
const SAMPLE_TOKEN = 'not-a-token'

/** Registers the token, introspection and revocation endpoints. */
export function registerTokenRoutes(app: FastifyInstance, provider: Provider): void {
  const { svc, verify, faults } = provider
  const flips = openFlips(svc)
  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'token',
    description: {
      category: CATEGORY,
      summary: 'Get tokens',
      reply: OAUTH_TOKEN_POST,
      description: `Grant types: ${DEFAULT_ISSUER_GRANTS.join(', ')}; for issuers by path also ${DEVICE_CODE} and ${JWT_BEARER}. Clients authenticate with Basic, with client_id and client_secret in the form, with a client assertion, or with a certificate.`,
      requestBody: formBody(
        'Grant type and its parameters',
        ['grant_type', ...CLIENT_FIELDS, ...GRANT_FIELDS],
        ['grant_type'],
      ),
      responses: {
        200: { description: 'An access token; depending on grant type and scope also an ID token and a refresh token' },
        ...ERROR_RESPONSES,
      },
      examples: [
        formExample('Client credentials', '/oauth/token', { grant_type: 'client_credentials', scope: 'openid' }, 200),
        formExample('Password', '/oauth/token', { grant_type: 'password', username: 'alice', password: 'alice' }, 200),
        formExample(
          'Client in the form',
          '/oauth/token',
          { grant_type: 'client_credentials', client_id: 'svc', client_secret: 'svc-secret' },
          200,
          null,
        ),
      ],
    },
    async handle({ issuer, url, request, reply }) {
      const asks = asksOf(issuer, request)
      const fault = await faults.find('token', issuer, request, reply)
      const replaced = fault === null ? null : await sendPlainFault(fault, svc, request, reply)
      if (replaced !== null) return replaced
      const parameters = readForm(request, svc)
      const granted = await grantTokens({
        parameters,
        authenticate: () => authenticateClient({ request, parameters, issuer, url }, svc),
        bind: client => provider.binder.bind({ issuer, request, reply }, client),
        issuer,
        url,
        verify: token => verify(issuer, token),
        issuers: provider.issuers,
      })
      const sent = asks.size === 0 ? granted : await hostileTokens(granted, asks, issuer)
      return sendJson(reply, fault === null ? sent : faultyTokens(fault.kind, sent))
    },
  })

  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'introspect',
    description: {
      category: CATEGORY,
      summary: 'Introspect a token',
      reply: OAUTH_INTROSPECT_POST,
      description:
        'Token introspection (RFC 7662). Any confidential client can introspect any access, ID or refresh token of this server. Issuers by path answer with a JWT (RFC 9701) to `Accept: application/token-introspection+jwt`.',
      requestBody: formBody('The token', ['token', 'token_type_hint', ...CLIENT_FIELDS], ['token']),
      responses: {
        200: { description: 'The state of the token; `active: false` if it is not valid' },
        ...ERROR_RESPONSES,
      },
      examples: [formExample('Unknown token', '/oauth/introspect', { token: SAMPLE_TOKEN }, 200)],
    },
    async handle({ issuer, url, request, reply }) {
      const parameters = readForm(request, svc)
      const client = await authenticateClient({ request, parameters, issuer, url }, svc)
      if (isPublic(client)) throw new OAuthError('invalid_client', 'public clients may not introspect tokens')
      const fault = await faults.find('introspect', issuer, request, reply)
      const replaced = fault === null ? null : await sendPlainFault(fault, svc, request, reply)
      if (replaced !== null) return replaced
      const state = await introspect(required(parameters, 'token'), issuer, token => verify(issuer, token))
      // Every second request gets the other answer of the fault `flip`.
      const isEven = fault?.kind === 'flip' && (await flips.increment('requests')) % 2 === 0
      const sent = fault === null ? state : faultyIntrospection(fault.kind, state, isEven)
      if (!isJwtRequested(issuer, request)) return sendJson(reply, sent)
      const jwt = await introspectionJwt(sent, client, issuer, url)
      return reply.headers({ ...NO_STORE, 'Content-Type': INTROSPECTION_MEDIA_TYPE }).send(jwt)
    },
  })

  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'revoke',
    description: {
      category: CATEGORY,
      summary: 'Revoke a token',
      reply: OAUTH_REVOKE_POST,
      description:
        'Token revocation (RFC 7009). Clients can revoke their own tokens. Other, unknown and expired tokens are ignored with the same response.',
      requestBody: formBody('The token', ['token', 'token_type_hint', ...CLIENT_FIELDS], ['token']),
      responses: { 200: { description: 'The token is revoked, or there was nothing to revoke' }, ...ERROR_RESPONSES },
      examples: [formExample('Unknown token', '/oauth/revoke', { token: SAMPLE_TOKEN }, 200)],
    },
    async handle({ issuer, url, request, reply }) {
      const parameters = readForm(request, svc)
      const client = await authenticateClient({ request, parameters, issuer, url }, svc)
      await revoke(required(parameters, 'token'), client, issuer, token => verify(issuer, token))
      return sendJson(reply, {})
    },
  })
}
