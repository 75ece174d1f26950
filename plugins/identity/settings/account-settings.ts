/** Users and clients in the settings of an issuer. */
import { isNestedWithin, isRecord } from 'svc/toolkit'
import type { JWK } from 'jose'
import { KEY_PAIR_ALGORITHMS } from '../jwt/algorithms.ts'
import { MAX_CLIENT_KEYS, readClientKeys } from '../jwt/public-keys.ts'
import { AUTH_METHODS, type AuthMethod } from '../oauth/auth-methods.ts'
import { parseName } from '../oauth/distinguished-name.ts'
import { GRANT_TYPES } from '../oauth/grant-types.ts'
import { isRegistrableRedirectUri } from '../oauth/redirect-uri.ts'
import { parseScope } from '../oauth/scope.ts'
import {
  below,
  defaulted,
  flag,
  list,
  object,
  oneOf,
  optional,
  refined,
  required,
  secret,
  type Shape,
  ShapeError,
  text,
  type ValueOf,
} from './shape.ts'

const MAX_NAMES = 50

/** Additional claims of a user. */
const userClaims: Shape<Record<string, unknown>> = {
  schema: { type: 'object' },
  read(value, at) {
    if (!isRecord(value) || !isNestedWithin(value, 8) || JSON.stringify(value).length > 4096)
      throw new ShapeError(at, 'expected an object of at most 8 levels and 4096 characters of JSON')
    return value
  },
}

/** A user. One with the name of a demo user replaces it. */
export const userSettings = object({
  name: required(text({ max: 100 })),
  password: required(secret(text({ max: 200 }))),
  display_name: optional(text()),
  email: optional(text()),
  groups: defaulted(list(text({ max: 100 }), { max: MAX_NAMES }), () => []),
  roles: optional(list(text({ max: 100 }), { max: MAX_NAMES })),
  claims: optional(userClaims),
  mfa: optional(flag),
})

/** A user in the settings. */
export type UserSettings = ValueOf<typeof userSettings>

const redirectUri: Shape<string> = {
  schema: { type: 'string', minLength: 1, maxLength: 2048 },
  read(value, at) {
    if (typeof value !== 'string' || !isRegistrableRedirectUri(value))
      throw new ShapeError(at, 'expected an absolute URI with http, https or a private-use scheme, without a fragment')
    return value
  },
}

const scope: Shape<string> = {
  schema: { type: 'string', maxLength: 1000 },
  read(value, at) {
    if (typeof value !== 'string' || parseScope(value) === null)
      throw new ShapeError(at, 'expected names separated by spaces, at most 1000 characters')
    return value
  },
}

/** Public keys. */
export const clientKeys: Shape<{ keys: JWK[] }> = {
  schema: { type: 'object', properties: { keys: { type: 'array', maxItems: MAX_CLIENT_KEYS } }, required: ['keys'] },
  read(value, at) {
    const read = readClientKeys(value)
    if ('problem' in read) throw new ShapeError(at, read.problem)
    return read
  },
}

const subjectDn: Shape<string> = {
  schema: { type: 'string', minLength: 1, maxLength: 1000 },
  read(value, at) {
    if (typeof value !== 'string' || parseName(value) === null)
      throw new ShapeError(at, 'expected a distinguished name such as CN=shop, O=Example')
    return value
  },
}

/** A path of this instance, or a URL of another host. */
export const place = text({ max: 2048, pattern: /^(?:\/(?!\/)|https?:\/\/[^/?#])/, what: 'a URL or a path' })

/** What a client can require. */
export const CLIENT_REQUIREMENTS = ['par', 'jar', 'dpop', 'mtls'] as const

/** What a client can require. */
export type ClientRequirement = (typeof CLIENT_REQUIREMENTS)[number]

const clientMembers = object({
  client_id: required(text({ max: 200, pattern: /^[\x21-\x7e]+$/, what: 'an id of visible ASCII' })),
  client_secret: optional(secret(text({ max: 200 }))),
  name: optional(text()),
  redirect_uris: optional(list(redirectUri, { max: 10 })),
  grants: defaulted(list(oneOf(GRANT_TYPES), { min: 1, max: 20, unique: true }), () => [
    'authorization_code' as const,
    'refresh_token' as const,
  ]),
  scope: optional(scope),
  post_logout_redirect_uris: optional(list(redirectUri, { max: 10 })),
  backchannel_logout_uri: optional(place),
  id_token_alg: optional(oneOf(KEY_PAIR_ALGORITHMS)),
  auth: optional(oneOf(AUTH_METHODS)),
  jwks: optional(clientKeys),
  jwks_uri: optional(place),
  tls_client_auth_subject_dn: optional(subjectDn),
  require: defaulted(list(oneOf(CLIENT_REQUIREMENTS), { max: 10, unique: true }), () => []),
})

/** What each method needs. */
const NEEDED: Partial<Record<AuthMethod, 'client_secret' | 'jwks' | 'tls_client_auth_subject_dn'>> = {
  client_secret_basic: 'client_secret',
  client_secret_post: 'client_secret',
  client_secret_jwt: 'client_secret',
  private_key_jwt: 'jwks',
  tls_client_auth: 'tls_client_auth_subject_dn',
}

/** A client. Without a secret, key or certificate it is public. */
export const clientSettings = refined(clientMembers, (client, at) => {
  const needed = client.auth === undefined ? undefined : NEEDED[client.auth]
  const isMissing = needed !== undefined && client[needed] === undefined
  if (isMissing && !(needed === 'jwks' && client.jwks_uri !== undefined))
    throw new ShapeError(below(at, 'auth'), `${client.auth} needs ${needed}`)
  if (client.auth === 'none' && client.client_secret !== undefined)
    throw new ShapeError(below(at, 'auth'), 'a client with a secret is not public')
})

/** A client of the default issuer, which has neither pushed requests nor request objects. */
export const defaultClientSettings = refined(clientSettings, ({ require }, at) => {
  const unusable = require.find(name => name === 'par' || name === 'jar')
  if (unusable !== undefined)
    throw new ShapeError(below(at, 'require'), `${unusable} is possible only for clients of issuers by path`)
})

/** A client in the settings. */
export type ClientSettings = ValueOf<typeof clientSettings>
