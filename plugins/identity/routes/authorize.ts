/** The authorization endpoint: request, login form, answer at the redirect URI. */
import { describe, rawQuery } from 'svc/plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteParameter } from 'svc/plugin'
import { sendToClient } from '../authorize/authorization-response.ts'
import { checkAuthorizationRequest } from '../authorize/checks.ts'
import { decide, isLoginForm } from '../authorize/login.ts'
import { sendLoginPage } from '../authorize/login-page.ts'
import { sendErrorPage } from '../authorize/page.ts'
import { OAuthError } from '../errors.ts'
import { readForm, readParameters } from '../requests/parameters.ts'
import type { Parameters } from '../requests/parameters.ts'
import type { Provider } from '../provider.ts'
import { CATEGORY, formBody, formExample } from './answer.ts'

const PARAMETERS: [name: string, description: string, required?: boolean][] = [
  ['response_type', 'Only `code`', true],
  ['client_id', '`svc`, `svc-public` or a registered client', true],
  ['redirect_uri', 'Demo clients: any absolute http(s) URI; registered clients: one of theirs, exactly'],
  ['scope', 'Names separated by blanks; any. Default: `openid profile email`'],
  ['state', 'Sent back as it came, at most 2048 characters'],
  ['nonce', 'Goes into the ID token, at most 512 characters'],
  ['code_challenge', 'PKCE; required for public clients'],
  ['code_challenge_method', '`S256` or `plain` (default)'],
  ['resource', 'Absolute URI that becomes the audience; up to five'],
  ['response_mode', '`query` (default) or `form_post`'],
  ['prompt', '`none` is refused: nobody is ever logged in already'],
  ['login_hint', 'Fills in the user name'],
]
const QUERY = PARAMETERS.map(
  ([name, description, required = false]): RouteParameter => ({
    name,
    in: 'query',
    description,
    required,
    schema: { type: 'string' },
  }),
)
const EXAMPLE = {
  response_type: 'code',
  client_id: 'svc',
  redirect_uri: 'http://localhost:3000/callback',
  state: 'xyz',
}
const RESPONSES = {
  200: { description: 'The login form, or the answer as a form that submits itself (`form_post`)' },
  303: { description: 'To the redirect URI with `code` or `error`, `state` and `iss`' },
  400: { description: 'A page: client or redirect URI are not good enough to send anything there' },
}

/** Registers `GET` and `POST /oauth/authorize`. */
export function registerAuthorizeRoutes(app: FastifyInstance, provider: Provider): void {
  app.get(
    '/oauth/authorize',
    describe({
      category: CATEGORY,
      summary: 'Ask for an authorization code',
      description: 'Shows a login form for the demo users demo, alice and bob, whose passwords are their names.',
      parameters: QUERY,
      responses: RESPONSES,
      examples: [
        { name: 'Login form', path: `/oauth/authorize?${new URLSearchParams(EXAMPLE)}`, expectStatus: 200 },
        {
          name: 'Error at the client',
          path: `/oauth/authorize?${new URLSearchParams({ ...EXAMPLE, prompt: 'none' })}`,
          expectStatus: 303,
        },
      ],
    }),
    (request, reply) => answer(request, reply, provider, () => readParameters(rawQuery(request))),
  )

  app.post(
    '/oauth/authorize',
    describe({
      category: CATEGORY,
      summary: 'Log in and approve or deny',
      description:
        'The parameters of GET as a form, with `username`, `password` and `action`; without any of these three the same as GET.',
      requestBody: formBody(
        'Parameters of the request and the decision',
        [...PARAMETERS.map(([name]) => name), 'username', 'password', 'action'],
        ['client_id'],
      ),
      responses: { ...RESPONSES, 401: { description: 'The form again: wrong user name or password' } },
      examples: [
        formExample(
          'Approve',
          '/oauth/authorize',
          { ...EXAMPLE, username: 'alice', password: 'alice', action: 'approve' },
          303,
          null,
        ),
        formExample('Deny', '/oauth/authorize', { ...EXAMPLE, action: 'deny' }, 303, null),
      ],
    }),
    (request, reply) => answer(request, reply, provider, () => readForm(request, provider.svc)),
  )
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  read: () => Parameters,
): Promise<FastifyReply> {
  try {
    return await proceed(reply, read(), request.method === 'POST', provider.tokens.issuer(request), provider)
  } catch (error) {
    if (error instanceof OAuthError) return sendErrorPage(reply, error.error, error.description)
    throw error
  }
}

async function proceed(
  reply: FastifyReply,
  parameters: Parameters,
  isPost: boolean,
  issuer: string,
  { stores }: Provider,
): Promise<FastifyReply> {
  const { request, error } = await checkAuthorizationRequest(parameters, stores.clients)
  if (error !== null)
    return sendToClient(reply, request, issuer, { error: error.error, error_description: error.description })
  if (!isPost || !isLoginForm(parameters)) return sendLoginPage(reply, request, null)
  const result = await decide(request, stores.codes)
  if (result === null) return sendLoginPage(reply, request, { username: parameters.get('username') ?? '' })
  return sendToClient(reply, request, issuer, result)
}
