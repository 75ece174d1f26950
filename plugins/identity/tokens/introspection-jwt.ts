/** Introspection responses as JWTs (RFC 9701). */
import { preferredType } from 'svc/toolkit'
import type { FastifyRequest } from 'svc/plugin'
import type { Client } from '../clients/clients.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { DEFAULT_ISSUER } from '../issuers/issuer-settings.ts'
import { signToken } from './tokens.ts'

const TYP = 'token-introspection+jwt'
/** The media type of the response. */
export const INTROSPECTION_MEDIA_TYPE = `application/${TYP}`

/** Whether the request names a JWT and does not prefer JSON. The default issuer has only JSON. */
export function isJwtRequested({ name }: Issuer, { headers }: FastifyRequest): boolean {
  const accept = headers.accept ?? ''
  // A range such as `*/*` does not ask for a JWT.
  if (name === DEFAULT_ISSUER || !accept.toLowerCase().includes(INTROSPECTION_MEDIA_TYPE)) return false
  return preferredType(accept, [INTROSPECTION_MEDIA_TYPE, 'application/json']) === INTROSPECTION_MEDIA_TYPE
}

/** The response for a client, signed by the issuer. */
export async function introspectionJwt(state: object, client: Client, issuer: Issuer, url: string): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  return signToken({ iss: url, aud: client.id, iat, token_introspection: state }, issuer, { typ: TYP })
}
