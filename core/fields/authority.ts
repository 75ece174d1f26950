/**
 * Parses host and port of a `Host` header (RFC 3986, 3.2.2 and 3.2.3), in the forms that the service uses and echoes.
 */
import { isIPv6 } from 'node:net'

export interface Authority {
  /** Lower case, IPv6 without brackets. */
  host: string
  /** Null if absent. */
  port: number | null
}

/** `[` + 255 characters + `]:65535`. */
const MAX_LENGTH = 263

/**
 * Accepts a name or IPv4 address of up to 255 of `A-Za-z0-9.-_`, or an IPv6 address in brackets, each with an optional
 * port; else null.
 */
export function parseAuthority(text: string): Authority | null {
  if (text.length > MAX_LENGTH) return null
  const isBracketed = text.charCodeAt(0) === 0x5b
  const hostEnd = isBracketed ? text.indexOf(']') + 1 : text.indexOf(':')
  const hostText = hostEnd === -1 ? text : text.slice(0, hostEnd)
  const host = (isBracketed ? hostText.slice(1, -1) : hostText).toLowerCase()
  if (isBracketed ? !isIPv6(host) || host.includes('%') : !/^[a-z0-9._-]{1,255}$/.test(host)) return null
  const rest = hostEnd === -1 ? '' : text.slice(hostEnd)
  if (rest === '' || rest === ':') return { host, port: null }
  const port = rest.slice(1)
  return rest.startsWith(':') && isPort(port) ? { host, port: Number(port) } : null
}

/** Whether a text is a port number from 1 to 65535, in decimal digits. */
export function isPort(text: string): boolean {
  return text.length <= 5 && /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
}

/** An address at which a bind address of this machine is reached, as it is in a URL. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
