/** Client authentication at the token, introspection and revocation endpoints (RFC 6749, 2.3). */
import { readAuthorization, readBasicCredentials } from 'svc/plugin'
import { isClientSecret } from './clients.ts'
import type { Client, FindClient } from './clients.ts'
import { OAuthError } from '../errors.ts'
import type { Parameters } from '../requests/parameters.ts'

interface ClientCredentials {
  id: string
  /** Null if absent. */
  secret: string | null
}

/**
 * Authenticates the client by any method, whichever it registered. A public client needs only its id. Throws
 * `invalid_client`, or `invalid_request` if the request uses two methods.
 */
export async function authenticateClient(
  authorization: string | undefined,
  parameters: Parameters,
  find: FindClient,
): Promise<Client> {
  const { id, secret } = readClientCredentials(authorization, parameters)
  const client = await find(id)
  if (client === undefined || !isClientSecret(client, secret))
    throw failed('the client is unknown, or its secret is wrong or missing')
  return client
}

function readClientCredentials(authorization: string | undefined, parameters: Parameters): ClientCredentials {
  const inHeader = readAuthorization(authorization)
  const id = parameters.get('client_id')
  const secret = parameters.get('client_secret') ?? null
  if (inHeader?.scheme !== 'basic') {
    if (id === undefined) throw failed('the request has no client credentials')
    return { id, secret }
  }
  const pair = readBasicCredentials(inHeader.credentials)
  if (pair === null) throw failed('the Basic credentials are malformed')
  const basic = { id: formDecode(pair.username), secret: formDecode(pair.password) }
  if (secret !== null)
    throw new OAuthError('invalid_request', 'send the client credentials with Basic or as client_secret, not both')
  if (id !== undefined && id !== basic.id)
    throw new OAuthError('invalid_request', 'client_id differs from the client id of the Basic credentials')
  return basic
}

/**
 * RFC 6749, 2.3.1: both parts are form-encoded. Some clients encode even `-`, others nothing at all. A part that can't
 * be decoded is used unchanged.
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
