/** Dynamic client registration (RFC 7591): open to everybody, kept for a day. */
import { randomBytes } from 'node:crypto'
import type { Store } from 'svc/plugin'
import { checkClientMetadata } from './client-metadata.ts'
import type { Client } from './clients.ts'
import { OAuthError } from './errors.ts'
import { REGISTRATION_LIFE_MS } from './stores.ts'

/** Registers a client; answers the information response (RFC 7591, 3.2.1), or throws what is wrong with the metadata. */
export async function registerClient(contentType: string | undefined, body: Buffer, clients: Store<Client>): Promise<Record<string, unknown>> {
  const metadata = checkClientMetadata(parseJson(contentType, body))
  const id = `dyn-${randomBytes(16).toString('hex')}`
  const secret = metadata.authMethod === 'none' ? null : randomBytes(32).toString('base64url')
  const issuedAt = Math.floor(Date.now() / 1000)
  await clients.set(id, {
    id, name: metadata.name, secret, grantTypes: metadata.grantTypes, redirectUris: metadata.redirectUris, scope: metadata.scope ?? [],
  })
  return {
    client_id: id,
    client_id_issued_at: issuedAt,
    // RFC 7591, 3.2.1: whoever gets a secret is told its end.
    ...secret !== null && { client_secret: secret, client_secret_expires_at: issuedAt + REGISTRATION_LIFE_MS / 1000 },
    client_name: metadata.name,
    redirect_uris: metadata.redirectUris,
    grant_types: metadata.grantTypes,
    response_types: metadata.responseTypes,
    token_endpoint_auth_method: metadata.authMethod,
    scope: metadata.scope?.join(' '),
    ...metadata.echoed,
  }
}

function parseJson(contentType: string | undefined, body: Buffer): unknown {
  if (contentType?.split(';', 1)[0]!.trim().toLowerCase() !== 'application/json') {
    throw new OAuthError('invalid_client_metadata', 'the body must be application/json')
  }
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new OAuthError('invalid_client_metadata', 'the body is not JSON')
  }
}
