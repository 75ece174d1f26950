/** The logout endpoint (OpenID Connect RP-Initiated Logout). */
import { type FastifyInstance, type FastifyReply, type RouteParameter } from 'svc/plugin'
import { rawQuery } from 'svc/toolkit'
import { endSession } from '../login/sessions.ts'
import { STEP } from '../login/steps.ts'
import { sendConfirmPage, sendLoggedOutPage } from '../logout/logout-pages.ts'
import { type LogoutRequest, readLogout } from '../logout/logout-request.ts'
import { createLogoutNotifications } from '../logout/notifications.ts'
import { NO_STORE, OAuthError } from '../oauth/errors.ts'
import { type Parameters, readForm, readParameters } from '../oauth/parameters.ts'
import { sendErrorPage } from '../pages/page.ts'
import type { Provider } from '../provider/provider.ts'
import { type IssuerRequest, registerEndpoint } from './issuer-routes.ts'
import { CATEGORY, formBody, formExample } from './route-parts.ts'

const PARAMETERS: [name: string, description: string][] = [
  ['id_token_hint', 'An ID token of the session, which may be expired. Without it the user has to confirm'],
  ['client_id', 'The client, if there is no hint'],
  ['post_logout_redirect_uri', 'Exactly one that the client registered; demo clients: any absolute http(s) URI'],
  ['state', 'Returned unchanged; at most 2048 characters'],
  ['logout_hint', 'A session id; ends that session once the user has confirmed'],
]
const RESPONSES = {
  200: { description: 'A page: signed out, or the question whether to sign out' },
  303: { description: 'Signed out: redirect to `post_logout_redirect_uri` with `state`' },
  400: { description: 'An error page: the hint, the client or the URI is not valid' },
}

/** Registers the endpoint. */
export function registerLogoutRoutes(app: FastifyInstance, provider: Provider): void {
  const { svc, steps } = provider
  const notify = createLogoutNotifications(svc)

  async function finish(
    { sid, redirectTo }: Pick<LogoutRequest, 'sid' | 'redirectTo'>,
    { issuer, url, reply }: IssuerRequest,
  ): Promise<FastifyReply> {
    const session = sid === null ? undefined : await endSession(sid, issuer)
    if (sid !== null && session !== undefined) notify({ sid, session, issuer, url })
    if (redirectTo === null) return sendLoggedOutPage(reply, true)
    return reply
      .code(303)
      .headers({ ...NO_STORE, Location: redirectTo })
      .send()
  }

  async function answer(asked: IssuerRequest, parameters: Parameters): Promise<FastifyReply> {
    const { issuer, url, reply } = asked
    const text = asked.request.method === 'POST' ? parameters.get(STEP) : undefined
    if (text !== undefined) {
      const step = await steps.readLogout(text, issuer)
      return parameters.get('action') === 'deny' ? sendLoggedOutPage(reply, false) : finish(step, asked)
    }
    const { hasHint, sid, redirectTo } = await readLogout(parameters, issuer, url)
    if (hasHint) return finish({ sid, redirectTo }, asked)
    return sendConfirmPage(reply, await steps.write({ page: 'logout', sid, redirectTo }, issuer))
  }

  const handle = async (asked: IssuerRequest, read: () => Parameters): Promise<FastifyReply> => {
    try {
      return await answer(asked, read())
    } catch (error) {
      if (error instanceof OAuthError) return sendErrorPage(asked.reply, error.error, error.description)
      throw error
    }
  }

  registerEndpoint(app, provider, {
    method: 'GET',
    endpoint: 'logout',
    description: {
      category: CATEGORY,
      ownPage: true,
      summary: 'Log out',
      description:
        'Ends the session of the ID token: its refresh tokens are revoked, and its client is notified. The default issuer has no sessions and revokes nothing.',
      parameters: PARAMETERS.map(
        ([name, description]): RouteParameter => ({ name, in: 'query', description, schema: { type: 'string' } }),
      ),
      responses: RESPONSES,
      examples: [{ name: 'Ask the user', path: '/oauth/logout', expectStatus: 200 }],
    },
    handle: asked => handle(asked, () => readParameters(rawQuery(asked.request))),
  })

  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'logout',
    description: {
      category: CATEGORY,
      ownPage: true,
      summary: 'Log out, with a form',
      description: 'Takes the parameters of GET as a form; the page that asks the user sends `step` and `action`.',
      requestBody: formBody('The parameters, or the decision of the user', [
        ...PARAMETERS.map(([name]) => name),
        'step',
        'action',
      ]),
      responses: RESPONSES,
      examples: [formExample('Unknown client', '/oauth/logout', { client_id: 'nobody' }, 400, null)],
    },
    handle: asked => handle(asked, () => readForm(asked.request, svc)),
  })
}
