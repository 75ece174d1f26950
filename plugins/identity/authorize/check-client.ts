/** Checks the client of an authorization request (RFC 6749, 4.1.2.1). */
import type { FindClient } from '../accounts/clients.ts'
import { OAuthError } from '../oauth/errors.ts'
import { type Parameters, required } from '../oauth/parameters.ts'
import type { Client } from '../stores/records.ts'

/** The client. Throws errors that are shown on a page, because there is no valid redirect URI yet. */
export async function checkClient(parameters: Parameters, find: FindClient, url: string): Promise<Client> {
  const client = await find(required(parameters, 'client_id'), url)
  if (client === undefined) throw new OAuthError('invalid_request', 'client_id is unknown')
  return client
}
