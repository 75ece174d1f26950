/** The clients of an issuer: demo clients, those of its settings, and registered ones. */
import { isSameSecret } from 'svc/plugin'
import type { Store } from 'svc/plugin'
import type { GrantType } from '../grants/grant-types.ts'
import { GRANT_TYPES } from '../grants/grant-types.ts'
import type { ClientSettings } from '../issuers/account-settings.ts'
import type { KeyPairAlgorithm } from '../keys/algorithms.ts'

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
  /** The algorithm of its ID tokens; absent for that of the issuer. */
  idTokenAlg?: KeyPairAlgorithm
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

/** Finds a client by exact id. */
export type FindClient = (id: string) => Promise<Client | undefined>

/** The clients of the settings, in addition to the demo clients and the registered ones. */
export function createClients(
  settings: readonly ClientSettings[],
  { demo, registered }: { demo: boolean; registered: Store<Client> },
): FindClient {
  const known = new Map<string, Client>()
  if (demo) for (const client of DEMO_CLIENTS) known.set(client.id, client)
  for (const client of settings) known.set(client.client_id, clientOf(client))
  return async id => known.get(id) ?? registered.peek(id)
}

function clientOf(settings: ClientSettings): Client {
  return {
    id: settings.client_id,
    name: settings.name ?? settings.client_id,
    secret: settings.client_secret ?? null,
    grantTypes: settings.grants,
    redirectUris: settings.redirect_uris ?? null,
    scope: settings.scope?.split(' ').filter(name => name !== '') ?? [],
    ...(settings.id_token_alg !== undefined && { idTokenAlg: settings.id_token_alg }),
  }
}

/** Whether the presented secret is that of the client. A public client may send no secret or an empty one. */
export function isClientSecret(client: Client, presented: string | null): boolean {
  if (client.secret === null) return presented === null || presented === ''
  return isSameSecret(presented ?? '', client.secret)
}
