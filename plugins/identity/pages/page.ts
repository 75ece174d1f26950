/** The layout of this provider's pages: head, style and headers. */
import type { FastifyReply } from 'svc/plugin'
import { NO_STORE } from '../oauth/errors.ts'
import { html, Html } from './html.ts'
import { STYLE } from './style.ts'

const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

/** A page: title, content, and the CSP source expression of its script (CSP 3, 2.3.1). */
export interface Page {
  title: string
  content: Html
  scriptSource?: string
}

/**
 * Sends a page that loads no resources. There is no `form-action`, because browsers apply it to the redirect after the
 * form.
 */
export function sendPage(reply: FastifyReply, status: number, { title, content, scriptSource }: Page): FastifyReply {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} - svc</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<p class="brand"><span>svc</span> demo sign-in</p>
${content}
</main>
</body>
</html>
`
  return reply
    .code(status)
    .headers({
      ...NO_STORE,
      'Content-Type': 'text/html; charset=utf-8',
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy':
        scriptSource === undefined ? CONTENT_SECURITY_POLICY : `${CONTENT_SECURITY_POLICY}; script-src ${scriptSource}`,
    })
    .send(document.markup)
}

/** Sends the page of a login that is broken: neither a redirect nor an OAuth error. */
export function sendBrokenPage(reply: FastifyReply): FastifyReply {
  return sendPage(reply, 500, {
    title: 'Internal server error',
    content: html`<h1>Internal server error</h1>
<p class="alert">The login does not work at the moment.</p>`,
  })
}

/** Sends the error page for a request whose errors can't be sent to a redirect URI. */
export function sendErrorPage(reply: FastifyReply, error: string, description: string): FastifyReply {
  return sendPage(reply, 400, {
    title: 'Invalid request',
    content: html`<h1>Invalid request</h1>
<p class="alert">${description}</p>
<p>The application that sent you here made an invalid request. You can't be returned to it.</p>
<p class="fact">Error <code>${error}</code></p>`,
  })
}
