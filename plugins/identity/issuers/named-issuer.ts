/**
 * The issuer that a request means if it arrives at an address for certificates (`mtls_endpoint_aliases`): tokens must name the
 * issuer whose metadata the client has read, not the address that it used (RFC 8705, 5).
 */
import { type FastifyRequest, readQuery } from 'svc/plugin'
import { OAuthError } from '../oauth/errors.ts'

const PARAMETER = 'svc_issuer'

/** The query of the addresses for certificates; empty if the issuer itself has such an address. */
export function issuerQuery(url: string, httpsUrl: string): string {
  return url === httpsUrl ? '' : `?${new URLSearchParams({ [PARAMETER]: url })}`
}

/**
 * The identifier of the issuer for a request. `own` is that of the address of the request. Throws `invalid_request` for a
 * query that names anything but this issuer with another scheme or port.
 */
export function namedIssuer(request: FastifyRequest, own: string): string {
  const named = readQuery(request).get(PARAMETER)
  if (named === null || named === own) return own
  if (!isSameIssuer(named, own))
    throw new OAuthError('invalid_request', `${PARAMETER} must be this issuer with another scheme or port`)
  return named
}

function isSameIssuer(named: string, own: string): boolean {
  if (!URL.canParse(named)) return false
  const [other, here] = [new URL(named), new URL(own)]
  const isWeb = other.protocol === 'http:' || other.protocol === 'https:'
  return (
    isWeb &&
    named === other.origin + other.pathname &&
    other.hostname === here.hostname &&
    other.pathname === here.pathname
  )
}
