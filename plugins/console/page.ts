/** Renders the page that loads the client. It is the same for all users. */
import { escapeHtml } from 'svc/toolkit'
import type { Svc } from 'svc/plugin'
import type { Client } from './build.ts'
import type { Variables } from './variables.ts'

/**
 * Scripts and styles load only from the origin of the page. Requests may go to any origin, since gateways can be
 * anywhere. The opener policy allows pop-ups, because the authorization code flow opens one.
 */
export const PAGE_HEADERS: Record<string, string> = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src * ws: wss:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
}

const { 'cross-origin-opener-policy': _opener, ...sharedHeaders } = PAGE_HEADERS
/** No opener policy, which would cut the connection to the console page; not stored, since the URL has a code. */
export const CALLBACK_HEADERS: Record<string, string> = { ...sharedHeaders, 'cache-control': 'no-store' }

/** Renders the redirect page of the authorization code flow. */
export function renderCallback({ callback, style, icon }: Client): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>svc console: sign-in</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" type="image/svg+xml" href="assets/${icon}">
<link rel="stylesheet" href="assets/${style}">
<script type="module" src="assets/${callback}"></script>
</head>
<body>
<main><p>Completing the sign-in.</p></main>
</body>
</html>
`
}

/** Renders the page of the console. All its URLs are relative, so that it works below any prefix. */
export function renderPage(
  { config, variables, instance }: Pick<Svc<unknown, Variables>, 'config' | 'variables' | 'instance'>,
  { script, style, icon }: Client,
): string {
  const metas: [name: string, content: string][] = [
    ['svc-control-auth', config.controlAuth],
    ['svc-console-title', variables.title ?? ''],
    ['svc-console-backlink', variables.backlink ?? ''],
    ['svc-public-mode', String(config.publicMode)],
    ['svc-version', instance.version],
  ]
  const title = variables.title ? `${variables.title} - svc console` : 'svc console'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${metas.map(([name, content]) => `<meta name="${name}" content="${escapeHtml(content)}">`).join('\n')}
<link rel="icon" type="image/svg+xml" href="assets/${icon}">
<link rel="stylesheet" href="assets/${style}">
<script type="module" src="assets/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The console requires JavaScript. The same data is available at ../_svc/catalog and ../_svc/requests.</noscript>
</body>
</html>
`
}
