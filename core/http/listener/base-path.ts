/** `SVC_BASE_PATH` is taken off the request target before anything decides by path (core sheet 6). */
import { originForm } from '../../fields/request-target.ts'

const WELL_KNOWN = '/.well-known/'

/**
 * The request target without the base path, in origin form; the target as it is when the base path is not in it.
 *
 * RFC 8414 (3.1) and RFC 9728 (3.1) insert the well-known part in front of the path of an issuer or a resource:
 * `/.well-known/<name><base path>/<rest>` becomes `/.well-known/<name>/<rest>`, unless the path as received has a route.
 */
export function withoutBasePath(url: string, basePath: string, hasRoute: (url: string) => boolean): string {
  const target = originForm(url)
  if (target === null) return url
  const rest = restBelow(target, 0, basePath)
  if (rest !== null) return rest.startsWith('/') ? rest : `/${rest}`
  if (!target.startsWith(WELL_KNOWN)) return url
  const nameEnd = target.indexOf('/', WELL_KNOWN.length)
  const restOfName = nameEnd === -1 ? null : restBelow(target, nameEnd, basePath)
  return restOfName === null || hasRoute(target) ? url : target.slice(0, nameEnd) + restOfName
}

/** What follows the base path at this position; null when another path, or a longer segment, is there. */
function restBelow(target: string, at: number, basePath: string): string | null {
  if (!target.startsWith(basePath, at)) return null
  const rest = target.slice(at + basePath.length)
  return rest === '' || /^[/?#]/.test(rest) ? rest : null
}
