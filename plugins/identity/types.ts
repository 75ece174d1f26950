/**
 * The extension points `identity.tokens` (verifies, decodes and signs JWTs, and determines the issuer of a request) and
 * `identity.issuers` (adds issuers).
 */
import type { AnyRequest, FastifyRequest } from 'svc/plugin'

/**
 * The signature algorithms of this server (RFC 7518, 3.1; RFC 8037, 3.1): HS256 uses the demo secret of the default
 * issuer, the others the keys of an issuer.
 */
export type TokenAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'HS256'

/** The JOSE header of a JWT (RFC 7519, 5), as received. */
export type TokenHeader = Record<string, unknown>

/** The claims set of a JWT (RFC 7519, 4), as received. It can have any key, including `__proto__`. */
export type TokenClaims = Record<string, unknown>

/** Checks of a token in addition to structure, signature and dates. Absent members are not checked. */
export interface TokenChecks {
  /**
   * Names of the issuers whose tokens are accepted, or `*` for all. The path of `iss` selects the keys of an issuer; its
   * host is not compared. Default: `['default']`, whose tokens can have any `iss`.
   */
  issuers?: readonly string[] | '*'
  /** The exact `iss`. */
  issuer?: string
  /** `aud` must be or contain one of these. */
  audiences?: readonly string[]
  /** Default: all algorithms for which the issuer has a key. */
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
  | 'wrong type'
  | 'token revoked'
  | 'invalid token'

/** The result of a verification. */
export type TokenVerification =
  | { valid: true; header: TokenHeader; claims: TokenClaims; issuer: string }
  | { valid: false; reason: TokenReason }

/** A token as a request presents it. */
export interface PresentedToken {
  scheme: 'bearer' | 'dpop'
  token: string
}

/** To what a token is bound: a key of the client (RFC 9449) or a certificate (RFC 8705). */
export type TokenBinding = { type: 'dpop'; jkt: string } | { type: 'mtls'; 'x5t#S256': string }

/** Checks of the token of a request. */
export interface ResourceChecks extends TokenChecks {
  /**
   * `required` refuses tokens that are not bound, `off` knows only the scheme Bearer. Default: `optional`. Bound tokens
   * always need their proof or certificate.
   */
  binding?: 'required' | 'optional' | 'off'
}

/** The result of the verification of a request. */
export type PresentedVerification =
  | {
      valid: true
      token: string
      header: TokenHeader
      claims: TokenClaims
      issuer: string
      /** Null for a token that anybody can use. */
      binding: TokenBinding | null
    }
  | {
      valid: false
      /** Null for a request without a token. */
      error: 'invalid_token' | 'invalid_dpop_proof' | null
      /** ASCII without quotes. */
      reason: string
      /** Value of `WWW-Authenticate`; only the scheme for a request without a token. */
      challenge: string
    }

/** The decoded, unverified token; `malformed` is the reason why it can't be decoded. */
export type DecodedToken = { header: TokenHeader; claims: TokenClaims } | { malformed: string }

/** Options for signing a token. */
export interface TokenSigning {
  /** Name of the issuer that signs. Default: `default`. */
  issuer?: string
  /** Default: that of the issuer; `RS256` for the default issuer. */
  algorithm?: TokenAlgorithm
  /** Header `typ`. Default `JWT`. */
  typ?: string
}

/** A custom token, with its parts and the decision of a correct verifier of its issuer. */
export interface OrderedToken {
  token: string
  header: TokenHeader
  claims: TokenClaims
  accept: boolean
  /** Why it is not accepted; null if it is. */
  why: string | null
}

/** Tokens of this server, for plugins that accept or issue them. */
export interface Tokens {
  /**
   * Verifies a compact JWT: at most 64 levels of JSON, no member twice, a signature by a key of the issuer (default
   * issuer: or HS256 with the demo secret), `exp` required, 30 s of leeway. No header member but `alg` selects a key.
   * Never throws.
   */
  verify(token: string, checks?: TokenChecks): Promise<TokenVerification>
  /**
   * Verifies the access token in `Authorization` of a request to a resource, and its binding: a DPoP proof (RFC 9449, 7) or
   * the client certificate (RFC 8705, 3). Never throws.
   */
  verifyRequest(request: FastifyRequest, checks?: ResourceChecks): Promise<PresentedVerification>
  /** Decodes a compact JWT and checks only its structure. Never throws. */
  decode(token: string): DecodedToken
  /** Signs the claims unchanged. The caller sets dates and `jti`. Rejects for an unknown issuer or algorithm. */
  sign(claims: TokenClaims, signing?: TokenSigning): Promise<string>
  /**
   * The issuer for this request: its base URL with the trusted path prefix, without a trailing slash. With a name, that
   * of the issuer by path.
   */
  issuer(request: AnyRequest, name?: string): string
  /**
   * A custom token, as `POST /oauth/debug/token` makes it, of an issuer (default: `default`). Rejects with an
   * `HttpError` for an order that can't be used.
   */
  order(order: Record<string, unknown>, request: FastifyRequest, issuer?: string): Promise<OrderedToken>
  /** The names of the issuers by path. */
  names(): Promise<string[]>
  /**
   * The grants of an issuer (default: `default`): `grant_types_supported` of its metadata, and `id-jag` if it takes identity
   * assertions of other issuers. Undefined for an unknown issuer.
   */
  grants(issuer?: string): Promise<readonly string[] | undefined>
}

/** Adds issuers by path. */
export interface Issuers {
  /**
   * Adds an issuer with the settings of `identity.issuers[]` in `svc.yaml`. Throws for invalid settings and for a name
   * that exists.
   */
  issuer(settings: { name: string; [setting: string]: unknown }): void
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'identity.tokens': Tokens
    'identity.issuers': Issuers
  }
}
