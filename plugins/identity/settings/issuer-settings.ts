/** The settings of an issuer by path, as in `svc.yaml`, the control plane and the extension point. */
import { isNestedWithin, isRecord } from 'svc/toolkit'
import { KEY_PAIR_ALGORITHMS } from '../jwt/algorithms.ts'
import { GRANT_TYPES } from '../oauth/grant-types.ts'
import { clientSettings, userSettings } from './account-settings.ts'
import { REFERENCES, unknownReference } from './claim-templates.ts'
import { settledFaults } from './fault-settings.ts'
import { loginSettings } from './login-settings.ts'
import {
  defaulted,
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  required,
  type Shape,
  ShapeError,
  suggestion,
  text,
  uniqueBy,
  type ValueOf,
} from './shape.ts'
import { trustEntry } from './trust-settings.ts'

const DAY_S = 86_400
/** Names of issuers, as part of a path. */
export const ISSUER_NAME = /^[a-z][a-z0-9-]{0,31}$/
/** The issuer at `/oauth`, which is not one by path. */
export const DEFAULT_ISSUER = 'default'

/** Claims that are set for each token; only an order can change them. */
const RESERVED_CLAIMS = new Set(['iss', 'exp', 'iat', 'jti', 'cnf'])
const MAX_CLAIM_BYTES = 8192
const MAX_CLAIM_LEVELS = 16

/** Claims that are added to every token. Texts can have references such as `{{user.email}}`. */
export const claims: Shape<Record<string, unknown>> = {
  schema: { type: 'object' },
  read(value, at) {
    if (!isRecord(value)) throw new ShapeError(at, 'expected an object')
    if (!isNestedWithin(value, MAX_CLAIM_LEVELS))
      throw new ShapeError(at, `expected at most ${MAX_CLAIM_LEVELS} levels`)
    if (JSON.stringify(value).length > MAX_CLAIM_BYTES)
      throw new ShapeError(at, `expected at most ${MAX_CLAIM_BYTES} characters of JSON`)
    const unknown = unknownReference(value)
    if (unknown !== undefined)
      throw new ShapeError(
        at,
        `unknown reference; expected one of ${REFERENCES.join(', ')}`,
        suggestion(unknown, REFERENCES),
      )
    for (const name of Object.keys(value))
      if (RESERVED_CLAIMS.has(name)) throw new ShapeError(`${at}.${name}`, 'this claim is set for each token')
    return value
  },
}

const accessToken = object({
  ttl: defaulted(integer(1, DAY_S), () => 3600),
  audience: defaulted(text({ max: 2048 }), () => 'svc'),
  typ: defaulted(text({ max: 100 }), () => 'at+jwt'),
  format: defaulted(oneOf(['jwt', 'opaque']), () => 'jwt' as const),
  claims: defaulted(claims, () => ({})),
})
const idToken = object({
  ttl: defaulted(integer(1, DAY_S), () => 3600),
  claims: defaulted(claims, () => ({})),
})
const refreshToken = object({
  ttl: defaulted(integer(1, 30 * DAY_S), () => DAY_S),
  rotate: defaulted(flag, () => true),
  reuse: defaulted(oneOf(['refuse', 'revoke-family']), () => 'refuse' as const),
})

/** What `iss` in authorization responses is (RFC 9207). */
export const ISS_MODES = ['right', 'missing', 'wrong', 'unannounced', 'off'] as const

/** What an issuer demands of every client. */
export const REQUIREMENTS = ['pkce', 's256', 'par', 'jar', 'dpop', 'mtls', 'private_key_jwt'] as const

/** A host, with or without a port. */
export const fetchHost = text({
  max: 300,
  pattern: /^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/,
  what: 'a host, or host:port,',
})
const cimd = object({
  allow: optional(list(fetchHost, { max: 50 })),
  cache_s: defaulted(integer(60, DAY_S), () => 300),
})
const dpop = object({ nonce: defaulted(flag, () => false), ttl_s: defaulted(integer(1, 3600), () => 60) })

const defaultsOf = <T>(shape: Shape<T>) => defaulted(shape, () => shape.read({}, ''))

/** Seconds between automatic rotations of the signing key; 0 for none. */
const rotationPeriod: Shape<number> = {
  schema: { anyOf: [{ const: 0 }, integer(60, DAY_S).schema] },
  read: (value, at) => (value === 0 ? 0 : integer(60, DAY_S).read(value, at)),
}

/** The settings of an issuer. */
export const issuerSettings = object({
  name: required(text({ max: 32, pattern: ISSUER_NAME, what: 'a name of a-z, 0-9 and -, that begins with a letter,' })),
  title: optional(text()),
  algorithms: defaulted(list(oneOf(KEY_PAIR_ALGORITHMS), { min: 1, max: 6, unique: true }), () => [
    'ES256' as const,
    'RS256' as const,
  ]),
  access_token: defaultsOf(accessToken),
  id_token: defaultsOf(idToken),
  refresh_token: defaultsOf(refreshToken),
  code_ttl: defaulted(integer(1, 3600), () => 300),
  grants: defaulted(list(oneOf(GRANT_TYPES), { min: 1, max: 20, unique: true }), () => [...GRANT_TYPES]),
  require: defaulted(list(oneOf(REQUIREMENTS), { max: 10, unique: true }), () => []),
  dpop: defaultsOf(dpop),
  cimd: defaultsOf(cimd),
  login: defaultsOf(loginSettings),
  iss_parameter: defaulted(oneOf(ISS_MODES), () => 'right' as const),
  trust: defaulted(list(trustEntry, { max: 50 }), () => []),
  rotate_every_s: defaulted(rotationPeriod, () => 0),
  faults: optional(settledFaults),
  users: defaulted(uniqueBy(list(userSettings, { max: 200 }), 'name'), () => []),
  clients: defaulted(uniqueBy(list(clientSettings, { max: 200 }), 'client_id'), () => []),
  demo_users: defaulted(flag, () => true),
  demo_clients: defaulted(flag, () => true),
})

/** The settings of an issuer. */
export type IssuerSettings = ValueOf<typeof issuerSettings>
