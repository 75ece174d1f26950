/** The admin token: checks whether a request presents it, and rejects requests that need it. */
import type { IncomingHttpHeaders } from 'node:http'
import { isSameSecret, readBearerToken } from '../../fields/authorization.ts'
import { headerText } from '../request/header.ts'

export interface AdminRefusal {
  status: 401 | 403
  headers: Record<string, string>
  body: { error: string }
}

export interface AdminGuard {
  /** Whether a value, in the encoding in which Node reads headers, is the admin token; false if none is configured. */
  matches(value: string): boolean
  /** Whether the request has the admin token; false if none is configured. */
  isAdminToken(headers: IncomingHttpHeaders): boolean
  /**
   * Returns null if an instance-wide change is allowed. `isControlAdmin` means that the request has a control token
   * with scope `admin`, which counts as the admin token if one is configured.
   */
  check(headers: IncomingHttpHeaders, isControlAdmin: boolean): AdminRefusal | null
}

export function createAdminGuard({
  adminToken,
  publicMode,
}: {
  adminToken: string | null
  publicMode: boolean
}): AdminGuard {
  function matches(value: string): boolean {
    // Node reads header bytes as Latin-1; a token beyond ASCII arrives as its UTF-8 bytes.
    return adminToken !== null && isSameSecret(Buffer.from(value, 'latin1'), adminToken)
  }

  function isAdminToken(headers: IncomingHttpHeaders): boolean {
    if (adminToken === null) return false
    const presented = presentedCredential(headers)
    return presented !== null && matches(presented)
  }

  return {
    matches,
    isAdminToken,
    check(headers, isControlAdmin) {
      if (adminToken === null) return publicMode ? disabledInPublicMode() : null
      return isControlAdmin || isAdminToken(headers) ? null : tokenRequired()
    },
  }
}

/**
 * The control credential of a request: `X-Svc-Admin-Token` if present, so that an unrelated `Authorization` header does
 * no harm, else the bearer token (RFC 6750, 2.1; the scheme is case-insensitive). Trimmed; null if absent or empty.
 */
export function presentedCredential(headers: IncomingHttpHeaders): string | null {
  const own = headerText(headers, 'x-svc-admin-token')
  if (own !== undefined) return own.trim() || null
  return readBearerToken(headers.authorization)
}

function tokenRequired(): AdminRefusal {
  return {
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer realm="svc"' },
    body: { error: 'admin token required: send Authorization: Bearer <token> or X-Svc-Admin-Token' },
  }
}

function disabledInPublicMode(): AdminRefusal {
  return { status: 403, headers: {}, body: { error: 'disabled in public mode: set SVC_ADMIN_TOKEN to enable it' } }
}
