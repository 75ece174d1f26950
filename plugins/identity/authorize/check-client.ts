/** Checks the client of an authorization request (RFC 6749, 4.1.2.1). */
import type { Store } from 'svc/plugin'
import { findClient } from '../clients/clients.ts'
import type { Client } from '../clients/clients.ts'
import { OAuthError } from '../errors.ts'
import { required } from '../requests/parameters.ts'
import type { Parameters } from '../requests/parameters.ts'

/** The client. Throws errors that are shown on a page, because there is no valid redirect URI yet. */
export async function checkClient(parameters: Parameters, registered: Store<Client>): Promise<Client> {
  const client = await findClient(required(parameters, 'client_id'), registered)
  if (client === undefined) throw new OAuthError('invalid_request', 'client_id is unknown')
  return client
}
