/** The pages of the logout. */
import type { FastifyReply } from 'svc/plugin'
import { hiddenInput } from '../login/login-page.ts'
import { STEP } from '../login/steps.ts'
import { html } from '../pages/html.ts'
import { sendPage } from '../pages/page.ts'

/** Asks the user, because the request does not prove that it comes from the client of the session. */
export function sendConfirmPage(reply: FastifyReply, step: string): FastifyReply {
  return sendPage(reply, 200, {
    title: 'Sign out',
    content: html`<h1>Sign out</h1>
<p>Do you want to sign out?</p>
<form method="post" action="logout">
${hiddenInput(STEP, step)}<div class="actions">
<button type="submit" name="action" value="approve">Sign out</button>
<button type="submit" name="action" value="deny" class="quiet">Stay signed in</button>
</div>
</form>`,
  })
}

/** Sends the page after the decision. */
export function sendLoggedOutPage(reply: FastifyReply, isLoggedOut: boolean): FastifyReply {
  const title = isLoggedOut ? 'Signed out' : 'Still signed in'
  return sendPage(reply, 200, {
    title,
    content: html`<h1>${title}</h1>
<p>You can close this page.</p>`,
  })
}
