/** The login form. It shows the client and the requested scopes, and works without a script. */
import type { FastifyReply } from 'svc/plugin'
import { isDocumentId } from '../accounts/client-documents.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { html, type Html } from '../pages/html.ts'
import { sendPage } from '../pages/page.ts'
import type { Client } from '../stores/records.ts'

const MAX_USERNAME_CHARACTERS = 256
const DEFAULT_USERNAME = 'demo'
const MAX_LISTED_USERS = 20

/** What the user decides about. */
export interface LoginSubject {
  issuer: Issuer
  client: Client
  scope: readonly string[]
  /** Where the form is sent, relative to the page. */
  action: string
  /** Fields that the form submits again. */
  hidden: readonly (readonly [name: string, value: string])[]
  /** Prefills the form. */
  username: string | undefined
}

/** Who asks for access. */
export function sentBy({ issuer, client }: LoginSubject): Html {
  return html`${
    issuer.settings.title === undefined
      ? ''
      : html`<p>${issuer.settings.title}</p>
`
  }<p><strong>${client.name}</strong> <span class="fact">(<code>${client.id}</code>)</span> requests access.</p>
${isDocumentId(client.id) ? html`<p>It comes from <strong>${new URL(client.id).host}</strong>.</p>` : ''}`
}

/** Sends the form; after a failed login with an error message, `problem`. */
export function sendLoginPage(reply: FastifyReply, subject: LoginSubject, problem: string | null): FastifyReply {
  const { scope, action, hidden, username = DEFAULT_USERNAME } = subject
  const { users } = subject.issuer
  const isFailed = problem !== null
  return sendPage(reply, isFailed ? 401 : 200, {
    title: isFailed ? 'Sign-in failed' : 'Sign in',
    content: html`<h1>Sign in</h1>
${sentBy(subject)}${!isFailed ? '' : html`<p class="alert" id="failed" role="alert">${problem}</p>`}
<h2 id="scopes">Requested scopes</h2>
<ul class="scopes" aria-labelledby="scopes">${scope.map(name => html`<li>${name}</li>`)}</ul>
<form method="post" action="${action}">
${hidden.map(([name, value]) => hiddenInput(name, value))}
<label for="username">User name</label>
<input id="username" name="username" value="${username.slice(0, MAX_USERNAME_CHARACTERS)}" autocomplete="username" autocapitalize="none" spellcheck="false"${describedBy(isFailed)}>
<label for="password">Password</label>
<input id="password" name="password" type="password" value="" autocomplete="current-password" autofocus${describedBy(isFailed)}>
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

function describedBy(isFailed: boolean): Html {
  return !isFailed ? html`` : html` aria-invalid="true" aria-describedby="failed"`
}

/** A hidden form field. */
export function hiddenInput(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">
`
}
