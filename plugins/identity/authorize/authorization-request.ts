/** An authorization request (RFC 6749, 4.1.1; OpenID Connect Core, 3.1.2.1) while it is checked and after. */
import type { Client } from '../clients/clients.ts'
import type { Parameters } from '../requests/parameters.ts'
import type { Challenge } from '../requests/pkce.ts'

/** How parameters get back to the client: in the query of the redirect URI, or as a form that is posted there. */
export const RESPONSE_MODES = ['query', 'form_post'] as const
/** One of them. */
export type ResponseMode = (typeof RESPONSE_MODES)[number]

/** What the checks establish; from the redirect URI on, answers go there. */
export interface AuthorizationRequest {
  readonly parameters: Parameters
  readonly client: Client
  readonly redirectUri: string
  readonly isRedirectUriGiven: boolean
  /** Undefined also while it has not been found good to be sent back. */
  state: string | undefined
  responseMode: ResponseMode
  scope: readonly string[]
  resources: readonly string[]
  nonce: string | undefined
  challenge: Challenge | null
}

/** One rule: fills in what it has found good, or throws the OAuth error that is sent to the redirect URI. */
export type Check = (request: AuthorizationRequest) => void
