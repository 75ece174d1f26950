/** Users and clients in the settings of an issuer. */
import { isNestedWithin, isRecord } from 'svc/plugin'
import { KEY_PAIR_ALGORITHMS } from '../keys/algorithms.ts'
import { GRANT_TYPES } from '../grants/grant-types.ts'
import { isRegistrableRedirectUri } from '../clients/redirect-uri.ts'
import { parseScope } from '../requests/scope.ts'
import { defaulted, list, object, oneOf, optional, required, ShapeError, text } from './shape.ts'
import type { Shape, ValueOf } from './shape.ts'

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
  password: required(text({ max: 200 })),
  display_name: optional(text()),
  email: optional(text()),
  groups: defaulted(list(text({ max: 100 }), { max: MAX_NAMES }), () => []),
  roles: optional(list(text({ max: 100 }), { max: MAX_NAMES })),
  claims: optional(userClaims),
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

/** A client. Without a secret it is public. */
export const clientSettings = object({
  client_id: required(text({ max: 200, pattern: /^[\x21-\x7e]+$/, what: 'an id of visible ASCII' })),
  client_secret: optional(text({ max: 200 })),
  name: optional(text()),
  redirect_uris: optional(list(redirectUri, { max: 10 })),
  grants: defaulted(list(oneOf(GRANT_TYPES), { min: 1, max: 20, unique: true }), () => [
    'authorization_code' as const,
    'refresh_token' as const,
  ]),
  scope: optional(scope),
  id_token_alg: optional(oneOf(KEY_PAIR_ALGORITHMS)),
})

/** A client in the settings. */
export type ClientSettings = ValueOf<typeof clientSettings>
