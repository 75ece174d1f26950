/** Parsers of addresses: hosts, header names, origins, URLs. */
import { isIP } from 'node:net'
import { delimiter } from 'node:path'
import { parsePathPrefix } from '../fields/path-prefix.ts'
import { isToken } from '../fields/token.ts'
import { parser, quote, splitList, type Parser } from './parsers.ts'

/** IP address to bind to, IPv6 with or without brackets; `localhost` is 127.0.0.1. */
export const bindAddress = parser('IPv4 or IPv6 address, or localhost', (value) => {
  if (/^localhost$/i.test(value)) return '127.0.0.1'
  const address = /^\[(.*)\]$/.exec(value)?.[1]
  if (address !== undefined) return isIP(address) === 6 ? address : undefined
  return isIP(value) === 0 ? undefined : value
})

/** A path prefix without its trailing slash; `/` is none. */
export const basePath: Parser<string | null> = {
  expected: 'path such as /svc, at most 256 characters',
  parse(value) {
    const prefix = parsePathPrefix(value)
    return prefix === null ? undefined : { value: prefix === '' ? null : prefix }
  },
}

/** A field name (RFC 9110, 5.1), in the case given. */
export const headerName = parser<string | null>('HTTP header name', (value) => (isToken(value) ? value : undefined))

export const instanceName = parser('1 to 128 printable ASCII characters', (value) => (/^[ -~]{1,128}$/.test(value) ? value : undefined))

/** Folders, separated as in `PATH`. */
export const folders = parser('folders, separated as in PATH', (value) =>
  value.split(delimiter).map((folder) => folder.trim()).filter((folder) => folder !== ''))

/** Control characters removed, the first 80 characters, trimmed; nothing left is null. */
export const consoleTitle = parser<string | null>('text, first 80 characters', (value) => {
  const characters = Array.from(value.replace(/\p{Cc}/gu, ''))
  return characters.slice(0, 80).join('').trim() || null
})

/** A link that can stand in a page as it is: http(s), without user info, blanks, quotes, angle brackets, backslashes. */
export const pageLink = parser<string | null>('http:// or https:// URL, at most 2048 characters', (value) => {
  if (value.length > 2048 || /[\s"'<>`\\\p{Cc}]/u.test(value)) return undefined
  return isHttpUrl(value) ? value : undefined
})

/** http(s) URL without its trailing slashes. */
export const resourceUrl = parser<string | null>('http:// or https:// URL', (value) =>
  !/\s/.test(value) && isHttpUrl(value) ? withoutTrailingSlash(value) : undefined)

export const redisUrl = parser<string | null>('redis:// or rediss:// URL', (value) => (/^rediss?:\/\/[^\s/]/i.test(value) && URL.canParse(value) ? value : undefined))

/**
 * Allowed CORS origins: `['*']` when `*` is among them, `[]` for nothing or `off`. Compared exactly later, so what is
 * no serialised origin (RFC 6454, 6.2) is left out with a note.
 */
export const corsOrigins: Parser<string[]> = {
  expected: 'comma-separated origins, *, or off',
  parse(value) {
    if (/^(?:off)?$/i.test(value)) return { value: [] }
    const entries = splitList(value)
    if (entries.includes('*')) return { value: ['*'] }
    const origins = entries.map((entry) => (entry.endsWith('/') ? entry.slice(0, -1) : entry))
    return keep(origins, isOrigin, 'is no origin and matches nothing')
  },
}

/** Origins that are compared without case and without a trailing slash. */
export const looseOrigins = parser('comma-separated origins, or *', (value) => {
  const origins = splitList(value).map((origin) => (origin.endsWith('/') ? origin.slice(0, -1) : origin).toLowerCase())
  if (origins.includes('*')) return ['*']
  return origins.length === 0 ? undefined : origins
})

/** Push targets: `host` (any port) or `host:port`, without wildcards, scheme or path. */
export const pushTargets: Parser<string[]> = {
  expected: 'comma-separated hosts, each with or without :port',
  parse: (value) => keep(splitList(value).map((entry) => entry.toLowerCase()), isHostWithPort, 'is no host or host:port and matches nothing'),
}

/** Host names without port, scheme or path; compared without case. */
export const hostNames: Parser<string[]> = {
  expected: 'comma-separated host names',
  parse: (value) => keep(splitList(value).map((entry) => entry.toLowerCase()), (entry) => /^[a-z0-9._-]{1,253}$/.test(entry), 'is not a host name and matches nothing'),
}

function keep(entries: string[], isUsable: (entry: string) => boolean, reason: string): { value: string[]; notes: string[] } {
  const notes = entries.filter((entry) => !isUsable(entry)).slice(0, 20).map((entry) => `entry ${quote(entry)} ${reason}`)
  return { value: entries.filter(isUsable), notes }
}

function isOrigin(entry: string): boolean {
  return entry === 'null' || (/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/i.test(entry) && URL.canParse(entry))
}

function isHostWithPort(entry: string): boolean {
  const match = /^(?:\[([0-9a-f:.]+)\]|[^\s/?#@\\:*[\]]+)(?::([0-9]{1,5}))?$/.exec(entry)
  if (match === null || (match[1] !== undefined && isIP(match[1]) !== 6)) return false
  return match[2] === undefined || (Number(match[2]) >= 1 && Number(match[2]) <= 65535)
}

function isHttpUrl(value: string): boolean {
  if (!/^https?:\/\/[^/?#]/i.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  return url.username === '' && url.password === '' && !/^https?:\/\/[^/?#]*@/i.test(value)
}

function withoutTrailingSlash(value: string): string {
  let end = value.length
  while (value[end - 1] === '/') end--
  return value.slice(0, end)
}
