/** Requests that imported rules send after their response. */
import type { JsonObject } from 'svc/plugin'
import type { ItemPath } from '../types.ts'
import type { Stub } from './stub.ts'

/** Of one step. */
export const MAX_NOTIFY = 5
/** Before a request, in milliseconds. */
export const MAX_NOTIFY_DELAY_MS = 60_000
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const MAX_URL = 2000

/** The request, or null after a finding if rules cannot send it. */
export function checkedRequest<T extends JsonObject & { method: string; url: string }>(
  request: T,
  path: ItemPath,
  stub: Stub,
): T | null {
  const { method, url } = request
  if (METHODS.includes(method) && url.length <= MAX_URL) return request
  stub.lost(path, `expected one of ${METHODS.join(', ')}, and a URL of at most ${MAX_URL} characters`)
  return null
}

/** The host of a URL as `notify.allow` takes it; null if it is not known, or not one. */
export function notifyHost(url: string): string | null {
  const host = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1]?.toLowerCase() ?? ''
  return /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.test(host) ? host : null
}
