/** Checks the client of an authorization request (RFC 6749, 4.1.2.1). */
import type { Client, FindClient } from '../clients/clients.ts'
import { OAuthError } from '../errors.ts'
import { required } from '../requests/parameters.ts'
import type { Parameters } from '../requests/parameters.ts'

/** The client. Throws errors that are shown on a page, because there is no valid redirect URI yet. */
export async function checkClient(parameters: Parameters, find: FindClient, url: string): Promise<Client> {
  const client = await find(required(parameters, 'client_id'), url)
  if (client === undefined) throw new OAuthError('invalid_request', 'client_id is unknown')
  return client
}
