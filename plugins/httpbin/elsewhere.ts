/** Paths that people know from other servers, and where svc has the same. */
import type { FamiliarPath } from 'svc/plugin'
import type { Original } from './operation.ts'

/** Paths of go-httpbin that httpbin does not have. */
const ONLY_GO =
  /^\/(?:head|upload|dump\/request|jsonl|sse|trailers|unstable|env|hostname|version|websocket\/echo|base64\/(?:en|de)code\/.*)$/
const ONLY_HTTPBIN = /^\/(?:cookies\/set\/|digest-auth\/[^/]*\/[^/]*\/[^/]*\/[^/]*\/)/

/** Paths of these and similar servers: httpbin's documents, Postman Echo, whoami, mockbin, and documents of frameworks. */
export const FAMILIAR: readonly FamiliarPath[] = [
  ...['/spec.json', '/swagger.json', '/v3/api-docs', '/swagger/v1/swagger.json', '/api-docs'].map(path => ({
    path,
    here: '/openapi.json',
  })),
  ...['/legacy', '/apidocs', '/swagger-ui', '/swagger-ui/', '/swagger-ui/index.html', '/swagger-ui.html', '/redoc'].map(
    path => ({ path, here: '/docs' }),
  ),
  ...['/healthz', '/livez', '/ping'].map(path => ({ path, here: '/health' })),
  { path: '/readyz', here: '/_svc/ready' },
  { path: '/metrics', here: '/_svc/metrics' },
  { path: '/__admin/requests', here: '/_svc/requests' },
  { path: '/server-events/{n}', here: '/sse' },
  { path: '/raw', here: '/ws' },
  { path: '/request', here: '/anything' },
  { path: '/request/{*path}', here: '/anything/{*path}' },
  { path: '/api', here: '/anything' },
  { path: '/data', here: '/bytes/1024' },
  ...['/get', '/post', '/put', '/patch', '/delete', '/headers', '/user-agent', '/bearer', '/html', '/json', '/xml'].map(
    path => ({ path, here: `/httpbin${path}` }),
  ),
  { path: '/forms/post', here: '/httpbin/forms/post' },
  { path: '/etag/{etag}', here: '/httpbin/etag/{etag}' },
  { path: '/basic-auth/{user}/{password}', here: '/httpbin/basic-auth/{user}/{password}' },
  { path: '/digest-auth/{*rest}', here: '/httpbin/digest-auth/{*rest}' },
]

const DOCUMENTS = FAMILIAR.filter(({ here }) => here === '/openapi.json' || here === '/docs' || here === '/health')

/** A sentence for the 404 of an original, or null. `path` is without the prefix of the mount. */
export function hintFor(path: string, original: Original): string | null {
  const other = original === 'httpbin' ? 'go-httpbin' : 'httpbin'
  if ((original === 'httpbin' ? ONLY_GO : ONLY_HTTPBIN).test(path))
    return `${other} has it: set "flavour: ${other}" in the section httpbin of svc.yaml.`
  const found = DOCUMENTS.find(known => known.path === path)
  return found === undefined ? null : `See ${found.here}.`
}
