/** Dynamic client registration (RFC 7591), without authentication. Registrations expire after a day. */
import { randomBytes } from 'node:crypto'
import type { Issuer } from '../issuers/issuer.ts'
import { readJson } from '../oauth/json-body.ts'
import { REGISTRATION_LIFE_MS } from '../stores/stores.ts'
import { checkClientMetadata } from './client-metadata.ts'

/** Registers a client and returns the client information response (RFC 7591, 3.2.1); throws for invalid metadata. */
export async function registerClient(
  contentType: string | undefined,
  body: Buffer,
  issuer: Issuer,
  url: string,
): Promise<Record<string, unknown>> {
  const metadata = checkClientMetadata(readJson(contentType, body, 'invalid_client_metadata'), issuer, url)
  const id = `dyn-${randomBytes(16).toString('hex')}`
  const hasSecret = metadata.authMethod.startsWith('client_secret_')
  const secret = hasSecret ? randomBytes(32).toString('base64url') : null
  const issuedAt = Math.floor(Date.now() / 1000)
  await issuer.stores.clients.set(id, {
    id,
    name: metadata.name,
    secret,
    grantTypes: metadata.grantTypes,
    redirectUris: metadata.redirectUris,
    scope: metadata.scope ?? [],
    ...metadata.extended.client,
  })
  return {
    client_id: id,
    client_id_issued_at: issuedAt,
    // RFC 7591, 3.2.1: the expiry time is required with a secret.
    ...(secret !== null && { client_secret: secret, client_secret_expires_at: issuedAt + REGISTRATION_LIFE_MS / 1000 }),
    client_name: metadata.name,
    redirect_uris: metadata.redirectUris,
    grant_types: metadata.grantTypes,
    response_types: metadata.responseTypes,
    token_endpoint_auth_method: metadata.authMethod,
    scope: metadata.scope?.join(' '),
    ...metadata.extended.shown,
    ...metadata.echoed,
  }
}
