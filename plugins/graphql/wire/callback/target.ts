/** Where the events of a callback subscription go, as the client says in `extensions.subscription`. */
import { isIP } from 'node:net'
import { isRecord, httpUrl } from 'svc/toolkit'
import { badRequest, callbackNotAllowed } from '../../errors.ts'

export interface CallbackTarget {
  url: URL
  id: string
  verifier: string
  /** 0: no checks while it runs. */
  heartbeatMs: number
}

/** Which URLs may be called. */
export interface AllowedTargets {
  /** Addresses of the client, of which all must be the one of the URL: the peer, and what proxies say. */
  clients: readonly string[]
  /** Hosts that the operator allows. */
  allows(url: URL): boolean
}

const MAX_TEXT = 1000
const MAX_URL = 2000
const MIN_HEARTBEAT_MS = 100
const MAX_HEARTBEAT_MS = 3_600_000

/** Reads `extensions.subscription`. Throws a GraphQLError for wrong members, and for a URL that may not be called. */
export function readCallbackTarget(value: unknown, allowed: AllowedTargets): CallbackTarget {
  if (!isRecord(value)) throw badRequest('a callback needs extensions.subscription')
  const { callbackUrl, subscriptionId, verifier, heartbeatIntervalMs = 0 } = value
  if (typeof callbackUrl !== 'string' || callbackUrl.length > MAX_URL)
    throw badRequest(`extensions.subscription.callbackUrl must be a URL of at most ${MAX_URL} characters`)
  const heartbeat = Number(heartbeatIntervalMs)
  const isInterval = heartbeat === 0 || (heartbeat >= MIN_HEARTBEAT_MS && heartbeat <= MAX_HEARTBEAT_MS)
  if (!Number.isInteger(heartbeatIntervalMs) || !isInterval)
    throw badRequest(
      `extensions.subscription.heartbeatIntervalMs must be 0, or an integer from ${MIN_HEARTBEAT_MS} to ${MAX_HEARTBEAT_MS}`,
    )
  return {
    url: allowedUrl(callbackUrl, allowed),
    id: textOf(subscriptionId, 'subscriptionId'),
    verifier: textOf(verifier, 'verifier'),
    heartbeatMs: heartbeat,
  }
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT) return value
  throw badRequest(`extensions.subscription.${name} must be a text of 1 to ${MAX_TEXT} characters`)
}

/** Names are not looked up for the comparison, because a name can lead elsewhere when it is looked up again. */
function allowedUrl(text: string, { clients, allows }: AllowedTargets): URL {
  const url = httpUrl(text)
  if (url === null) throw badRequest('extensions.subscription.callbackUrl must be an HTTP URL without a user name')
  if (allows(url)) return url
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const [client = ''] = clients.map(plainAddress)
  if (clients.length === 0 || !clients.every(address => plainAddress(address) === client)) throw callbackNotAllowed()
  if (host === 'localhost' && (client === '127.0.0.1' || client === '::1')) {
    const own = new URL(url)
    own.hostname = client === '::1' ? '[::1]' : client
    return own
  }
  if (isIP(host) !== 0 && plainAddress(host) === client) return url
  throw callbackNotAllowed()
}

/** IPv4 addresses in the form of IPv6 (RFC 4291, 2.5.5.2) as IPv4. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
}
