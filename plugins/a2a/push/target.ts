/** Decides where push notifications may be sent: to the built-in sinks and to hosts that the operator allows. */
import { type AnyRequest, type Origin, type SvcHttp } from 'svc/plugin'
import { hostList } from 'svc/toolkit'
import { invalidParams } from '../protocol/errors.ts'
import type { PushTarget } from '../protocol/push-config.ts'
import { isSinkId } from './sink.ts'

export interface PushPolicy {
  /** `host` or `host:port`, lower case, IPv6 in brackets. */
  allowlist: readonly string[]
  allowAll: boolean
}

/** The address at which clients reach this service; URLs of its own sinks are always allowed. */
export interface OwnAddress extends Pick<Origin, 'host' | 'port'> {
  /** Path prefix without a trailing slash; may be empty. */
  prefix: string
}

export function ownAddress(http: SvcHttp, request: AnyRequest): OwnAddress {
  return { ...http.origin(request), prefix: http.path(request, '') }
}

const SINK_PATH = /^\/a2a\/webhook-sink\/([^/?#]+)$/
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' }

/**
 * Decides once, when a config is created, because the environment does not change later. Hosts are compared as text
 * after WHATWG URL parsing, which normalizes the spellings of an address. Throws InvalidParams.
 */
export function decideTarget(url: string, own: OwnAddress, { allowlist, allowAll }: PushPolicy): PushTarget {
  if (url.startsWith('/')) {
    const sink = sinkOf(url, own)
    if (sink === null) throw invalidTarget('a path must be /a2a/webhook-sink/{id}')
    return { sink }
  }
  const target = URL.canParse(url) ? new URL(url) : null
  const defaultPort = DEFAULT_PORTS[target?.protocol ?? '']
  if (!target || defaultPort === undefined)
    throw invalidTarget('expected an http or https URL, or the path /a2a/webhook-sink/{id}')
  if (target.username !== '' || target.password !== '')
    throw invalidTarget('a URL must not contain a user name or password')
  const port = target.port || defaultPort
  const isOwnHost = target.hostname.replace(/^\[|\]$/g, '') === own.host && port === String(own.port)
  const sink = isOwnHost ? sinkOf(target.pathname + target.search, own) : null
  if (sink !== null) return { sink }
  if (!allowAll && !hostList(allowlist)(target)) throw invalidTarget(`host ${target.host} is not allowed`)
  return { url: target.href }
}

/** Accepts paths with and without the prefix. `.` and `..` are not valid ids, because paths resolve them. */
function sinkOf(path: string, { prefix }: OwnAddress): string | null {
  const id = SINK_PATH.exec(path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path)?.[1]
  return id !== undefined && isSinkId(id) && !/^\.{1,2}$/.test(id) ? id : null
}

function invalidTarget(why: string): Error {
  return invalidParams('url', `${why}; other hosts can be allowed with SVC_A2A_PUSH_ALLOWLIST`)
}
