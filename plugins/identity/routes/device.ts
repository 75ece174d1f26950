/** The device authorization endpoint and its page (RFC 8628). */
import { type FastifyInstance, type FastifyReply, readQuery } from 'svc/plugin'
import { authenticateClient } from '../authentication/client-authentication.ts'
import { limitAttempts } from '../device/attempts.ts'
import { authorizeDevice } from '../device/device-authorization.ts'
import { deviceState, readUserCode } from '../device/device-codes.ts'
import { codeOf, devicePurpose, UNKNOWN_CODE } from '../device/device-login.ts'
import { sendCodePage } from '../device/device-page.ts'
import { continueLogin, logIn } from '../login/log-in.ts'
import { STEP } from '../login/steps.ts'
import { OAuthError } from '../oauth/errors.ts'
import { sendJson } from '../oauth/json-response.ts'
import { type Parameters, readForm, readLoginForm } from '../oauth/parameters.ts'
import { sendErrorPage } from '../pages/page.ts'
import type { Provider } from '../provider/provider.ts'
import { openDeviceAttempts } from '../stores/stores.ts'
import { type IssuerRequest, registerEndpoint } from './issuer-routes.ts'
import { CATEGORY, formBody, formExample } from './route-parts.ts'

const EXAMPLE_CODE = 'BCDF-GHJK'

/** Registers the endpoint and the page. */
export function registerDeviceRoutes(app: FastifyInstance, provider: Provider): void {
  const { svc, steps } = provider
  const attempts = limitAttempts(openDeviceAttempts(svc))

  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'device_authorization',
    isByPathOnly: true,
    description: {
      category: CATEGORY,
      summary: 'Start the device flow',
      description:
        'Device authorization (RFC 8628). The user enters the code on the page; `svc_outcome`, `svc_after_s` and `svc_user` decide without a browser.',
      requestBody: formBody(
        'The client, and the request',
        ['client_id', 'scope', 'resource', 'svc_outcome', 'svc_after_s', 'svc_user'],
        ['client_id'],
      ),
      credentials: ['none', 'basic'],
      responses: {
        200: { description: 'Device code, user code, and the address of the page' },
        400: { description: '`invalid_request` or another OAuth error' },
        401: { description: '`invalid_client`' },
      },
      examples: [
        formExample('Start', '/oauth/device_authorization', { client_id: 'svc-device' }, 200, null),
        formExample(
          'Approved without a browser',
          '/oauth/device_authorization',
          { client_id: 'svc-device', svc_outcome: 'approve', svc_user: 'alice' },
          200,
          null,
        ),
      ],
    },
    async handle({ issuer, url, request, reply }) {
      const parameters = readForm(request, svc)
      const client = await authenticateClient({ request, parameters, issuer, url }, svc)
      return sendJson(reply, await authorizeDevice(parameters, client, issuer, url))
    },
  })

  registerEndpoint(app, provider, {
    method: 'GET',
    endpoint: 'device',
    isByPathOnly: true,
    description: {
      category: CATEGORY,
      ownPage: true,
      summary: 'Enter the code of a device',
      parameters: [{ name: 'user_code', in: 'query', description: 'Prefills the form', schema: { type: 'string' } }],
      responses: { 200: { description: 'The form' } },
      examples: [{ name: 'Form', path: '/oauth/device', expectStatus: 200 }],
    },
    handle: ({ issuer, request, reply }) =>
      sendCodePage(reply, issuer, { entered: readQuery(request).get('user_code') ?? '', problem: null }),
  })

  registerEndpoint(app, provider, {
    method: 'POST',
    endpoint: 'device',
    isByPathOnly: true,
    description: {
      category: CATEGORY,
      ownPage: true,
      summary: 'Approve or deny a device',
      description:
        'First `user_code` alone, which shows the login form; then with `username`, `password` and `action`. Further pages of the login send `step`.',
      requestBody: formBody('The code, and the input of the login form', [
        'user_code',
        'username',
        'password',
        'action',
        'step',
        'otp',
        'scope',
      ]),
      responses: {
        200: { description: 'The login form, or the page after the decision' },
        400: { description: 'The form again: the code is unknown or has expired' },
        401: { description: 'Wrong user name, password or one-time code: the form again' },
        500: { description: 'The login is broken (`login` of the issuer)' },
        429: { description: 'Too many wrong codes from this address; `Retry-After` says when to continue' },
      },
      examples: [formExample('Unknown code', '/oauth/device', { user_code: EXAMPLE_CODE }, 400, null)],
    },
    async handle(asked) {
      try {
        return await enterCode(asked, readLoginForm(asked.request, svc))
      } catch (error) {
        if (error instanceof OAuthError) return sendErrorPage(asked.reply, error.error, error.description)
        throw error
      }
    },
  })

  async function enterCode(
    { issuer, url, request, reply }: IssuerRequest,
    parameters: Parameters,
  ): Promise<FastifyReply> {
    const text = parameters.get(STEP)
    const step = text === undefined ? null : await steps.readLogin(text, issuer, 'device')
    const entered = step === null ? (parameters.get('user_code') ?? '') : codeOf(step)
    const address = svc.http.clientIp(request)
    if (!(await attempts.begin(address))) {
      const problem = 'Too many wrong codes. Try again in a minute.'
      return sendCodePage(reply.header('Retry-After', '60'), issuer, { entered, problem }, 429)
    }
    const userCode = readUserCode(entered)
    const record = await issuer.stores.deviceCodes.peek(userCode)
    const client = record === undefined ? undefined : await issuer.findClient(record.clientId, url)
    if (record === undefined || client === undefined || deviceState(record, Date.now()) !== 'pending') {
      return sendCodePage(reply, issuer, { entered, problem: UNKNOWN_CODE })
    }
    await attempts.forgive(address)
    const purpose = devicePurpose({ issuer, client, record, userCode }, reply)
    const login = { svc, steps, request, reply }
    if (step !== null) return continueLogin(purpose, step, parameters, login)
    const isDecided = parameters.has('username') || parameters.get('action') === 'deny'
    return logIn(purpose, isDecided ? parameters : null, login)
  }
}
