/** The extension point `identity.tokens`: verifying, reading and signing JWTs, and the issuer of a request. */
import type { AnyRequest } from 'svc/plugin'

/** The two ways in which tokens of this server are signed (RFC 7518, 3.1): the provider's key, the demo secret. */
export type TokenAlgorithm = 'RS256' | 'HS256'

/** The JOSE header of a JWT (RFC 7519, 5), as received. */
export type TokenHeader = Record<string, unknown>

/** The claims set of a JWT (RFC 7519, 4), as received; its keys are any, `__proto__` included. */
export type TokenClaims = Record<string, unknown>

/** What is asked of a token beside structure, signature and dates; what is absent is not looked at. */
export interface TokenChecks {
  /** `iss` is exactly this. */
  issuer?: string
  /** `aud` is, or contains, one of these. */
  audiences?: readonly string[]
  /** Default: both. */
  algorithms?: readonly TokenAlgorithm[]
  /** Header `typ` is this, in any case, `application/` aside (RFC 7515, 4.1.9). Access tokens: `at+jwt`. */
  typ?: string
  /** Tokens that were revoked here (RFC 7009) fail. Default false: a gateway that validates locally can't know. */
  refuseRevoked?: boolean
}

/** Why a token fails, in words that replies show. */
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

/** The outcome of a verification. */
export type TokenVerification =
  | { valid: true; header: TokenHeader; claims: TokenClaims }
  | { valid: false; reason: TokenReason }

/** What can be read of a token without trusting it; `malformed` says in a few words why nothing can. */
export type DecodedToken = { header: TokenHeader; claims: TokenClaims } | { malformed: string }

/** How a token is signed. */
export interface TokenSigning {
  /** Default `RS256`. */
  algorithm?: TokenAlgorithm
  /** Header `typ`. Default `JWT`. */
  typ?: string
}

/** Tokens of this server, for every plugin that takes or makes them. */
export interface Tokens {
  /**
   * Checks a compact JWT: at most 64 levels of JSON, `alg` RS256 with the provider's key or HS256 with the demo secret
   * (nothing else in the header chooses a key), `exp` required, 30 s of leeway. Never throws.
   */
  verify(token: string, checks?: TokenChecks): Promise<TokenVerification>
  /** Reads a compact JWT without verifying anything but its structure. Never throws. */
  decode(token: string): DecodedToken
  /** Signs claims as they are given; dates and `jti` are the caller's. */
  sign(claims: TokenClaims, signing?: TokenSigning): Promise<string>
  /** The issuer for this request: its base URL with the trusted prefix, without a trailing slash. */
  issuer(request: AnyRequest): string
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'identity.tokens': Tokens
  }
}
