/** Faults of the metadata, of token responses and of introspection. */
import { endpointUrl, type Issuer } from '../issuers/issuer.ts'
import type { FaultKind } from '../settings/fault-settings.ts'

type Document = Record<string, unknown>

/** The metadata with a fault; `hostileJwks` is the address of another key set. */
export function faultyMetadata(
  kind: FaultKind<'discovery'>,
  document: Document,
  issuer: Issuer,
  url: string,
  hostileJwks: string,
): Document {
  switch (kind) {
    case 'wrong-issuer':
      return { ...document, issuer: `${url}/other` }
    case 'no-jwks':
      return { ...document, jwks_uri: undefined }
    case 'other-jwks':
      return { ...document, jwks_uri: hostileJwks }
    case 'http-endpoints':
      return Object.fromEntries(
        Object.entries(document).map(([name, value]) => [
          name,
          typeof value === 'string' && name !== 'issuer' ? value.replace(/^https:/, 'http:') : value,
        ]),
      )
    case 'trailing-slash':
      return { ...document, issuer: `${url}/`, jwks_uri: endpointUrl(issuer, url, 'jwks') }
    default:
      return document
  }
}

/** A token response with a fault. */
export function faultyTokens(kind: FaultKind<'token'>, response: object): Document {
  const document: Document = { ...response }
  if (kind === 'no-expires') delete document.expires_in
  if (kind === 'lower-bearer') document.token_type = String(document.token_type).toLowerCase()
  if (kind === 'string-expires') document.expires_in = String(document.expires_in)
  return document
}

/** An introspection response with a fault. `isEven` is true for every second request. */
export function faultyIntrospection(kind: FaultKind<'introspect'>, response: object, isEven: boolean): object {
  if (kind === 'active-only') return { active: true }
  return kind === 'flip' && isEven ? { active: false } : response
}
