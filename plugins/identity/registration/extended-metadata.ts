/** Client metadata that issuers by path accept in addition (RFC 7591, 2; RFC 8705, 2.1.2; OpenID Registration, 2). */
import type { JWK } from 'jose'
import { httpUrl } from 'svc/toolkit'
import type { KeyPairAlgorithm } from '../jwt/algorithms.ts'
import { readClientKeys } from '../jwt/public-keys.ts'
import { type AuthMethod, isStrongMethod } from '../oauth/auth-methods.ts'
import { parseName } from '../oauth/distinguished-name.ts'
import { OAuthError } from '../oauth/errors.ts'
import { isRegistrableRedirectUri } from '../oauth/redirect-uri.ts'
import type { ClientRequirement } from '../settings/account-settings.ts'
import type { Client } from '../stores/records.ts'

/** The value of a member; undefined for an absent one and for null. */
export type Members = (name: string) => unknown

const MAX_URI_CHARACTERS = 2048
const MAX_LOGOUT_URIS = 10

/** What the members mean for the client, and what the response shows. */
export interface ExtendedMetadata {
  client: Partial<
    Pick<
      Client,
      | 'auth'
      | 'jwks'
      | 'subjectDn'
      | 'jwksUri'
      | 'idTokenAlg'
      | 'require'
      | 'postLogoutRedirectUris'
      | 'backchannelLogoutUri'
    >
  >
  shown: Record<string, unknown>
}

/** Members that are true or false, and what they require. */
const FLAGS: readonly (readonly [name: string, requirement: ClientRequirement])[] = [
  ['require_pushed_authorization_requests', 'par'],
  ['require_signed_request_object', 'jar'],
  ['dpop_bound_access_tokens', 'dpop'],
  ['tls_client_certificate_bound_access_tokens', 'mtls'],
]

/**
 * Reads the members; throws `invalid_client_metadata`. `algorithms` are those of the issuer. `placeOf` decides once where a
 * URL leads: other requests can come with another `Host`.
 */
export function readExtendedMetadata(
  member: Members,
  method: AuthMethod,
  algorithms: readonly KeyPairAlgorithm[],
  placeOf: (uri: string) => string | null,
): ExtendedMetadata {
  const jwksUri = readUri(member('jwks_uri'), placeOf, 'jwks_uri', '; send the keys as jwks')
  const jwks = readKeys(member('jwks'), jwksUri?.uri, method)
  const subjectDn = readSubject(member('tls_client_auth_subject_dn'), method)
  const logoutUris = readLogoutUris(member('post_logout_redirect_uris'))
  const logoutUri = readUri(member('backchannel_logout_uri'), placeOf, 'backchannel_logout_uri')
  const idTokenAlg = readAlgorithm(member('id_token_signed_response_alg'), algorithms)
  const flags = FLAGS.map(([name, requirement]) => ({ name, requirement, isSet: readFlag(member, name) }))
  const require = flags.flatMap(({ requirement, isSet }) => (isSet === true ? [requirement] : []))
  return {
    client: {
      ...(isStrongMethod(method) && { auth: method }),
      ...(jwks !== undefined && { jwks }),
      ...(jwksUri !== undefined && { jwksUri: jwksUri.place }),
      ...(subjectDn !== undefined && { subjectDn }),
      ...(idTokenAlg !== undefined && { idTokenAlg }),
      ...(logoutUris !== undefined && { postLogoutRedirectUris: logoutUris }),
      ...(logoutUri !== undefined && { backchannelLogoutUri: logoutUri.place }),
      ...(require.length > 0 && { require }),
    },
    shown: {
      jwks: jwks === undefined ? undefined : { keys: jwks },
      jwks_uri: jwksUri?.uri,
      tls_client_auth_subject_dn: subjectDn,
      id_token_signed_response_alg: idTokenAlg,
      post_logout_redirect_uris: logoutUris,
      backchannel_logout_uri: logoutUri?.uri,
      ...Object.fromEntries(flags.map(({ name, isSet }) => [name, isSet])),
    },
  }
}

/** The only one of these members that the default issuer takes; throws `invalid_client_metadata`. */
export function readLogoutMetadata(member: Members): ExtendedMetadata {
  const uris = readLogoutUris(member('post_logout_redirect_uris'))
  return {
    client: uris === undefined ? {} : { postLogoutRedirectUris: uris },
    shown: { post_logout_redirect_uris: uris },
  }
}

function readUri(
  value: unknown,
  placeOf: (uri: string) => string | null,
  name: string,
  advice = '',
): { uri: string; place: string } | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value.length > MAX_URI_CHARACTERS || httpUrl(value) === null)
    throw invalid(
      `${name} must be an http or https URL of at most ${MAX_URI_CHARACTERS} characters, without a user name`,
    )
  const place = placeOf(value)
  if (place === null) throw invalid(`${name} is not allowed: its host is not in identity.fetch_allow${advice}`)
  return { uri: value, place }
}

function readLogoutUris(value: unknown): string[] | undefined {
  if (value === undefined) return undefined
  const isList = Array.isArray(value) && value.length <= MAX_LOGOUT_URIS
  if (!isList || !value.every((uri): uri is string => typeof uri === 'string' && isRegistrableRedirectUri(uri)))
    throw invalid(
      `post_logout_redirect_uris must be an array of at most ${MAX_LOGOUT_URIS} absolute URIs without a fragment`,
    )
  return value
}

function readKeys(value: unknown, uri: string | undefined, method: AuthMethod): JWK[] | undefined {
  if (value !== undefined && uri !== undefined) throw invalid('send jwks or jwks_uri, not both')
  if (value === undefined) {
    if (method === 'private_key_jwt' && uri === undefined) throw invalid('private_key_jwt needs jwks')
    return undefined
  }
  const read = readClientKeys(value)
  if ('problem' in read) throw invalid(`jwks ${read.problem}`)
  return read.keys
}

function readSubject(value: unknown, method: AuthMethod): string | undefined {
  if (value === undefined) {
    if (method === 'tls_client_auth') throw invalid('tls_client_auth needs tls_client_auth_subject_dn')
    return undefined
  }
  if (typeof value !== 'string' || parseName(value) === null)
    throw invalid('tls_client_auth_subject_dn must be a distinguished name such as CN=shop, O=Example')
  return value
}

function readFlag(member: Members, name: string): boolean | undefined {
  const value = member(name)
  if (value !== undefined && typeof value !== 'boolean') throw invalid(`${name} must be true or false`)
  return value
}

function readAlgorithm(value: unknown, algorithms: readonly KeyPairAlgorithm[]): KeyPairAlgorithm | undefined {
  if (value === undefined) return undefined
  const algorithm = algorithms.find(known => known === value)
  if (algorithm === undefined) throw invalid(`id_token_signed_response_alg must be one of ${algorithms.join(', ')}`)
  return algorithm
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description)
}
