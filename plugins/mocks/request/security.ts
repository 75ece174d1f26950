/** Checks a request's credentials against the security of its operation (OpenAPI 3.1.1, 4.27 and 4.30). */
import { isToken, shownText } from 'svc/toolkit'
import type { ApiDocument } from '../document/api-document.ts'
import { own, ownText, type Json, type JsonObject } from '../document/json.ts'
import type { Credentials } from '../definition/settings.ts'

/** The sources of credentials, and the verification of tokens issued by this instance. */
export interface SecurityInput {
  mock: string
  header(name: string): string | undefined
  query: readonly (readonly [string, string])[]
  cookies: ReadonlyMap<string, string>
  credentials: Credentials
  /** Whether the request has a client certificate of the demo CA. */
  hasClientCertificate(): boolean
  /** Verifies an access token of the built-in provider; null if it is invalid. Undefined without a provider. */
  verifyToken: ((token: string) => Promise<{ scopes: string[] } | null>) | undefined
}

export type SecurityResult =
  | { passed: true; credential: string | null }
  | { passed: false; status: 401 | 403; message: string; challenges: string[] }

/** The result of a scheme: passed with a type of credential, or failed with a challenge. */
type Verification =
  | { passed: true; credential: string }
  | { passed: false; isScope: boolean; challenge: string | null; message: string }

/** One alternative must pass, with all of its schemes. An empty alternative always passes. */
export async function checkSecurity(
  document: ApiDocument,
  alternatives: readonly JsonObject[],
  input: SecurityInput,
): Promise<SecurityResult> {
  if (alternatives.length === 0) return { passed: true, credential: null }
  const failures: Failure[] = []
  for (const alternative of alternatives) {
    const verifications: Verification[] = []
    for (const [name, scopes] of Object.entries(alternative))
      verifications.push(await checkScheme(document, name, scopes, input))
    const failed = verifications.filter(verification => !verification.passed)
    if (failed.length === 0)
      return {
        passed: true,
        credential:
          verifications.map(verification => (verification.passed ? verification.credential : '')).join('+') || null,
      }
    failures.push({
      // The credentials are valid, and only a scope is missing.
      isScope: failed.every(verification => verification.isScope),
      message: failed.map(({ message }) => message).join(' and '),
      challenges: failed.flatMap(({ challenge }) => challenge ?? []),
    })
  }
  const byScope = failures.filter(failure => failure.isScope)
  const reported = byScope.length > 0 ? byScope : failures
  return {
    passed: false,
    status: byScope.length > 0 ? 403 : 401,
    message: [...new Set(reported.map(({ message }) => message))].join('; or '),
    challenges: [...new Set(reported.flatMap(({ challenges }) => challenges))],
  }
}

/** Why an alternative did not pass: all of its missing credentials. */
interface Failure {
  isScope: boolean
  message: string
  challenges: string[]
}

async function checkScheme(
  document: ApiDocument,
  name: string,
  scopes: Json,
  input: SecurityInput,
): Promise<Verification> {
  const scheme = document.component('securitySchemes', name)
  const required = Array.isArray(scopes) ? scopes.filter(scope => typeof scope === 'string') : []
  switch (ownText(scheme, 'type')) {
    case 'apiKey':
      return checkApiKey(scheme ?? {}, input)
    case 'http':
      return checkHttp(ownText(scheme, 'scheme')?.toLowerCase() ?? '', required, input)
    case 'oauth2':
    case 'openIdConnect':
      return checkToken(required, input, ownText(scheme, 'type') ?? '')
    case 'mutualTLS':
      return input.hasClientCertificate()
        ? { passed: true, credential: 'mutualTLS' }
        : fail('a client certificate of the demo CA is required', null)
    default:
      return fail(`the security scheme "${name}" is not defined`, null)
  }
}

function fail(message: string, challenge: string | null, isScope = false): Verification {
  return { passed: false, isScope, challenge, message }
}

/** Escapes a value for a quoted string (RFC 9110, 5.6.4). */
function quoted(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '').replaceAll(/["\\]/g, '\\$&')
}

function checkApiKey(scheme: JsonObject, input: SecurityInput): Verification {
  const place = ownText(scheme, 'in') ?? 'header'
  const name = shownText(own(scheme, 'name') ?? '')
  const value =
    place === 'query'
      ? input.query.find(([key]) => key === name)?.[1]
      : place === 'cookie'
        ? input.cookies.get(name)
        : input.header(name)
  const { apiKeys } = input.credentials
  if (value && (apiKeys === null || apiKeys.includes(value))) return { passed: true, credential: 'apiKey' }
  return fail(
    value ? `the API key in the ${place} "${name}" is not valid` : `an API key is required in the ${place} "${name}"`,
    `ApiKey realm="${input.mock}", in="${quoted(place)}", name="${quoted(name)}"`,
  )
}

/** The credentials after the scheme in `Authorization`. */
function authorization(input: SecurityInput, scheme: string): string {
  const header = input.header('authorization') ?? ''
  const at = header.indexOf(' ')
  return at > 0 && header.slice(0, at).toLowerCase() === scheme ? header.slice(at + 1).trim() : ''
}

async function checkHttp(scheme: string, scopes: string[], input: SecurityInput): Promise<Verification> {
  const value = authorization(input, scheme)
  if (scheme === 'basic') return checkBasic(value, input)
  if (scheme !== 'bearer') {
    const title = scheme.charAt(0).toUpperCase() + scheme.slice(1)
    return value === ''
      ? fail(`${title} credentials are required`, isToken(scheme) ? `${title} realm="${input.mock}"` : null)
      : { passed: true, credential: scheme }
  }
  const { bearer } = input.credentials
  if (bearer === 'idp') return checkToken(scopes, input, 'bearer')
  if (value !== '' && (bearer === 'any' || bearer.includes(value))) return { passed: true, credential: 'bearer' }
  return fail(
    value === '' ? 'a bearer token is required' : 'the bearer token is not valid',
    `Bearer realm="${input.mock}"`,
  )
}

function checkBasic(value: string, input: SecurityInput): Verification {
  const decoded = Buffer.from(value, 'base64').toString('utf8')
  const at = decoded.indexOf(':')
  const { basic } = input.credentials
  const isValid = at > 0 && (basic === null || basic.get(decoded.slice(0, at)) === decoded.slice(at + 1))
  return isValid
    ? { passed: true, credential: 'basic' }
    : fail('a valid user name and password are required', `Basic realm="${input.mock}"`)
}

/** Checks an access token of the built-in provider, with errors of RFC 6750, 3.1. */
async function checkToken(required: string[], input: SecurityInput, kind: string): Promise<Verification> {
  const token = authorization(input, 'bearer')
  const realm = `Bearer realm="${input.mock}"`
  // Without the provider, tokens and scopes can't be verified.
  const isUnverified = input.credentials.oauth === 'any' || !input.verifyToken
  if (token === '')
    return fail(`an access token ${isUnverified ? '' : 'of the built-in identity provider '}is required`, realm)
  if (isUnverified || !input.verifyToken) return { passed: true, credential: kind }
  const verified = await input.verifyToken(token)
  if (!verified)
    return fail(
      'the access token is not valid; expected one of the built-in identity provider',
      `${realm}, error="invalid_token"`,
    )
  const missing = required.filter(scope => !verified.scopes.includes(scope))
  if (missing.length === 0) return { passed: true, credential: kind }
  return fail(
    `the access token lacks the scope ${missing.join(' ')}`,
    `${realm}, error="insufficient_scope", scope="${quoted(required.join(' '))}"`,
    true,
  )
}
