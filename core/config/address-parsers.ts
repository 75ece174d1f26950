/** Parsers for hosts, header names, folders and origins. */
import { isIP } from 'node:net'
import { delimiter } from 'node:path'
import type { ProxyModes } from './config.ts'
import { parsePathPrefix } from '../fields/path-prefix.ts'
import { isToken } from '../fields/token.ts'
import { parser, splitList, usableEntries, type Parser } from '../contract/parsers.ts'

/** An IP address to bind to; IPv6 with or without brackets. `localhost` becomes 127.0.0.1. */
export const bindAddress = parser('IPv4 or IPv6 address, or localhost', value => {
  if (/^localhost$/i.test(value)) return '127.0.0.1'
  const address = /^\[(.*)\]$/.exec(value)?.[1]
  if (address !== undefined) return isIP(address) === 6 ? address : undefined
  return isIP(value) === 0 ? undefined : value
})

const PROXY_MODES = ['off', 'optional', 'strict'] as const
type ProxyMode = (typeof PROXY_MODES)[number]

/** A mode of the PROXY protocol for all listeners, or a list of `<listener>=<mode>`; the others are off. */
export const proxyProtocol = parser<ProxyModes>(
  'off, optional, strict, or a list such as http=strict,https=optional',
  value => {
    const modeOf = (text: string): ProxyMode | undefined => PROXY_MODES.find(mode => mode === text.toLowerCase())
    const all = modeOf(value)
    if (all !== undefined) return { http: all, https: all, grpc: all }
    const modes: ProxyModes = { http: 'off', https: 'off', grpc: 'off' }
    const entries = splitList(value)
    for (const entry of entries) {
      const [name = '', text = '', ...more] = entry.split('=').map(part => part.trim().toLowerCase())
      const mode = modeOf(text)
      if (!Object.hasOwn(modes, name) || mode === undefined || more.length > 0) return undefined
      modes[name as keyof typeof modes] = mode
    }
    return entries.length === 0 ? undefined : modes
  },
)

/** IP addresses, and blocks of them with the length of their prefix. */
export const addressBlocks: Parser<string[] | null> = {
  expected: 'comma-separated IP addresses and CIDR blocks',
  parse: value => usableEntries(splitList(value), isAddressBlock, 'is not an address or a CIDR block and is ignored'),
}

function isAddressBlock(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32))
}

/** A path prefix without its trailing slash; `/` means no prefix. */
export const basePath: Parser<string | null> = {
  expected: 'path such as /svc, at most 256 characters',
  parse(value) {
    const prefix = parsePathPrefix(value)
    return prefix === null ? undefined : { value: prefix === '' ? null : prefix }
  },
}

/** A field name (RFC 9110, 5.1), in the case given. */
export const headerName = parser<string | null>('HTTP header name', value => (isToken(value) ? value : undefined))

export const instanceName = parser('1 to 128 printable ASCII characters', value =>
  /^[ -~]{1,128}$/.test(value) ? value : undefined,
)

/** Folders, separated as in `PATH`. */
export const folders = parser('folders, separated as in PATH', value =>
  value
    .split(delimiter)
    .map(folder => folder.trim())
    .filter(folder => folder !== ''),
)

export const stateStoreUrl = parser<string | null>('redis://, rediss:// or unix:// URL, or local', value =>
  value === 'local' || (/^(?:rediss?:\/\/[^\s/]|unix:\/\/\/)/i.test(value) && URL.canParse(value)) ? value : undefined,
)

export const redisUrl = parser<string | null>('redis:// or rediss:// URL', value =>
  /^rediss?:\/\/[^\s/]/i.test(value) && URL.canParse(value) ? value : undefined,
)

/**
 * Allowed CORS origins: `['*']` if `*` is in the list, `[]` for `off` or an empty value. Origins are later compared
 * exactly, so anything that is not a serialized origin (RFC 6454, 6.2) is dropped with a warning.
 */
export const corsOrigins: Parser<string[]> = {
  expected: 'comma-separated origins, *, or off',
  parse(value) {
    if (/^(?:off)?$/i.test(value)) return { value: [] }
    const entries = splitList(value)
    if (entries.includes('*')) return { value: ['*'] }
    const origins = entries.map(entry => (entry.endsWith('/') ? entry.slice(0, -1) : entry))
    return usableEntries(origins, isOrigin, 'is not a valid origin and is ignored')
  },
}

/** Host names without port, scheme or path; compared case-insensitively. */
export const hostNames: Parser<string[]> = {
  expected: 'comma-separated host names',
  parse: value =>
    usableEntries(
      splitList(value).map(entry => entry.toLowerCase()),
      entry => /^[a-z0-9._-]{1,253}$/.test(entry),
      'is not a valid host name and is ignored',
    ),
}

function isOrigin(entry: string): boolean {
  return entry === 'null' || (/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/i.test(entry) && URL.canParse(entry))
}
