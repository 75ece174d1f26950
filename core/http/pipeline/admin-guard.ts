/** The admin token: who presents it, and the refusals of those who need it and do not. */
import type { IncomingHttpHeaders } from 'node:http'
import { isSameSecret, readBearerToken } from '../../fields/authorization.ts'
import { headerText } from '../request/header.ts'

export interface AdminRefusal {
  status: 401 | 403
  headers: Record<string, string>
  body: { error: string }
}

export interface AdminGuard {
  /** Whether a value, in the bytes in which Node reads headers, is the admin token; false when none is configured. */
  matches(value: string): boolean
  /** Whether the admin token came with the request; false when none is configured. */
  isAdminToken(headers: IncomingHttpHeaders): boolean
  /**
   * Null lets a change of the whole instance pass. `isControlAdmin`: the request carries a control token with scope
   * `admin`, which counts as the admin token where one is configured.
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
    // Node reads header bytes as latin1; a token beyond ASCII comes as the bytes of its UTF-8.
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
 * The control credential of a request: `X-Svc-Admin-Token` when present, so that a foreign `Authorization` beside it
 * does no harm, else the bearer token (RFC 6750, 2.1; scheme in any case). Trimmed; null when none or empty.
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
