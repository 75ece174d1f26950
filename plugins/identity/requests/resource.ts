/** Resource indicators (RFC 8707) and the audience that they give a token. */
import { OAuthError } from '../errors.ts'

/** Resources, and audiences of a token exchange, that one request may name. */
export const MAX_RESOURCES = 5
const MAX_URI_CHARACTERS = 2048
/** RFC 3986, 4.3: a scheme and something behind it. */
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:[^\s#]+$/i

const DEFAULT_AUDIENCE = 'svc'

/** The resources of a request unchanged, each once; throws `invalid_target`. */
export function checkResources(resources: readonly string[]): string[] {
  if (resources.length > MAX_RESOURCES)
    throw new OAuthError('invalid_target', `at most ${MAX_RESOURCES} resources can be named`)
  for (const resource of resources) {
    if (resource.length > MAX_URI_CHARACTERS || !ABSOLUTE_URI.test(resource)) {
      throw new OAuthError(
        'invalid_target',
        `a resource must be an absolute URI without fragment, at most ${MAX_URI_CHARACTERS} characters`,
      )
    }
  }
  return [...new Set(resources)]
}

/** The claim `aud` (RFC 7519, 4.1.3): the default audience for none, a string for one, else an array. */
export function audienceOf(resources: readonly string[]): string | string[] {
  if (resources.length === 0) return DEFAULT_AUDIENCE
  return resources.length === 1 ? resources[0]! : [...resources]
}
