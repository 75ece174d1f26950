/** The endpoint for pushed authorization requests (RFC 9126). */
import type { FastifyInstance } from 'svc/plugin'
import { authenticateClient } from '../authentication/client-authentication.ts'
import { checkAuthorizationRequest } from '../authorize/checks.ts'
import { PUSHED_LIFE_S, pushRequest } from '../authorize/pushed-requests.ts'
import { receiveRequest } from '../authorize/received-request.ts'
import { asksOf } from '../faults/hostile.ts'
import { OAuthError } from '../oauth/errors.ts'
import { sendJson } from '../oauth/json-response.ts'
import { type Parameters, parametersOf, readForm } from '../oauth/parameters.ts'
import type { Provider } from '../provider/provider.ts'
import { PARAMETERS } from './authorize.ts'
import { registerEndpoint } from './issuer-routes.ts'
import { CATEGORY, formBody, formExample } from './route-parts.ts'

/** Registers the endpoint. */
export function registerParRoute(app: FastifyInstance, provider: Provider): void {
  const { svc } = provider
  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'par',
    isByPathOnly: true,
    description: {
      category: CATEGORY,
      summary: 'Push an authorization request',
      description:
        'Takes the parameters of the authorization endpoint from an authenticated client (RFC 9126). The authorization endpoint then needs `client_id` and `request_uri` only.',
      requestBody: formBody(
        'The parameters',
        PARAMETERS.map(([name]) => name),
        ['response_type'],
      ),
      responses: {
        201: { description: 'The request URI, for 60 seconds' },
        400: { description: '`invalid_request`, `invalid_request_object` or another OAuth error' },
        401: { description: '`invalid_client`' },
      },
      examples: [
        formExample(
          'Push',
          '/oauth/par',
          { response_type: 'code', redirect_uri: 'http://localhost:3000/callback', state: 'xyz' },
          201,
        ),
      ],
    },
    async handle(asked) {
      const { issuer, url, request, reply } = asked
      const parameters = readForm(request, svc)
      const client = await authenticateClient({ request, parameters, issuer, url }, svc)
      if (parameters.has('request_uri'))
        throw new OAuthError('invalid_request', 'request_uri is not a parameter of a pushed request')
      if (parameters.has('client_id') && parameters.get('client_id') !== client.id)
        throw new OAuthError('invalid_request', 'client_id is not the authenticated client')
      const jkt = await provider.binder.proofKey(asked, client)
      if (jkt !== undefined && (parameters.get('dpop_jkt') ?? jkt) !== jkt)
        throw new OAuthError('invalid_dpop_proof', 'dpop_jkt is not the thumbprint of the key of the DPoP proof')
      const given = parametersOf([
        ...parameters.entries().filter(([name]) => name !== 'client_id'),
        ['client_id', client.id],
      ])
      const received = { ...(await receiveRequest(given, issuer, url, false)), isPushed: true }
      const { error } = await checkAuthorizationRequest(received, issuer, url, asksOf(issuer, request))
      if (error !== null) throw error
      // A proof binds the code as the parameter does.
      const bound = jkt === undefined ? received.parameters : withKey(received.parameters, jkt)
      const uri = await pushRequest(bound, client.id, received.isSigned, issuer.stores.pushedRequests)
      return sendJson(reply.code(201), { request_uri: uri, expires_in: PUSHED_LIFE_S })
    },
  })
}

function withKey(parameters: Parameters, jkt: string): Parameters {
  const others = parameters.entries().filter(([name]) => name !== 'dpop_jkt')
  return parametersOf([...others, ['dpop_jkt', jkt]])
}
