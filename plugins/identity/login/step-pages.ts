/** The pages of a login after the password: one-time code and consent. */
import type { FastifyReply } from 'svc/plugin'
import { html, type Html } from '../pages/html.ts'
import { sendPage } from '../pages/page.ts'
import type { User } from '../stores/records.ts'
import { hiddenInput, type LoginSubject, sentBy } from './login-page.ts'
import { ONE_TIME_CODE } from './login.ts'

/** Sends the form for the one-time code; after a wrong one with an error message. */
export function sendCodeStep(reply: FastifyReply, subject: LoginSubject, isWrong: boolean): FastifyReply {
  const described = isWrong ? html` aria-invalid="true" aria-describedby="failed"` : html``
  return sendPage(reply, isWrong ? 401 : 200, {
    title: isWrong ? 'Wrong code' : 'Enter the code',
    content: html`<h1>Enter the code</h1>
${sentBy(subject)}
${isWrong ? html`<p class="alert" id="failed" role="alert">Wrong one-time code.</p>` : ''}
<form method="post" action="${subject.action}">
${subject.hidden.map(([name, value]) => hiddenInput(name, value))}
<label for="otp">One-time code (<code>${ONE_TIME_CODE}</code>)</label>
<input id="otp" name="otp" value="" inputmode="numeric" autocomplete="one-time-code" autofocus${described}>
<div class="actions">
<button type="submit" name="action" value="approve">Continue</button>
<button type="submit" name="action" value="deny" class="quiet">Deny</button>
</div>
</form>`,
  })
}

/** Sends the form on which the user chooses what the client gets. */
export function sendConsentStep(reply: FastifyReply, subject: LoginSubject, user: User): FastifyReply {
  const box = (name: string): Html =>
    html`<li><label><input type="checkbox" name="scope" value="${name}" checked${name === 'openid' ? ' disabled' : ''}> ${name}</label></li>`
  return sendPage(reply, 200, {
    title: 'Allow access',
    content: html`<h1>Allow access</h1>
${sentBy(subject)}
<p>You are logged in as <strong>${user.username}</strong>.</p>
<form method="post" action="${subject.action}">
${subject.hidden.map(([name, value]) => hiddenInput(name, value))}
<h2 id="scopes">Requested scopes</h2>
<ul class="boxes" aria-labelledby="scopes">${subject.scope.map(box)}</ul>
<div class="actions">
<button type="submit" name="action" value="approve">Approve</button>
<button type="submit" name="action" value="deny" class="quiet">Deny</button>
</div>
</form>`,
  })
}
