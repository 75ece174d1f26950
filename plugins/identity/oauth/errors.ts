/** The OAuth errors of this provider and their wire format. */
import { HttpError } from 'svc/plugin'

/** Headers of every response that contains a token or describes one (RFC 6749, 5.1). */
export const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

/** The challenge for failed client authentication (RFC 6749, 5.2; RFC 7617, 2). */
const CLIENT_CHALLENGE = { 'WWW-Authenticate': 'Basic realm="svc"' }

interface ErrorKind {
  status: number
  headers?: Record<string, string>
}

/** Every error code with its status in direct responses. The authorization endpoint redirects errors instead. */
export const OAUTH_ERRORS = {
  // RFC 6749, 4.1.2.1 and 5.2
  invalid_request: { status: 400 },
  invalid_client: { status: 401, headers: CLIENT_CHALLENGE },
  invalid_grant: { status: 400 },
  unauthorized_client: { status: 400 },
  unsupported_grant_type: { status: 400 },
  unsupported_response_type: { status: 400 },
  invalid_scope: { status: 400 },
  access_denied: { status: 400 },
  server_error: { status: 500 },
  temporarily_unavailable: { status: 503 },
  // RFC 8628, 3.5
  authorization_pending: { status: 400 },
  slow_down: { status: 400 },
  expired_token: { status: 400 },
  // RFC 9449, 5 and 8
  invalid_dpop_proof: { status: 400 },
  use_dpop_nonce: { status: 400 },
  // RFC 8707, 2
  invalid_target: { status: 400 },
  // RFC 6750, 3.1
  invalid_token: { status: 401 },
  insufficient_scope: { status: 403 },
  // RFC 7591, 3.2.2
  invalid_redirect_uri: { status: 400 },
  invalid_client_metadata: { status: 400 },
  // OpenID Connect Core, 3.1.2.6
  login_required: { status: 400 },
  invalid_request_uri: { status: 400 },
  invalid_request_object: { status: 400 },
  request_not_supported: { status: 400 },
  request_uri_not_supported: { status: 400 },
  registration_not_supported: { status: 400 },
} satisfies Record<string, ErrorKind>

/** The body of responses while the state store is unavailable or full (RFC 6749, 4.1.2.1). */
export const TEMPORARILY_UNAVAILABLE = {
  error: 'temporarily_unavailable',
  error_description: 'the state of the provider is unavailable; try again',
} as const

/** A value of `error`. */
export type OAuthErrorCode = keyof typeof OAUTH_ERRORS

/**
 * An error response (RFC 6749, 5.2): `{"error": "<code>", "error_description": "<text>"}`. The description is
 * printable ASCII without `"` and `\`, and never repeats input.
 */
export class OAuthError extends HttpError {
  readonly error: OAuthErrorCode
  readonly description: string
  /** `headers` are added to those of the error code, `status` replaces its status, `details` are added to the body. */
  constructor(
    error: OAuthErrorCode,
    description: string,
    {
      headers = {},
      status,
      details = {},
    }: { headers?: Record<string, string>; status?: number; details?: Record<string, string> } = {},
  ) {
    const kind: ErrorKind = OAUTH_ERRORS[error]
    super(
      status ?? kind.status,
      { error, error_description: description, ...details },
      { ...NO_STORE, ...kind.headers, ...headers },
    )
    this.error = error
    this.description = description
  }
}
