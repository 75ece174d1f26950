/** Validates the metadata of a client registration (RFC 7591, 2). */
import { isNestedWithin, isRecord } from 'svc/toolkit'
import type { Issuer } from '../issuers/issuer.ts'
import { MAX_NESTING } from '../jwt/compact-jwt.ts'
import { acceptedMethods, type AuthMethod, SECRET_METHODS } from '../oauth/auth-methods.ts'
import { OAuthError } from '../oauth/errors.ts'
import { type GrantType, JWT_BEARER, TOKEN_EXCHANGE } from '../oauth/grant-types.ts'
import { isRegistrableRedirectUri } from '../oauth/redirect-uri.ts'
import { parseScope } from '../oauth/scope.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import { type ExtendedMetadata, type Members, readExtendedMetadata, readLogoutMetadata } from './extended-metadata.ts'

/** Grants that rely on client authentication, which a public client does not have. */
const PRIVILEGED_GRANTS: readonly GrantType[] = ['client_credentials', TOKEN_EXCHANGE, JWT_BEARER]
const MAX_REDIRECT_URIS = 10
const MAX_NAME_CHARACTERS = 200
const DEFAULT_NAME = 'Registered client'

/** Members that have no effect and are echoed unchanged. */
const ECHOED = [
  'client_uri',
  'logo_uri',
  'tos_uri',
  'policy_uri',
  'software_id',
  'software_version',
  'application_type',
  'contacts',
]

/** Client metadata with defaults. */
export interface ClientMetadata {
  authMethod: AuthMethod
  grantTypes: readonly GrantType[]
  responseTypes: readonly 'code'[]
  redirectUris: readonly string[]
  name: string
  /** Undefined if absent or blank. */
  scope: readonly string[] | undefined
  echoed: Record<string, unknown>
  extended: ExtendedMetadata
}

/** Validates a parsed JSON body; throws `invalid_client_metadata` or `invalid_redirect_uri`. */
export function checkClientMetadata(value: unknown, issuer: Issuer, url: string): ClientMetadata {
  const { name, settings } = issuer
  if (!isRecord(value)) throw invalid('the body must be a JSON object')
  if (!isNestedWithin(value, MAX_NESTING)) throw invalid(`the body is nested deeper than ${MAX_NESTING} levels`)
  const sent = new Map<string, unknown>(Object.entries(value))
  const member: Members = name => sent.get(name) ?? undefined

  const isDefault = name === DEFAULT_ISSUER
  const methods = isDefault ? SECRET_METHODS : acceptedMethods(settings)
  const authMethod = readAuthMethod(member('token_endpoint_auth_method'), methods)
  const grantTypes = readGrantTypes(member('grant_types'), authMethod, settings.grants)
  return {
    authMethod,
    grantTypes,
    responseTypes: readResponseTypes(member('response_types'), grantTypes),
    redirectUris: readRedirectUris(member('redirect_uris'), grantTypes),
    name: readName(member('client_name')),
    scope: readScope(member('scope')),
    echoed: Object.fromEntries(ECHOED.map(name => [name, member(name)])),
    extended: isDefault
      ? readLogoutMetadata(member)
      : readExtendedMetadata(member, authMethod, settings.algorithms, uri => issuer.placeOf(uri, url)),
  }
}

function readAuthMethod(value: unknown = 'client_secret_basic', methods: readonly AuthMethod[]): AuthMethod {
  const method = methods.find(known => known === value)
  if (method === undefined) throw invalid(`token_endpoint_auth_method must be one of ${methods.join(', ')}`)
  return method
}

function readGrantTypes(
  value: unknown = ['authorization_code'],
  authMethod: AuthMethod,
  supported: readonly GrantType[],
): GrantType[] {
  const isSupported = (type: unknown): type is GrantType => supported.some(known => known === type)
  if (!Array.isArray(value) || value.length === 0 || !value.every(isSupported))
    throw invalid('grant_types must be a non-empty array of supported grant types')
  if (authMethod === 'none' && PRIVILEGED_GRANTS.some(grant => value.includes(grant))) {
    throw invalid('a public client cannot use client_credentials, jwt-bearer or token exchange')
  }
  return [...new Set(value)]
}

function readResponseTypes(value: unknown, grantTypes: readonly GrantType[]): 'code'[] {
  if (value === undefined) return grantTypes.includes('authorization_code') ? ['code'] : []
  if (!Array.isArray(value) || !value.every(type => type === 'code'))
    throw invalid('response_types must be an array with the only value code')
  return [...new Set<'code'>(value)]
}

function readRedirectUris(value: unknown = [], grantTypes: readonly GrantType[]): string[] {
  if (!Array.isArray(value) || !value.every(uri => typeof uri === 'string'))
    throw invalidRedirectUri('redirect_uris must be an array of strings')
  if (value.length > MAX_REDIRECT_URIS)
    throw invalidRedirectUri(`redirect_uris must have at most ${MAX_REDIRECT_URIS} entries`)
  if (!value.every(isRegistrableRedirectUri)) {
    throw invalidRedirectUri(
      'redirect_uris must be absolute URIs with http, https or a private-use scheme, without a fragment',
    )
  }
  if (value.length === 0 && grantTypes.includes('authorization_code'))
    throw invalidRedirectUri('redirect_uris is required for the grant type authorization_code')
  return value
}

function readName(value: unknown = DEFAULT_NAME): string {
  if (typeof value !== 'string' || value.length > MAX_NAME_CHARACTERS)
    throw invalid(`client_name must be a string of at most ${MAX_NAME_CHARACTERS} characters`)
  return value
}

function readScope(value: unknown): string[] | undefined {
  if (value === undefined) return undefined
  const scope = typeof value === 'string' ? parseScope(value) : null
  if (scope === null) throw invalid('scope must be a string of space-separated names with at most 1000 characters')
  return scope.length > 0 ? scope : undefined
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description)
}

function invalidRedirectUri(description: string): OAuthError {
  return new OAuthError('invalid_redirect_uri', description)
}
