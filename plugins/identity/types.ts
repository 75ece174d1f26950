/** The extension point `identity.tokens`: verifies, decodes and signs JWTs, and determines the issuer of a request. */
import type { AnyRequest } from 'svc/plugin'

/** The signature algorithms of this server (RFC 7518, 3.1): RS256 uses the provider's key, HS256 the demo secret. */
export type TokenAlgorithm = 'RS256' | 'HS256'

/** The JOSE header of a JWT (RFC 7519, 5), as received. */
export type TokenHeader = Record<string, unknown>

/** The claims set of a JWT (RFC 7519, 4), as received. It can have any key, including `__proto__`. */
export type TokenClaims = Record<string, unknown>

/** Checks of a token in addition to structure, signature and dates. Absent members are not checked. */
export interface TokenChecks {
  /** The exact `iss`. */
  issuer?: string
  /** `aud` must be or contain one of these. */
  audiences?: readonly string[]
  /** Default: both. */
  algorithms?: readonly TokenAlgorithm[]
  /** The header `typ`, case-insensitive and without `application/` (RFC 7515, 4.1.9). Access tokens have `at+jwt`. */
  typ?: string
  /** Reject revoked tokens (RFC 7009). Default: false, as for a gateway that validates tokens locally. */
  refuseRevoked?: boolean
}

/** Why a token is not valid; part of response bodies. */
export type TokenReason =
  | 'malformed token'
  | 'alg missing'
  | 'alg none is refused'
  | 'alg not supported'
  | 'invalid signature'
  | 'token expired'
  | 'token not yet valid'
  | 'claim exp missing'
  | 'issuer mismatch'
  | 'audience mismatch'
  | 'token revoked'
  | 'invalid token'

/** The result of a verification. */
export type TokenVerification =
  | { valid: true; header: TokenHeader; claims: TokenClaims }
  | { valid: false; reason: TokenReason }

/** The decoded, unverified token; `malformed` is the reason why it can't be decoded. */
export type DecodedToken = { header: TokenHeader; claims: TokenClaims } | { malformed: string }

/** Options for signing a token. */
export interface TokenSigning {
  /** Default `RS256`. */
  algorithm?: TokenAlgorithm
  /** Header `typ`. Default `JWT`. */
  typ?: string
}

/** Tokens of this server, for plugins that accept or issue them. */
export interface Tokens {
  /**
   * Verifies a compact JWT: at most 64 levels of JSON, `alg` RS256 with the provider's key or HS256 with the demo secret
   * (no other header member selects a key), `exp` required, 30 s of leeway. Never throws.
   */
  verify(token: string, checks?: TokenChecks): Promise<TokenVerification>
  /** Decodes a compact JWT and checks only its structure. Never throws. */
  decode(token: string): DecodedToken
  /** Signs the claims unchanged. The caller sets dates and `jti`. */
  sign(claims: TokenClaims, signing?: TokenSigning): Promise<string>
  /** The issuer for this request: its base URL with the trusted path prefix, without a trailing slash. */
  issuer(request: AnyRequest): string
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'identity.tokens': Tokens
  }
}
