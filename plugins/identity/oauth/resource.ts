/** Resource indicators (RFC 8707) and the token audience derived from them. */
import { OAuthError } from './errors.ts'

/** Maximum number of resources, and of resources plus audiences in a token exchange, per request. */
export const MAX_RESOURCES = 5
const MAX_URI_CHARACTERS = 2048
/** RFC 3986, 4.3: a scheme and at least one more character. */
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:[^\s#]+$/i

/** The resources of a request without duplicates; throws `invalid_target`. */
export function checkResources(resources: readonly string[]): string[] {
  if (resources.length > MAX_RESOURCES)
    throw new OAuthError('invalid_target', `expected at most ${MAX_RESOURCES} resource parameters`)
  for (const resource of resources) {
    if (resource.length > MAX_URI_CHARACTERS || !ABSOLUTE_URI.test(resource)) {
      throw new OAuthError(
        'invalid_target',
        `resource must be an absolute URI without a fragment, with at most ${MAX_URI_CHARACTERS} characters`,
      )
    }
  }
  return [...new Set(resources)]
}

/** The claim `aud` (RFC 7519, 4.1.3): `none` for no resource, a string for one, an array for several. */
export function audienceOf(resources: readonly string[], none: string): string | string[] {
  if (resources.length === 0) return none
  return resources.length === 1 ? resources[0]! : [...resources]
}
