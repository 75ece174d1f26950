/** Requests that the originals of the plugin `drop-in` answer, for comparison with svc. */
export interface Case {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  /** Those of `COMPARED`. */
  headers: Record<string, string>
  body: string
}

/** Header fields that are compared. */
export const COMPARED = [
  'content-type',
  'connection',
  'x-a',
  'x-mixed',
  'content-encoding',
  'content-length',
  'location',
  'content-range',
  'content-disposition',
  'accept-ranges',
  'expires',
  'cache-control',
  'www-authenticate',
  'x-powered-by',
  'x-model',
  'testupstream-id',
  'x-testupstream-error',
  'keep-alive',
  'proxy',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
]

const post = (path: string, body = 'hello', headers: Record<string, string> = {}): Case => ({
  method: 'POST',
  path,
  body,
  headers,
})

/** Without chance: percentages are 0 or 100. Bytes of `size` are compared by their number. */
export const FORTIO: readonly Case[] = [
  { path: '/' },
  post('/'),
  post('/any/path', '{"a":1}', { 'Content-Type': 'application/json' }),
  { path: '/?status=418' },
  { path: '/?status=503:100' },
  { path: '/?status=503:0,404:100' },
  { path: '/?status=x' },
  { path: '/?status=503:60,404:60' },
  { path: '/?status=503:20:1' },
  { path: '/?status=503' },
  post('/?status=201', 'created'),
  post('/?header=X-A:1'),
  post('/?header=X-A:1&header=X-Mixed:2'),
  post('/?header=bad&header=X-A:%20spaced'),
  post('/?close=true'),
  post('/?close=0'),
  post('/?delay=1ms'),
  post('/?delay=x'),
  post('/?delay=1ms:100'),
  post('/?delay=1ms:200'),
  post('/?size=x'),
  post('/?size=-1'),
  post('/?gzip=true'),
  post('/?gzip=0', 'hello', { 'Accept-Encoding': 'gzip' }),
  { path: '/?size=100' },
  { path: '/?size=100:100' },
  post('/?size=50&header=X-A:1&status=404'),
]

export const NGINX_HELLO: readonly Case[] = [
  { path: '/' },
  { path: '/a/b?c=<d>&e' },
  { path: '/%41%2Fb' },
  { path: '//a' },
  { path: '/a/./b/../c' },
  post('/x'),
  { method: 'PUT', path: '/x', body: 'y' },
  { method: 'DELETE', path: '/x' },
  { method: 'OPTIONS', path: '/' },
  { path: '/', headers: { 'If-Modified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' } },
]

const retry = (query: string): Case => ({ path: `/retry/x?${query}` })

export const WHOAMI: readonly Case[] = [
  { path: '/' },
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(method => ({ method, path: '/a?b=1' })),
  post('/x', 'a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }),
  { path: '/x', headers: { 'x-b': '2', 'X-A': '1' } },
  { path: '/%41' },
  { path: '/?wait=1ms' },
  { path: '/?wait=zz' },
  { path: '/api' },
  { path: '/api?x=<y>' },
  post('/api'),
  { path: '/api/' },
  { path: '/data' },
  { path: '/data?size=2' },
  { path: '/data?size=60' },
  { path: '/data?size=1&unit=kb' },
  { path: '/data?size=x' },
  { path: '/data?size=40&attachment=true' },
  { path: '/data?size=40&attachment=true', headers: { Range: 'bytes=3-9' } },
  { path: '/data?size=40&attachment=true', headers: { Range: 'bytes=30-' } },
  { path: '/bench' },
  { path: '/health' },
  post('/health', '503'),
  { path: '/health' },
  post('/health', '200'),
  { path: '/echo' },
  { path: '//a' },
  { path: '/a/../b?q' },
  { path: '/a/./b/' },
  post('/a/../b'),
]

/** The text is `hi`. */
export const HTTP_ECHO: readonly Case[] = [
  { path: '/' },
  { path: '/any/path?x' },
  { path: '/health' },
  { path: '/health/x' },
  { path: '//a' },
  { path: '/a/../b' },
  post('/'),
  { method: 'DELETE', path: '/x' },
]

/** Without retries that reset the connection. */
export const ECHO_BASIC: readonly Case[] = [
  { path: '/' },
  { path: '/a?b=<&>' },
  { path: '/health' },
  { path: '/status/404' },
  { path: '/status/9x' },
  { path: '/status/200?a' },
  { path: '/retry' },
  { path: '/retry/' },
  { path: '/retry/?uuid=a' },
  { path: '/retry/?uuid=a&succeedAfter=x' },
  retry('uuid=c&succeedAfter=2&responseCode=503'),
  retry('uuid=c&succeedAfter=2&responseCode=500'),
  retry('uuid=c&succeedAfter=2&responseCode=500'),
  retry('uuid=d&succeedAfter=-1'),
  retry('uuid=e&succeedAfter=1&responseCode=503&delayRetry=zz'),
  { path: '/x?delay=zz' },
  { path: '/x?delay=1ms' },
  post('/x', 'delay=zz', { 'Content-Type': 'application/x-www-form-urlencoded' }),
  { path: '//a' },
  { path: '/a//b' },
  { path: '/a/../b' },
  { path: '/%41' },
  post('/', 'x'),
  { path: '/', headers: { 'X-Echo-Set-Header': 'X-A:1, X-Mixed' } },
  { path: '/', headers: { 'x-z': '<b>' } },
]

/** The fields that are compared. `Expires` is compared with `Date`, whose clock may be a second behind. */
export function comparedFields(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const kept = Object.fromEntries(
    COMPARED.flatMap(field => (headers[field] === undefined ? [] : [[field, String(headers[field])]])),
  )
  const left = Date.parse(kept.expires ?? '') - Date.parse(String(headers.date))
  if (Number.isFinite(left)) kept.expires = left <= 0 ? 'not after Date' : 'after Date'
  return kept
}

/** A body without the machine, its addresses and ports. */
export function withoutMachine(body: string): string {
  return body
    .replace(/^IP: .*\n/gm, '')
    .replace(/^(Hostname|RemoteAddr): .*/gm, '$1')
    .replace(/"hostname":"[^"]*","ip":\[[^\]]*\]/, '"hostname","ip"')
    .replace(/"remoteAddr":"[^"]*"/, '"remoteAddr"')
    .replace(/"httpPort": "\d+"/, '"httpPort"')
    .replace(/^(Server (?:address|name)): .*/gm, '$1')
    .replace(/^Date: \d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/m, 'Date')
    .replace(/^Request ID: [\da-f]{32}$/m, 'Request ID')
}
