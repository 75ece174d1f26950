/** Keeps the session prefix of a request in the `Location` of its response. */
import type { OutgoingHttpHeader } from 'node:http'
import type { RequestContext } from '../request/context.ts'
import type { ResponseInUse } from '../request/types.ts'
import { eachHeader, type Headers } from './header-list.ts'

/**
 * Adds the prefix to a `Location` of this service, in the given headers and in those set on the response. Returns the
 * headers to send.
 */
export function keepSessionInLocation(
  context: RequestContext,
  response: ResponseInUse,
  headers: Headers | undefined,
): Headers | undefined {
  const current = response.getHeader('location')
  if (typeof current === 'string') response.setHeader('Location', locationOf(context, current))
  if (headers === undefined) return headers
  if (!Array.isArray(headers)) {
    const name = Object.keys(headers).find(isLocation)
    const value = name === undefined ? undefined : headers[name]
    return typeof value === 'string' ? { ...headers, [name!]: locationOf(context, value) } : headers
  }
  const list: OutgoingHttpHeader[] = []
  eachHeader(headers, (name, value = '') =>
    list.push(name, isLocation(name) && typeof value === 'string' ? locationOf(context, value) : value),
  )
  return list
}

function isLocation(name: string): boolean {
  return name.length === 8 && name.toLowerCase() === 'location'
}

function locationOf(context: RequestContext, location: string): string {
  const origin = context.origin.serialized
  const isAbsolute = location.startsWith(`${origin}/`) || location === origin
  const path = isAbsolute ? location.slice(origin.length) || '/' : location
  if (!path.startsWith('/') || path.startsWith('//')) return location
  const { basePrefix, prefix } = context
  if (isBelow(path, prefix)) return location
  const rest = basePrefix !== '' && isBelow(path, basePrefix) ? path.slice(basePrefix.length) : path
  return `${isAbsolute ? origin : ''}${prefix}${rest}`
}

/** Whether a path, which may have a query, is the prefix or below it. */
function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && /^(?:[/?#]|$)/.test(path.slice(prefix.length, prefix.length + 1))
}
