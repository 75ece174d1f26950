/** The clients of an issuer: demo clients, those of its settings, and registered ones. */
import { isSameSecret } from 'svc/toolkit'
import type { Store } from 'svc/plugin'
import type { JWK } from 'jose'
import type { GrantType } from '../grants/grant-types.ts'
import type { ClientSettings } from '../issuers/account-settings.ts'
import type { IssuerSettings } from '../issuers/issuer-settings.ts'
import type { KeyPairAlgorithm } from '../keys/algorithms.ts'
import { isStrongMethod } from './auth-methods.ts'
import type { StrongMethod } from './auth-methods.ts'

/** A client (RFC 6749, 2). */
export interface Client {
  id: string
  name: string
  /** Null for a client without a secret, which is public unless it has `auth`. */
  secret: string | null
  /** The method that the client must use; absent for one with a secret in any form, or none. */
  auth?: StrongMethod
  /** Its public keys. */
  jwks?: readonly JWK[]
  /** Where its public keys are, instead: a URL, or a path of this instance. */
  jwksUri?: string
  /** The subject of its certificate (RFC 4514). */
  subjectDn?: string
  grantTypes: readonly GrantType[]
  /** The allowed URIs, compared exactly; null allows any well-formed URI. */
  redirectUris: readonly string[] | null
  /** Redirect URIs at a loopback address match with any port (RFC 8252, 7.3). */
  hasAnyLoopbackPort?: boolean
  /** Default scope of its requests; can be empty. */
  scope: readonly string[]
  /** What it requires of itself, in addition to its issuer. */
  require?: readonly ClientRequirement[]
  /** Where a logout can send the browser, compared exactly; null allows any well-formed URI. Default: nowhere. */
  postLogoutRedirectUris?: readonly string[] | null
  /** Where it is notified of logouts: a URL, or a path of this instance. */
  backchannelLogoutUri?: string
  /** The algorithm of its ID tokens; absent for that of the issuer. */
  idTokenAlg?: KeyPairAlgorithm
}

/** What a client can require. */
export const CLIENT_REQUIREMENTS = ['par', 'jar', 'dpop', 'mtls'] as const
/** What a client can require. */
export type ClientRequirement = (typeof CLIENT_REQUIREMENTS)[number]

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
