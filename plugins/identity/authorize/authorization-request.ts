/** An authorization request (RFC 6749, 4.1.1; OpenID Connect Core, 3.1.2.1). */
import type { Ask } from '../faults/hostile.ts'
import type { Issuer } from '../issuers/issuer.ts'
import type { Parameters } from '../oauth/parameters.ts'
import type { Challenge } from '../oauth/pkce.ts'
import type { LoginVariant } from '../settings/login-settings.ts'
import type { Client } from '../stores/records.ts'

/** How response parameters reach the client: in the query of the redirect URI, or in a form posted there. */
export const RESPONSE_MODES = ['query', 'form_post'] as const
/** A supported `response_mode`. */
export type ResponseMode = (typeof RESPONSE_MODES)[number]

/** Parameters that the login form submits again. */
export const CARRIED_PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'max_age',
  'resource',
  'dpop_jkt',
  'acr_values',
  'svc_login',
] as const
/** All parameters that have an effect. */
export const REQUEST_PARAMETERS = [...CARRIED_PARAMETERS, 'prompt', 'login_hint'] as const

/** The parameters that count, and how they came. */
export interface ReceivedRequest {
  parameters: Parameters
  isPushed: boolean
  isSigned: boolean
  /** The URI of a pushed request, which can be used once. */
  requestUri: string | null
  /** What the login form submits again. */
  carried: readonly (readonly [name: string, value: string])[]
}

/** A request whose client and redirect URI are valid. The checks fill in the other members. */
export interface AuthorizationRequest {
  readonly issuer: Issuer
  /** What is wrong in the answer of a hostile issuer. */
  readonly asks: ReadonlySet<Ask>
  readonly received: ReceivedRequest
  readonly parameters: Parameters
  readonly client: Client
  readonly redirectUri: string
  readonly isRedirectUriGiven: boolean
  /** Undefined if absent, not checked yet, or too long to be returned. */
  state: string | undefined
  responseMode: ResponseMode
  scope: readonly string[]
  resources: readonly string[]
  nonce: string | undefined
  challenge: Challenge | null
  /** Thumbprint of the key that must redeem the code. */
  dpopJkt: string | undefined
  loginVariant: LoginVariant
}

/** A check: sets the validated member, or throws the OAuth error that is sent to the redirect URI. */
export type Check = (request: AuthorizationRequest) => void
