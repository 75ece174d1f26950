/** What the stores hold: codes, tokens, clients, sessions and keys. */
import type { JWK } from 'jose'
import type { KeyPairAlgorithm } from '../jwt/algorithms.ts'
import type { StrongMethod } from '../oauth/auth-methods.ts'
import type { GrantType } from '../oauth/grant-types.ts'
import type { Challenge } from '../oauth/pkce.ts'
import type { ClientRequirement } from '../settings/account-settings.ts'
import type { TokenClaims } from '../types.ts'

/** The members of the claim `cnf`; empty for a token that anybody can use. */
export interface Binding {
  /** Thumbprint of a key (RFC 7638). */
  jkt?: string
  /** Thumbprint of a certificate. */
  'x5t#S256'?: string
}

/** A user, with the standard claims (OpenID Connect Core, 5.1). Never contains the password. */
export interface User {
  username: string
  name: string
  email: string
  groups: readonly string[]
  /** Absent for users without roles. */
  roles?: readonly string[]
  /** Additional claims. */
  claims?: Record<string, unknown>
  /** Each login needs a one-time code. */
  mfa?: true
}

/** A login; `authTime` is in seconds since 1970. */
export interface Login {
  user: User
  authTime: number
  /** The user entered a one-time code, too. */
  isMfa?: true
  /** The session that the approval began. */
  sid?: string
}

/** The data stored with a session id. */
export interface Session {
  username: string
  clientId: string
  /** The identifier of the issuer, as the client knows it. */
  issuer: string
}

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

/** The data stored with an authorization code. */
export interface AuthorizationCode {
  clientId: string
  redirectUri: string
  /** Whether the authorization request contained the redirect URI; if so, the token request must contain it, too. */
  isRedirectUriGiven: boolean
  login: Login
  scope: readonly string[]
  resources: readonly string[]
  nonce: string | undefined
  challenge: Challenge | null
  /** Thumbprint of the key that must redeem the code (RFC 9449, 10). */
  dpopJkt?: string
}

/** The data stored with a refresh token. */
export interface RefreshToken {
  clientId: string
  login: Login
  /** The originally granted scope: a narrower access token does not narrow the next one. */
  scope: readonly string[]
  resources: readonly string[]
  issuer: string
  /** Seconds since 1970. */
  issuedAt: number
  expiresAt: number
  /** The key or certificate with which a public client must refresh. */
  binding?: Binding
  /** All tokens that follow from one login have the same; absent where reuse revokes nothing. */
  family?: string
  /** The token was replaced and is kept only to detect its reuse. */
  isUsed?: true
}

/** The data stored with an access token. */
export interface OpaqueToken {
  claims: TokenClaims
}

/** The data stored with a device code, by its user code. */
export interface DeviceCode {
  /** The secret part of the device code. */
  secret: string
  clientId: string
  scope: readonly string[]
  resources: readonly string[]
  /** Milliseconds since 1970. */
  expiresAt: number
  intervalS: number
  /** The last poll; null before the first one. */
  polledAt: number | null
  /** Whether the last poll came before the interval was over. */
  isTooFast: boolean
  /** The user's decision; null while there is none. */
  decision: Approved | 'denied' | null
  /** A decision that is made without a browser, from a time on. */
  planned?: { outcome: 'approve' | 'deny' | 'expire'; at: number; login: Login }
}

/** An approval; without a scope, of the requested one. */
export interface Approved {
  login: Login
  scope?: readonly string[]
}

/** The data stored with a request URI. */
export interface PushedRequest {
  clientId: string
  parameters: [name: string, value: string][]
  /** Whether the parameters came in a request object. */
  isSigned: boolean
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** A key pair of an issuer. */
export interface StoredKey {
  kid: string
  alg: KeyPairAlgorithm
  /** The private key. */
  jwk: JWK
  /** When it is in the JWK Set. `until` is null if no end is planned. */
  from: number
  until: number | null
}

/** The keys of an issuer, oldest first, and which of them signs from when. */
export interface KeyRecord {
  keys: StoredKey[]
  /** In order; the last entry that is not in the future names the signing key. */
  switches: { at: number; kid: string }[]
  /** Number of the newest key by algorithm. */
  numbers: Partial<Record<KeyPairAlgorithm, number>>
  /** When the newest key was added: the start of the next automatic rotation. */
  rotatedAt: number
  /** The algorithms of the settings that the record fits; a rotation can add others. */
  algorithms: readonly KeyPairAlgorithm[]
}
