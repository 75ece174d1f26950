/** The metadata with which a client registers (RFC 7591, 2): each member checked, in order. */
import { isNestedWithin, isRecord } from 'svc/plugin'
import { MAX_NESTING } from '../tokens/compact-jwt.ts'
import { OAuthError } from '../errors.ts'
import { isGrantType, TOKEN_EXCHANGE } from '../grants/grant-types.ts'
import type { GrantType } from '../grants/grant-types.ts'
import { isRegistrableRedirectUri } from './redirect-uri.ts'
import { parseScope } from '../requests/scope.ts'

/** How a client may authenticate (RFC 7591, 2); `none` makes it a public one. */
export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const
type AuthMethod = (typeof AUTH_METHODS)[number]

const MAX_REDIRECT_URIS = 10
const MAX_NAME_CHARACTERS = 200
const DEFAULT_NAME = 'Registered client'

/** Members that mean nothing here and are said back as they came. */
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

/** What a client registers with, defaults filled in. */
export interface ClientMetadata {
  authMethod: AuthMethod
  grantTypes: readonly GrantType[]
  responseTypes: readonly 'code'[]
  redirectUris: readonly string[]
  name: string
  /** Undefined when none was sent, or only blanks. */
  scope: readonly string[] | undefined
  echoed: Record<string, unknown>
}

type Members = (name: string) => unknown

/** Checks what was sent as JSON; throws `invalid_client_metadata` or `invalid_redirect_uri`. */
export function checkClientMetadata(value: unknown): ClientMetadata {
  if (!isRecord(value)) throw invalid('the body must be a JSON object')
  if (!isNestedWithin(value, MAX_NESTING)) throw invalid(`the body is nested deeper than ${MAX_NESTING} levels`)
  const sent = new Map<string, unknown>(Object.entries(value))
  const member: Members = name => sent.get(name) ?? undefined

  const authMethod = readAuthMethod(member('token_endpoint_auth_method'))
  const grantTypes = readGrantTypes(member('grant_types'), authMethod)
  return {
    authMethod,
    grantTypes,
    responseTypes: readResponseTypes(member('response_types'), grantTypes),
    redirectUris: readRedirectUris(member('redirect_uris'), grantTypes),
    name: readName(member('client_name')),
    scope: readScope(member('scope')),
    echoed: Object.fromEntries(ECHOED.map(name => [name, member(name)])),
  }
}

function readAuthMethod(value: unknown = 'client_secret_basic'): AuthMethod {
  const method = AUTH_METHODS.find(known => known === value)
  if (method === undefined) throw invalid(`token_endpoint_auth_method must be ${AUTH_METHODS.join(', ')}`)
  return method
}

function readGrantTypes(value: unknown = ['authorization_code'], authMethod: AuthMethod): GrantType[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isGrantType))
    throw invalid('grant_types must be a list of grants that are supported')
  // Both prove nothing but who the client is.
  if (authMethod === 'none' && (value.includes('client_credentials') || value.includes(TOKEN_EXCHANGE))) {
    throw invalid('a public client can use neither client_credentials nor token exchange')
  }
  return [...new Set(value)]
}

function readResponseTypes(value: unknown, grantTypes: readonly GrantType[]): 'code'[] {
  if (value === undefined) return grantTypes.includes('authorization_code') ? ['code'] : []
  if (!Array.isArray(value) || !value.every(type => type === 'code'))
    throw invalid('response_types must be a list of code')
  return [...new Set<'code'>(value)]
}

function readRedirectUris(value: unknown = [], grantTypes: readonly GrantType[]): string[] {
  if (!Array.isArray(value) || !value.every(uri => typeof uri === 'string'))
    throw invalidRedirectUri('redirect_uris must be a list of strings')
  if (value.length > MAX_REDIRECT_URIS)
    throw invalidRedirectUri(`at most ${MAX_REDIRECT_URIS} redirect_uris can be registered`)
  if (!value.every(isRegistrableRedirectUri)) {
    throw invalidRedirectUri(
      'redirect_uris must be absolute http or https URIs, or of a scheme of the client, without fragment',
    )
  }
  if (value.length === 0 && grantTypes.includes('authorization_code'))
    throw invalidRedirectUri('redirect_uris is required for authorization_code')
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
  if (scope === null) throw invalid('scope must be a string of names, at most 1000 characters')
  return scope.length > 0 ? scope : undefined
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description)
}

function invalidRedirectUri(description: string): OAuthError {
  return new OAuthError('invalid_redirect_uri', description)
}
