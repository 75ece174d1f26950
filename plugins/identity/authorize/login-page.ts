/** The login form. It shows the client and the requested scopes, and works without a script. */
import type { FastifyReply } from 'svc/plugin'
import type { AuthorizationRequest } from './authorization-request.ts'
import { askQuery } from '../issuers/hostile.ts'
import { html } from './html.ts'
import type { Html } from './html.ts'
import { sendPage } from './page.ts'

/** Parameters of the request that the form submits again. */
const CARRIED = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'max_age',
  'resource',
]
const MAX_USERNAME_CHARACTERS = 256
const DEFAULT_USERNAME = 'demo'
const MAX_LISTED_USERS = 20

/** A failed login, after which the form is sent again with status 401. */
export interface FailedLogin {
  username: string
}

/** Sends the form; after a failed login with an error message and the entered user name. */
export function sendLoginPage(
  reply: FastifyReply,
  request: AuthorizationRequest,
  failed: FailedLogin | null,
): FastifyReply {
  const { client, issuer, parameters, scope } = request
  const { users } = issuer
  const username = failed === null ? (parameters.get('login_hint') ?? DEFAULT_USERNAME) : failed.username
  return sendPage(reply, failed === null ? 200 : 401, {
    title: failed === null ? 'Sign in' : 'Sign-in failed',
    content: html`<h1>Sign in</h1>
${
  issuer.settings.title === undefined
    ? ''
    : html`<p>${issuer.settings.title}</p>
`
}<p><strong>${client.name}</strong> <span class="fact">(<code>${client.id}</code>)</span> requests access.</p>
${failed === null ? '' : html`<p class="alert" id="failed" role="alert">Wrong user name or password.</p>`}
<h2 id="scopes">Requested scopes</h2>
<ul class="scopes" aria-labelledby="scopes">${scope.map(name => html`<li>${name}</li>`)}</ul>
<form method="post" action="authorize${askQuery(request.asks)}">
${CARRIED.flatMap(name => parameters.getAll(name).map(value => hiddenInput(name, value)))}
<label for="username">User name</label>
<input id="username" name="username" value="${username.slice(0, MAX_USERNAME_CHARACTERS)}" autocomplete="username" autocapitalize="none" spellcheck="false"${describedBy(failed)}>
<label for="password">Password</label>
<input id="password" name="password" type="password" value="" autocomplete="current-password" autofocus${describedBy(failed)}>
<div class="actions">
<button type="submit" name="action" value="approve">Approve</button>
<button type="submit" name="action" value="deny" class="quiet">Deny</button>
</div>
</form>
<h2 id="users">Demo users</h2>
<table aria-labelledby="users">
<thead><tr><th scope="col">User name</th><th scope="col">Password</th><th scope="col">Groups</th></tr></thead>
<tbody>${users.list.slice(0, MAX_LISTED_USERS).map(user => html`<tr><th scope="row"><code>${user.username}</code></th><td>${users.isDemo(user) ? html`<code>${user.username}</code>` : '(configured)'}</td><td>${user.groups.join(', ')}</td></tr>`)}</tbody>
</table>`,
  })
}

function describedBy(failed: FailedLogin | null): Html {
  return failed === null ? html`` : html` aria-invalid="true" aria-describedby="failed"`
}

/** A hidden form field. */
export function hiddenInput(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">
`
}
