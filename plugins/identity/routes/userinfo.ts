/** The UserInfo endpoint. */
import type { FastifyInstance, FastifyReply } from 'svc/plugin'
import { asksOf, hostileUserInfo } from '../faults/hostile.ts'
import { KEY_PAIR_ALGORITHMS } from '../jwt/algorithms.ts'
import { sendJson } from '../oauth/json-response.ts'
import { isForm, type Parameters, readParameters } from '../oauth/parameters.ts'
import type { Provider } from '../provider/provider.ts'
import { userInfo } from '../resource/userinfo.ts'
import { type IssuerRequest, registerEndpoint } from './issuer-routes.ts'
import { CATEGORY, formBody, formExample } from './route-parts.ts'
import { USERINFO } from '../replies.ts'

const RESPONSES = {
  200: { description: 'The claims of the granted scopes' },
  400: { description: 'The token is in both the header and the form' },
  401: { description: 'The token is missing or not valid' },
  403: { description: 'The token lacks the scope `openid`' },
}
const CREDENTIALS = ['bearer', { scheme: 'DPoP' }] as const
const DESCRIPTION =
  'Requires an access token with the scope `openid`. The scopes `profile` and `email` add their claims.'

/** Registers the UserInfo endpoint. */
export function registerUserInfoRoutes(app: FastifyInstance, provider: Provider): void {
  const answer = async ({ issuer, request, reply }: IssuerRequest, form: Parameters | null): Promise<FastifyReply> => {
    const { typ } = issuer.settings.access_token
    const checks = { algorithms: KEY_PAIR_ALGORITHMS, typ: typ.toLowerCase() }
    const verify = (token: string) => provider.verify(issuer, token, checks)
    const claims = await userInfo(request, form, issuer, verify, provider.svc)
    return sendJson(reply, hostileUserInfo(claims, asksOf(issuer, request)))
  }
  registerEndpoint(app, provider, {
    method: 'GET',
    endpoint: 'userinfo',
    description: {
      category: CATEGORY,
      summary: 'Get claims about the user',
      reply: USERINFO,
      description: DESCRIPTION,
      credentials: CREDENTIALS,
      responses: RESPONSES,
      examples: [{ name: 'Without a token', path: '/oauth/userinfo', expectStatus: 401 }],
    },
    handle: request => answer(request, null),
  })
  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'userinfo',
    description: {
      category: CATEGORY,
      summary: 'Get claims about the user, with the token in a form',
      reply: USERINFO,
      description: DESCRIPTION,
      credentials: CREDENTIALS,
      requestBody: formBody('The token, unless it is in the header', ['access_token']),
      responses: RESPONSES,
      examples: [formExample('Invalid token', '/oauth/userinfo', { access_token: 'not-a-token' }, 401, null)],
    },
    handle({ request, ...rest }) {
      const isFormBody = isForm(request.headers['content-type'])
      const form = isFormBody ? readParameters(provider.svc.http.body(request).toString()) : null
      return answer({ request, ...rest }, form)
    },
  })
}
