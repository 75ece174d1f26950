/** Detects that a browser loaded a page of svc, such as the API reference, which is not what a gateway is tested with. */
import { CONSOLE_HEADER } from '../instance/gateway.ts'
import { headerOf, type Entry } from '../protocol/http.ts'

/** Whether a browser loaded the landing page, the API reference, or a file that they need; not for requests of the console. */
export function isOwnPage({ method, path, headers }: Pick<Entry, 'method' | 'path' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (headerOf(headers, 'user-agent')?.startsWith('Mozilla/') !== true) return false
  if (headerOf(headers, CONSOLE_HEADER) !== null) return false
  if (path === '/' || path === '/docs' || path.startsWith('/docs/') || path === '/favicon.ico') return true
  // The pages send no referrer.
  return path === '/openapi.json' && headerOf(headers, 'sec-fetch-site') === 'same-origin'
}
