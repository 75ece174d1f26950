/** Client authentication at the token, introspection and revocation endpoints (RFC 6749, 2.3). */
import { readAuthorization, readBasicCredentials } from 'svc/plugin'
import type { Store } from 'svc/plugin'
import { findClient, isClientSecret } from './clients.ts'
import type { Client } from './clients.ts'
import { OAuthError } from '../errors.ts'
import type { Parameters } from '../requests/parameters.ts'

interface ClientCredentials {
  id: string
  /** Null: none was presented. */
  secret: string | null
}

/**
 * The client that the request proves to come from, whichever method it registered; a public client by its id alone.
 * Throws `invalid_client`, or `invalid_request` when two methods are mixed.
 */
export async function authenticateClient(
  authorization: string | undefined,
  parameters: Parameters,
  registered: Store<Client>,
): Promise<Client> {
  const { id, secret } = readClientCredentials(authorization, parameters)
  const client = await findClient(id, registered)
  if (client === undefined || !isClientSecret(client, secret))
    throw failed('unknown client, or wrong or missing secret')
  return client
}

function readClientCredentials(authorization: string | undefined, parameters: Parameters): ClientCredentials {
  const inHeader = readAuthorization(authorization)
  const id = parameters.get('client_id')
  const secret = parameters.get('client_secret') ?? null
  if (inHeader?.scheme !== 'basic') {
    if (id === undefined) throw failed('no client credentials')
    return { id, secret }
  }
  const pair = readBasicCredentials(inHeader.credentials)
  if (pair === null) throw failed('malformed Basic credentials')
  const basic = { id: formDecode(pair.username), secret: formDecode(pair.password) }
  if (secret !== null) throw new OAuthError('invalid_request', 'use either Basic or client_secret, not both')
  if (id !== undefined && id !== basic.id)
    throw new OAuthError('invalid_request', 'client_id differs from that of Basic')
  return basic
}

/**
 * RFC 6749, 2.3.1: both parts of the pair are form-encoded. Some clients encode even `-`, others nothing at all; what
 * can't be decoded is taken as it is.
 */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function failed(description: string): OAuthError {
  return new OAuthError('invalid_client', description)
}
