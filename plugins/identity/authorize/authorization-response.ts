/** The authorization response, sent to the redirect URI (RFC 6749, 4.1.2; RFC 9207). */
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'svc/plugin'
import { hostileParameters } from '../faults/hostile.ts'
import { hiddenInput } from '../login/login-page.ts'
import { NO_STORE, type OAuthErrorCode } from '../oauth/errors.ts'
import { appendParameters } from '../oauth/redirect-uri.ts'
import { html, Html } from '../pages/html.ts'
import { sendPage } from '../pages/page.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/** The result for the client. */
export type AuthorizationResult = { code: string } | { error: OAuthErrorCode; error_description: string }

const SUBMIT_SCRIPT = 'document.forms[0].submit()'
const SUBMIT_SCRIPT_SOURCE = `'sha256-${createHash('sha256').update(SUBMIT_SCRIPT).digest('base64')}'`

/** Redirects the browser to the client, with the unchanged `state` and the issuer. */
export function sendToClient(
  reply: FastifyReply,
  request: AuthorizationRequest,
  url: string,
  result: AuthorizationResult,
): FastifyReply {
  const { redirectUri, responseMode, state } = request
  const right = { ...result, ...(state !== undefined && { state }), ...issParameter(request, url) }
  const parameters = hostileParameters(right, request.asks)
  if (responseMode === 'form_post') return sendForm(reply, redirectUri, parameters)
  // 303: the browser must not resend the form, which contains the password, to the client (RFC 9700, 4.12).
  return reply
    .code(303)
    .headers({ ...NO_STORE, Location: appendParameters(redirectUri, parameters) })
    .send()
}

/** The parameter `iss` (RFC 9207, 2), as the settings of the issuer ask for it. */
function issParameter({ issuer }: AuthorizationRequest, url: string): Record<string, string> {
  const mode = issuer.settings.iss_parameter
  if (mode === 'missing' || mode === 'off') return {}
  return { iss: mode === 'wrong' ? `${url}-wrong` : url }
}

/** Form Post Response Mode, 2: a form that submits itself. The CSP allows its script by hash. */
function sendForm(reply: FastifyReply, redirectUri: string, parameters: Record<string, string>): FastifyReply {
  return sendPage(reply, 200, {
    title: 'Continue',
    scriptSource: SUBMIT_SCRIPT_SOURCE,
    content: html`<h1>Continue</h1>
<p>Returning to the application.</p>
<form method="post" action="${redirectUri}">
${Object.entries(parameters).map(([name, value]) => hiddenInput(name, value))}<div class="actions"><button type="submit">Continue</button></div>
</form>
<script>${new Html(SUBMIT_SCRIPT)}</script>`,
  })
}
