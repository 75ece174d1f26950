/** The pages on which a user enters the code of a device (RFC 8628, 3.3). */
import type { FastifyReply } from 'svc/plugin'
import type { Issuer } from '../issuers/issuer.ts'
import { html } from '../pages/html.ts'
import { sendPage } from '../pages/page.ts'

/** Sends the form for the code; after a wrong one with an error message. */
export function sendCodePage(
  reply: FastifyReply,
  { settings }: Issuer,
  { entered, problem }: { entered: string; problem: string | null },
  status = problem === null ? 200 : 400,
): FastifyReply {
  const described = problem === null ? html`` : html` aria-invalid="true" aria-describedby="failed"`
  return sendPage(reply, status, {
    title: 'Connect a device',
    content: html`<h1>Connect a device</h1>
${settings.title === undefined ? '' : html`<p>${settings.title}</p>`}
${problem === null ? html`<p>Enter the code that the device shows.</p>` : html`<p class="alert" id="failed" role="alert">${problem}</p>`}
<form method="post" action="device">
<label for="user_code">Code</label>
<input id="user_code" name="user_code" value="${entered.slice(0, 20)}" autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus${described}>
<div class="actions">
<button type="submit">Continue</button>
</div>
</form>`,
  })
}

/** Sends the page after the decision. */
export function sendDecidedPage(reply: FastifyReply, isApproved: boolean): FastifyReply {
  const title = isApproved ? 'Device connected' : 'Request denied'
  return sendPage(reply, 200, {
    title,
    content: html`<h1>${title}</h1>
<p>Return to the device. You can close this page.</p>`,
  })
}
