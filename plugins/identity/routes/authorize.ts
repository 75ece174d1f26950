/** The authorization endpoint: request, login form and authorization response. */
import { type FastifyInstance, type FastifyReply, type RouteParameter } from 'svc/plugin'
import { rawQuery } from 'svc/toolkit'
import { authorizationPurpose, isLoginForm, receivedAgain } from '../authorize/authorization-login.ts'
import { sendToClient } from '../authorize/authorization-response.ts'
import { checkAuthorizationRequest } from '../authorize/checks.ts'
import { receiveRequest } from '../authorize/received-request.ts'
import { asksOf } from '../faults/hostile.ts'
import { continueLogin, logIn } from '../login/log-in.ts'
import { STEP } from '../login/steps.ts'
import { OAuthError } from '../oauth/errors.ts'
import { type Parameters, readLoginForm, readParameters } from '../oauth/parameters.ts'
import { sendErrorPage } from '../pages/page.ts'
import type { Provider } from '../provider/provider.ts'
import { LOGIN_VARIANTS } from '../settings/login-settings.ts'
import { type IssuerRequest, registerEndpoint } from './issuer-routes.ts'
import { CATEGORY, formBody, formExample } from './route-parts.ts'

/** The parameters of an authorization request. */
export const PARAMETERS: [name: string, description: string, required?: boolean][] = [
  ['response_type', 'Only `code`', true],
  ['client_id', '`svc`, `svc-public` or a registered client', true],
  ['redirect_uri', 'Demo clients: any absolute http(s) URI. Registered clients: exactly one of their URIs'],
  ['scope', 'Any space-separated names. Default: `openid profile email`'],
  ['state', 'Returned unchanged; at most 2048 characters'],
  ['nonce', 'Copied to the ID token; at most 512 characters'],
  ['code_challenge', 'PKCE; required for public clients'],
  ['code_challenge_method', '`S256` or `plain` (default)'],
  ['resource', 'Absolute URI that becomes the audience. Can be repeated up to five times'],
  ['response_mode', '`query` (default) or `form_post`'],
  ['prompt', '`none` results in `login_required`, because there are no login sessions'],
  ['login_hint', 'User name to prefill in the login form'],
  ['acr_values', '`urn:svc:acr:mfa` asks for a one-time code, which is 123456'],
  ['svc_login', `How the user logs in: ${LOGIN_VARIANTS.map(name => `\`${name}\``).join(', ')}`],
  ['dpop_jkt', 'Thumbprint of the key that must redeem the code; issuers by path only'],
  ['request', 'The parameters as a signed request object (RFC 9101); issuers by path only'],
  ['request_uri', 'The URI of a pushed request (RFC 9126); issuers by path only'],
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
  200: { description: 'The login form, or the response as a form that submits itself (`form_post`)' },
  303: { description: 'Redirect to the redirect URI with `code` or `error`, `state` and `iss`' },
  400: { description: 'An error page: the client or the redirect URI is not valid' },
  500: { description: 'The login is broken (`svc_login=broken`)' },
}

/** Registers the authorization endpoint. */
export function registerAuthorizeRoutes(app: FastifyInstance, provider: Provider): void {
  registerEndpoint(app, provider, {
    method: 'GET',
    endpoint: 'authorize',
    description: {
      category: CATEGORY,
      ownPage: true,
      summary: 'Request an authorization code',
      description: 'Shows a login form. The demo users are demo, alice and bob; their passwords equal their names.',
      parameters: QUERY,
      responses: RESPONSES,
      examples: [
        { name: 'Login form', path: `/oauth/authorize?${new URLSearchParams(EXAMPLE)}`, expectStatus: 200 },
        {
          name: 'Error sent to the client',
          path: `/oauth/authorize?${new URLSearchParams({ ...EXAMPLE, prompt: 'none' })}`,
          expectStatus: 303,
        },
      ],
    },
    handle: request => handle(request, () => readParameters(rawQuery(request.request)), provider),
  })

  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'authorize',
    description: {
      category: CATEGORY,
      ownPage: true,
      summary: 'Log in and approve or deny',
      description:
        'Takes the parameters of GET as a form, with `username`, `password` and `action`. Without any of these three it acts like GET. Pages after the password send `step` instead of the parameters, with `otp`, or with a `scope` for each that is granted.',
      requestBody: formBody('Parameters of the authorization request, and the input of the login form', [
        ...PARAMETERS.map(([name]) => name),
        'username',
        'password',
        'action',
        'step',
        'otp',
      ]),
      responses: { ...RESPONSES, 401: { description: 'Wrong user name, password or one-time code: the form again' } },
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
    },
    handle: request => handle(request, () => readLoginForm(request.request, provider.svc), provider),
  })
}

async function handle(request: IssuerRequest, read: () => Parameters, provider: Provider): Promise<FastifyReply> {
  try {
    return await proceed(request, read(), provider)
  } catch (error) {
    if (error instanceof OAuthError) return sendErrorPage(request.reply, error.error, error.description)
    throw error
  }
}

async function proceed(
  { issuer, url, request: asked, reply }: IssuerRequest,
  form: Parameters,
  { svc, steps }: Provider,
): Promise<FastifyReply> {
  const isPost = asked.method === 'POST'
  const text = isPost ? form.get(STEP) : undefined
  const step = text === undefined ? null : await steps.readLogin(text, issuer, 'authorize')
  const isLogin = isPost && isLoginForm(form)
  const received = step === null ? await receiveRequest(form, issuer, url, isLogin) : receivedAgain(step)
  const { request, error } = await checkAuthorizationRequest(received, issuer, url, asksOf(issuer, asked))
  if (error !== null)
    return sendToClient(reply, request, url, { error: error.error, error_description: error.description })
  const purpose = authorizationPurpose(request, url, reply)
  const login = { svc, steps, request: asked, reply }
  return step === null ? logIn(purpose, isLogin ? form : null, login) : continueLogin(purpose, step, form, login)
}
