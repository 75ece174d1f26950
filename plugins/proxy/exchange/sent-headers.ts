/** The headers of a response to the client: those of the upstream, safe for the origin of this instance. */
import { sandboxPolicy } from 'svc/toolkit'
import type { FastifyRequest, Svc } from 'svc/plugin'
import type { Upstream } from '../config/upstream.ts'
import { headerRecord, responseHeaders, type HeaderLine } from '../forwarded-headers.ts'
import { continuedStatus } from '../proxy-status.ts'
import { locationBelow } from '../target-path.ts'

export function sentHeaders(
  svc: Svc<unknown>,
  request: FastifyRequest,
  {
    upstream,
    requested,
    mount,
    lines,
    received,
  }: {
    upstream: Upstream
    requested: string
    /** The path at which clients find the upstream. */
    mount: string
    lines: readonly HeaderLine[]
    /** The status that the upstream has just sent; null for a recorded response. */
    received: number | null
  },
): Record<string, string | string[]> {
  const headers = headerRecord(responseHeaders(lines))
  const { location } = headers
  if (typeof location === 'string') {
    const below = locationBelow(upstream, requested, location)
    if (below !== null)
      headers.location = svc.http.path(request, `${mount}${below === '' && mount === '' ? '/' : below}`)
  }
  const status = continuedStatus(headers['proxy-status'], received)
  if (status !== undefined) headers['proxy-status'] = status
  const policy = sandboxPolicy(lastOf(headers['content-type']), lastOf(headers['content-security-policy']))
  if (policy !== null) headers['content-security-policy'] = policy
  return headers
}

function lastOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}
