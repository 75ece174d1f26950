/** The UserInfo endpoint. */
import { describe } from 'svc/plugin'
import type { FastifyInstance } from 'svc/plugin'
import { isForm, readParameters } from '../requests/parameters.ts'
import type { Provider } from '../provider.ts'
import { userInfo } from '../users/userinfo.ts'
import { CATEGORY, formBody, formExample, sendJson } from './route-parts.ts'

const RESPONSES = {
  200: { description: 'The claims of the granted scopes' },
  400: { description: 'The token is in both the header and the form' },
  401: { description: 'The token is missing or not valid' },
  403: { description: 'The token lacks the scope `openid`' },
}
const DESCRIPTION =
  'Requires an access token with the scope `openid`. The scopes `profile` and `email` add their claims.'

/** Registers `GET` and `POST /oauth/userinfo`. */
export function registerUserInfoRoutes(app: FastifyInstance, { svc, tokens }: Provider): void {
  app.get(
    '/oauth/userinfo',
    describe({
      category: CATEGORY,
      summary: 'Get claims about the user',
      description: DESCRIPTION,
      responses: RESPONSES,
      examples: [{ name: 'Without a token', path: '/oauth/userinfo', expectStatus: 401 }],
    }),
    async (request, reply) => sendJson(reply, await userInfo(request.headers.authorization, null, tokens)),
  )

  app.post(
    '/oauth/userinfo',
    describe({
      category: CATEGORY,
      summary: 'Get claims about the user, with the token in a form',
      description: DESCRIPTION,
      requestBody: formBody('The token, unless it is in the header', ['access_token']),
      responses: RESPONSES,
      examples: [formExample('Invalid token', '/oauth/userinfo', { access_token: 'not-a-token' }, 401, null)],
    }),
    async (request, reply) => {
      const form = isForm(request.headers['content-type']) ? readParameters(svc.http.body(request).toString()) : null
      return sendJson(reply, await userInfo(request.headers.authorization, form, tokens))
    },
  )
}
