/** The clients that this provider knows: two demo clients, and those that registered themselves. */
import { isSameSecret } from 'svc/plugin'
import type { Store } from 'svc/plugin'
import type { GrantType } from '../grants/grant-types.ts'
import { GRANT_TYPES } from '../grants/grant-types.ts'

/** A client (RFC 6749, 2) as the endpoints see it. */
export interface Client {
  id: string
  name: string
  /** Null: a public client, which has none. */
  secret: string | null
  grantTypes: readonly GrantType[]
  /** Null: any that is well-formed; else one of these, exactly. */
  redirectUris: readonly string[] | null
  /** Default scope of its requests; empty when none was registered. */
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

/** The client of that id, compared exactly. */
export async function findClient(id: string, registered: Store<Client>): Promise<Client | undefined> {
  return demoClients.get(id) ?? registered.peek(id)
}

/** Whether a client that presents this secret (null: none, empty: none) is the client. */
export function isClientSecret(client: Client, presented: string | null): boolean {
  if (client.secret === null) return presented === null || presented === ''
  return isSameSecret(presented ?? '', client.secret)
}
