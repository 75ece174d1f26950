/** The clients of this provider: two demo clients, and the registered ones. */
import { isSameSecret } from 'svc/plugin'
import type { Store } from 'svc/plugin'
import type { GrantType } from '../grants/grant-types.ts'
import { GRANT_TYPES } from '../grants/grant-types.ts'

/** A client (RFC 6749, 2). */
export interface Client {
  id: string
  name: string
  /** Null for a public client. */
  secret: string | null
  grantTypes: readonly GrantType[]
  /** The allowed URIs, compared exactly; null allows any well-formed URI. */
  redirectUris: readonly string[] | null
  /** Default scope of its requests; can be empty. */
  scope: readonly string[]
}

const DEMO_CLIENTS: readonly Client[] = [
  { id: 'svc', name: 'svc demo client', secret: 'svc-secret', grantTypes: GRANT_TYPES, redirectUris: null, scope: [] },
  {
    id: 'svc-public',
    name: 'svc public demo client',
    secret: null,
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: null,
    scope: [],
  },
]

const demoClients = new Map(DEMO_CLIENTS.map(client => [client.id, client]))

/** Finds a client by exact id. */
export async function findClient(id: string, registered: Store<Client>): Promise<Client | undefined> {
  return demoClients.get(id) ?? registered.peek(id)
}

/** Whether the presented secret is that of the client. A public client may send no secret or an empty one. */
export function isClientSecret(client: Client, presented: string | null): boolean {
  if (client.secret === null) return presented === null || presented === ''
  return isSameSecret(presented ?? '', client.secret)
}
