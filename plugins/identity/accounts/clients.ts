/** The clients of an issuer: demo clients, those of its settings, and registered ones. */
import { type Store } from 'svc/plugin'
import { isSameSecret } from 'svc/toolkit'
import type { JWK } from 'jose'
import { isStrongMethod } from '../oauth/auth-methods.ts'
import type { ClientRequirement, ClientSettings } from '../settings/account-settings.ts'
import type { IssuerSettings } from '../settings/issuer-settings.ts'
import type { Client } from '../stores/records.ts'

/** Whether the issuer or the client requires something. */
export function isRequired(
  name: ClientRequirement,
  { settings }: { settings: Pick<IssuerSettings, 'require'> },
  { require = [] }: Client,
): boolean {
  return settings.require.includes(name) || require.includes(name)
}

/**
 * Finds a client by exact id; `url` is the identifier of the issuer. Throws `invalid_client` for an id that is the URL of an
 * unusable document.
 */
export type FindClient = (id: string, url: string) => Promise<Client | undefined>

/** Where clients come from besides the settings. */
export interface ClientSources {
  /** The demo clients of the issuer. */
  demo: readonly Client[]
  registered: Store<Client>
  /** The public key of the demo client with a key pair. */
  demoKey(): Promise<JWK>
}

/** The clients of the settings, in addition to the demo clients and the registered ones. */
export function createClients(
  settings: readonly ClientSettings[],
  { demo, registered, demoKey }: ClientSources,
): (id: string) => Promise<Client | undefined> {
  const known = new Map<string, Client>()
  for (const client of demo) known.set(client.id, client)
  for (const client of settings) known.set(client.client_id, clientOf(client))
  return async id => {
    const client = known.get(id)
    if (client === undefined) return registered.peek(id)
    // Clients of the settings have their keys, so this is the demo client.
    return client.auth === 'private_key_jwt' && client.jwks === undefined && client.jwksUri === undefined
      ? { ...client, jwks: [await demoKey()] }
      : client
  }
}

function clientOf(settings: ClientSettings): Client {
  return {
    id: settings.client_id,
    name: settings.name ?? settings.client_id,
    secret: settings.client_secret ?? null,
    grantTypes: settings.grants,
    redirectUris: settings.redirect_uris ?? null,
    scope: settings.scope?.split(' ').filter(name => name !== '') ?? [],
    ...(settings.auth !== undefined && isStrongMethod(settings.auth) && { auth: settings.auth }),
    ...(settings.jwks !== undefined && { jwks: settings.jwks.keys }),
    ...(settings.jwks_uri !== undefined && { jwksUri: settings.jwks_uri }),
    ...(settings.tls_client_auth_subject_dn !== undefined && { subjectDn: settings.tls_client_auth_subject_dn }),
    ...(settings.require.length > 0 && { require: settings.require }),
    ...(settings.post_logout_redirect_uris !== undefined && {
      postLogoutRedirectUris: settings.post_logout_redirect_uris,
    }),
    ...(settings.backchannel_logout_uri !== undefined && { backchannelLogoutUri: settings.backchannel_logout_uri }),
    ...(settings.id_token_alg !== undefined && { idTokenAlg: settings.id_token_alg }),
  }
}

/** Whether a client cannot authenticate (RFC 6749, 2.1). */
export function isPublic({ secret, auth }: Client): boolean {
  return secret === null && auth === undefined
}

/** Whether the presented secret is that of the client. A public client may send no secret or an empty one. */
export function isClientSecret(client: Client, presented: string | null): boolean {
  if (client.secret === null) return presented === null || presented === ''
  return isSameSecret(presented ?? '', client.secret)
}
