/** The UserInfo endpoint. */
import { describe } from 'svc/plugin'
import type { FastifyInstance } from 'svc/plugin'
import { isForm, readParameters } from '../requests/parameters.ts'
import type { Provider } from '../provider.ts'
import { userInfo } from '../users/userinfo.ts'
import { CATEGORY, formBody, formExample, sendJson } from './answer.ts'

const RESPONSES = {
  200: { description: 'Claims by scope' },
  400: { description: 'Token in both places' },
  401: { description: 'No token, or one that is not valid here' },
  403: { description: 'The scope `openid` is missing' },
}
const DESCRIPTION = 'Takes an access token with scope `openid`; `profile` and `email` add their claims.'

/** Registers `GET` and `POST /oauth/userinfo`. */
export function registerUserInfoRoutes(app: FastifyInstance, { svc, tokens }: Provider): void {
  app.get(
    '/oauth/userinfo',
    describe({
      category: CATEGORY,
      summary: 'Claims about the user',
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
      summary: 'Claims about the user, token in the form',
      description: DESCRIPTION,
      requestBody: formBody('The token, unless it is in the header', ['access_token']),
      responses: RESPONSES,
      examples: [formExample('Token that is none', '/oauth/userinfo', { access_token: 'not-a-token' }, 401, null)],
    }),
    async (request, reply) => {
      const form = isForm(request.headers['content-type']) ? readParameters(svc.http.body(request).toString()) : null
      return sendJson(reply, await userInfo(request.headers.authorization, form, tokens))
    },
  )
}
