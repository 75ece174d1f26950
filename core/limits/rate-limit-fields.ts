/**
 * The header fields of rejections: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers) as
 * Structured Fields (RFC 9651).
 */

/** One configured policy. */
export interface Policy {
  name: string
  quota: number
  /** Seconds. */
  window?: number
  /** If absent, the unit is requests. */
  unit?: 'concurrent-requests' | 'content-bytes'
  burst?: number
}

/** `"rps";q=5;w=1;svc-burst=20, "requests";q=10000;w=86400` */
export function formatPolicies(policies: readonly Policy[]): string {
  return policies
    .map(
      ({ name, quota, window, unit, burst }) =>
        `"${name}";q=${quota}${unit === undefined ? '' : `;qu="${unit}"`}${window === undefined ? '' : `;w=${window}`}${burst === undefined ? '' : `;svc-burst=${burst}`}`,
    )
    .join(', ')
}

/** Only the exhausted policy: `"rps";r=0;t=1`. */
export function formatExhausted(name: string, retryAfterSecs: number): string {
  return `"${name}";r=0;t=${retryAfterSecs}`
}
