/** Removes `SVC_BASE_PATH` from the request target before anything else uses the path. */
import { originForm } from '../../fields/request-target.ts'

const WELL_KNOWN = '/.well-known/'

/**
 * The request target without the base path, in origin form; unchanged if it does not start with the base path.
 *
 * RFC 8414 (3.1) and RFC 9728 (3.1) insert the well-known part in front of the path of an issuer or a resource:
 * `/.well-known/<name><base path>/<rest>` becomes `/.well-known/<name>/<rest>`, unless the path as received matches a
 * route.
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

/** The text after the base path at this position; null if the path is different or its segment is longer. */
function restBelow(target: string, at: number, basePath: string): string | null {
  if (!target.startsWith(basePath, at)) return null
  const rest = target.slice(at + basePath.length)
  return rest === '' || /^[/?#]/.test(rest) ? rest : null
}
