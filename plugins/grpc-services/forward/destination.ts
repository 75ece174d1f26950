/** Decides where `ForwardEcho` may connect: to ports and hosts of this instance, and to what the operator allows. */
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { status } from '@grpc/grpc-js'
import type { ListenerStatus } from 'svc/plugin'
import { StatusError } from '../call.ts'
import { isClosed } from './own-paths.ts'
import type { NamedTarget, Scheme } from './plan.ts'

/** An address that was checked: nothing is resolved again. */
export interface Destination {
  address: string
  port: number
}

export interface DestinationRules {
  /** `host:port`, `*.domain:port`, `cidr:port`. */
  allow: readonly string[]
  /** Whether only this instance is reached. */
  ownOnly: boolean
  basePath: string
  listeners(): readonly ListenerStatus[]
  /** Hosts that plugins serve whole, as patterns. */
  servedHosts(): readonly string[]
  /** The first address of a name; rejects if it has none. */
  lookUp(host: string, family: 4 | 6 | null): Promise<string>
}

const OPTION = 'grpc_services.forward_allow'
const HTTP_SCHEMES: ReadonlySet<Scheme> = new Set(['http', 'https', 'ws', 'wss', 'grpc', 'grpcs'])
const SECURE: ReadonlySet<Scheme> = new Set(['https', 'wss', 'grpcs', 'tls'])

function denied(details: string): StatusError {
  return new StatusError(status.PERMISSION_DENIED, details)
}

/** Throws PERMISSION_DENIED for a target that may not be reached, UNKNOWN for a name without an address. */
export async function destinationOf(
  target: NamedTarget,
  family: 4 | 6 | null,
  rules: DestinationRules,
): Promise<Destination> {
  const { host, port, scheme } = target
  if (isServed(host, rules.servedHosts())) return servedDestination(target, rules)
  const entry = rules.ownOnly ? null : entryFor(host, port, rules.allow)
  const address = await resolve(host, family, { isAllowed: entry !== null, lookUp: rules.lookUp })
  if (isOwnAddress(address)) {
    const own = rules.listeners().filter(listener => listener.port === port)
    if (own.length > 0) {
      checkOwn(target, own, rules)
      return { address, port }
    }
  }
  if (rules.ownOnly) throw denied(`${host}:${port} is not a port of this instance`)
  if (entry !== null && isIP(host) === 0 && !isLocalName(host) && isPrivatePlace(address))
    throw denied(`${host} is ${address}, which an entry of ${OPTION} has to name itself`)
  if (entry === null && !rules.allow.some(text => isInRange(text, address, port)))
    throw denied(`${scheme}://${host}:${port} is neither of this instance nor in ${OPTION}`)
  return { address, port }
}

/** A host of this instance, at its own listener. */
function servedDestination(target: NamedTarget, rules: DestinationRules): Destination {
  const kind = SECURE.has(target.scheme) ? 'https' : 'http'
  const listener = rules
    .listeners()
    .find(({ kind: own, plugin, port }) => own === kind && plugin === null && port !== null)
  if (listener === undefined || !HTTP_SCHEMES.has(target.scheme))
    throw denied(`${target.host} is not served over ${target.scheme}`)
  checkOwn(target, [listener], rules)
  return { address: reachable(listener.address), port: listener.port! }
}

/** Where a listener is reached from this machine: one on all addresses, at the loopback address. */
function reachable(address: string): string {
  return address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address
}

/** Paths that a caller may not request itself are closed, and of what is not HTTP only layer 4 listeners are open. */
function checkOwn(
  { scheme, path, port }: NamedTarget,
  own: readonly ListenerStatus[],
  { basePath }: DestinationRules,
): void {
  const isLayer4 = own.every(({ kind }) => (scheme === 'udp' ? kind === 'udp' : kind === 'tcp' || kind === 'tls'))
  if (!HTTP_SCHEMES.has(scheme)) {
    if (!isLayer4) throw denied(`port ${port} is not one of a layer 4 listener of this instance`)
  } else if (isClosed(path, basePath)) {
    throw denied(`the path ${JSON.stringify(path.slice(0, 100))} of this instance can't be requested`)
  }
}

/** The first address. Only allowed names and those of this machine are looked up. */
async function resolve(
  host: string,
  family: 4 | 6 | null,
  { isAllowed, lookUp }: { isAllowed: boolean; lookUp: DestinationRules['lookUp'] },
): Promise<string> {
  if (isIP(host) !== 0) return host
  if (!isAllowed && !isLocalName(host)) throw denied(`${host} is neither of this instance nor in ${OPTION}`)
  try {
    return await lookUp(host, family)
  } catch {
    throw new StatusError(status.UNKNOWN, `the name ${host} can't be resolved`)
  }
}

/** A name of this machine (RFC 6761, 6.3). */
function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

function isServed(host: string, patterns: readonly string[]): boolean {
  return patterns.some(
    pattern => pattern !== '*' && (pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)))),
  )
}

/** The entry that names the host and the port; null if none does. */
function entryFor(host: string, port: number, allow: readonly string[]): string | null {
  const entry = allow.find(text => {
    const { place, port: own } = partsOf(text)
    if (own !== port || place.includes('/')) return false
    return place.startsWith('*.') ? host.endsWith(place.slice(1)) && host.length > place.length - 1 : place === host
  })
  return entry ?? null
}

/** Whether an entry is a range of addresses, or an address, that has this one. */
function isInRange(text: string, address: string, port: number): boolean {
  const { place, port: own } = partsOf(text)
  const [base = '', bits] = place.split('/')
  if (own !== port || isIP(base) === 0 || isIP(base) !== isIP(address)) return false
  const kind = isIP(base) === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(base, bits === undefined ? (kind === 'ipv4' ? 32 : 128) : Number(bits), kind)
  return list.check(address, kind)
}

/** An entry in its parts, without brackets. */
export function partsOf(text: string): { place: string; port: number } {
  const separator = text.lastIndexOf(':')
  return {
    place: text.slice(0, separator).replaceAll(/[[\]]/g, '').toLowerCase(),
    port: Number(text.slice(separator + 1)),
  }
}

/** Loopback addresses, and those of the machine's interfaces. */
function isOwnAddress(address: string): boolean {
  if (isLoopback(address)) return true
  const plain = withoutMapping(address)
  return Object.values(networkInterfaces()).some(list =>
    list?.some(({ address: own }) => own === plain || own === address),
  )
}

const PRIVATE = new BlockList()
PRIVATE.addSubnet('127.0.0.0', 8, 'ipv4')
PRIVATE.addSubnet('0.0.0.0', 8, 'ipv4')
PRIVATE.addSubnet('169.254.0.0', 16, 'ipv4')
PRIVATE.addAddress('::1', 'ipv6')
PRIVATE.addAddress('::', 'ipv6')
PRIVATE.addSubnet('fe80::', 10, 'ipv6')

/** Addresses that a name on the network has no reason to have: those of the machine itself, and of links. */
function isPrivatePlace(address: string): boolean {
  const plain = withoutMapping(address)
  return PRIVATE.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

function isLoopback(address: string): boolean {
  const plain = withoutMapping(address)
  return plain === '::1' || plain === '::' || /^(?:127|0)\./.test(plain)
}

/** An IPv4 address that is written as IPv6. */
function withoutMapping(address: string): string {
  const found = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (found !== null) return found[1]!
  const hex = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(address)
  if (hex === null) return address
  const [high, low] = [Number.parseInt(hex[1]!, 16), Number.parseInt(hex[2]!, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
