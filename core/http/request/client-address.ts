/** The client address: the TCP peer, or the address reported by trusted proxies. */
import ipaddr from 'ipaddr.js'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { copyText } from '../../collections/text-memory.ts'
import { parseForwarded } from '../../fields/forwarded.ts'
import { headerText } from './header.ts'
import { isPort } from '../../fields/authority.ts'
import { splitList, unquote } from '../../fields/list-syntax.ts'

const MAX_FORWARDED_ELEMENTS = 32
const MAX_FORWARDED_FOR_ENTRIES = 64
/** `"[` + 45 characters of IPv6 + `]:65535"`, rounded up. */
const MAX_ADDRESS_LENGTH = 64
const MAPPED_PREFIX = '::ffff:'
/** 0.0.0.0, 10/8, 127/8, 169.254/16, 192.168/16, 172.16/12 and 100.64/10, matched on the printed form. */
const INTERNAL_IPV4 =
  /^(?:0\.0\.0\.0$|10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/
const INTERNAL_IPV6_RANGES = new Set<string>(['unspecified', 'loopback', 'linkLocal', 'uniqueLocal'])

/**
 * Creates a function that returns the client IP of a request. With `trustForward` the first of these that contains an
 * address is used: `Fly-Client-IP`, `Forwarded` (RFC 7239), `X-Forwarded-For`, `X-Real-IP`, the peer. Values that are
 * not addresses are skipped. IPv4-mapped addresses are converted to IPv4.
 */
export function createClientAddress({
  trustForward,
}: {
  trustForward: boolean
}): (headers: IncomingHttpHeaders, peerAddress: string) => string {
  if (!trustForward) return (_headers, peerAddress) => printPeer(peerAddress)
  return (headers, peerAddress) =>
    parseAddress(headerText(headers, 'fly-client-ip') ?? '') ??
    fromForwarded(headerText(headers, 'forwarded')) ??
    fromForwardedFor(headerText(headers, 'x-forwarded-for')) ??
    parseAddress(headerText(headers, 'x-real-ip') ?? '') ??
    printPeer(peerAddress)
}

function fromForwarded(value: string | undefined): string | null {
  if (value === undefined) return null
  return pick(parseForwarded(value, MAX_FORWARDED_ELEMENTS).map(element => element.for ?? ''))
}

function fromForwardedFor(value: string | undefined): string | null {
  return value === undefined ? null : pick(splitList(value, ',', MAX_FORWARDED_FOR_ENTRIES))
}

/** The rightmost address that is not internal; if all are internal, the leftmost. */
function pick(entries: string[]): string | null {
  let picked: string | null = null
  for (let i = entries.length - 1; i >= 0; i--) {
    const address = parseAddress(entries[i]!)
    if (address === null) continue
    picked = address
    if (!isInternal(address)) break
  }
  // It is a slice of a list of up to 64 KiB, and kept wherever requests are stored.
  return picked === null ? null : copyText(picked)
}

/**
 * Parses an address as written by proxies: IPv4 or IPv6, the latter with or without brackets, with an optional port,
 * optionally quoted. Returns its canonical form, or null: names, `unknown`, `_hidden` and zone ids are not addresses.
 */
export function parseAddress(text: string): string | null {
  if (text.length === 0 || text.length > MAX_ADDRESS_LENGTH) return null
  const node = unquote(text.trim()).trim()
  if (node.startsWith('[')) return parseBracketed(node)
  const colon = node.indexOf(':')
  if (colon !== -1 && colon === node.lastIndexOf(':')) {
    const host = node.slice(0, colon)
    return isIPv4(host) && isPort(node.slice(colon + 1)) ? host : null
  }
  return printAddress(node)
}

function parseBracketed(node: string): string | null {
  const end = node.indexOf(']')
  const host = node.slice(1, Math.max(end, 1))
  const rest = node.slice(end + 1)
  if (!isIPv6(host) || (rest !== '' && !(rest.startsWith(':') && isPort(rest.slice(1))))) return null
  return printAddress(host)
}

/** The short form (RFC 5952). The syntax is checked with Node, because ipaddr.js also accepts `1.2.3` and `0x7f.1`. */
function printAddress(host: string): string | null {
  if (isIPv4(host)) return host
  if (isIP(host) !== 6 || host.includes('%')) return null
  return ipaddr.process(host).toString()
}

/** Loopback, private, link-local, shared (RFC 6598), unique local and unspecified addresses, in canonical form. */
export function isInternal(address: string): boolean {
  return address.includes(':') ? INTERNAL_IPV6_RANGES.has(ipaddr.parse(address).range()) : INTERNAL_IPV4.test(address)
}

function printPeer(address: string): string {
  return address.startsWith(MAPPED_PREFIX) && address.includes('.') ? address.slice(MAPPED_PREFIX.length) : address
}
