/** The origin that the client sees: scheme, host and port, and the path prefix removed by a gateway. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Origin } from '../../contract/plugin.ts'
import { parseAuthority, type Authority, isPort } from '../../fields/authority.ts'
import { parseForwarded, type ForwardedElement } from '../../fields/forwarded.ts'
import { firstEntry, headerText } from './header.ts'
import { parsePathPrefix } from '../../fields/path-prefix.ts'

type Scheme = Origin['scheme']

const DEFAULT_PORT = { http: 80, https: 443 } as const
const SCHEMES = new Map<string, Scheme>([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])

export interface OriginFacts {
  headers: IncomingHttpHeaders
  /** Of a target in absolute form, which counts instead of `Host`; null for other forms. */
  authority?: string | null
  /** Scheme and port of the listener that received the request. */
  scheme: Scheme
  port: number
}

/**
 * Creates a function that returns the origin of a request: the scheme of the listener with `Host` (HTTP/2:
 * `:authority`), overridden with `trustForward` by `X-Forwarded-Proto`, `-Host`, `-Port` and the first `Forwarded`
 * element. Invalid values are skipped. Results are frozen.
 */
export function createOrigin({
  trustForward,
  bindHost,
}: {
  trustForward: boolean
  bindHost: string
}): (facts: OriginFacts) => Origin {
  const ownHost = bindHost === '0.0.0.0' || bindHost === '::' ? 'localhost' : bindHost.toLowerCase()
  const directOrigin = cacheLast((hostText, scheme, port) => {
    const named = parseAuthority(hostText)
    return named === null
      ? buildOrigin(scheme, ownHost, port)
      : buildOrigin(scheme, named.host, named.port ?? DEFAULT_PORT[scheme])
  })
  if (!trustForward) return facts => directOrigin(hostOf(facts), facts.scheme, facts.port)

  return facts => {
    const { headers, scheme, port } = facts
    const forwarded = readForwarded(headers)
    if (forwarded === null) return directOrigin(hostOf(facts), scheme, port)
    const finalScheme = forwarded.scheme ?? scheme
    const named = forwarded.authority ?? parseAuthority(hostOf(facts))
    // A gateway that terminates TLS may send only the scheme; the port in `Host` is then that of the internal hop.
    const isPortStale = forwarded.authority === null && finalScheme !== scheme
    const namedPort = named === null ? port : isPortStale ? null : named.port
    return buildOrigin(finalScheme, named?.host ?? ownHost, forwarded.port ?? namedPort ?? DEFAULT_PORT[finalScheme])
  }
}

/** Most requests of a connection have the same host, so the last result is cached. */
function cacheLast(compute: (hostText: string, scheme: Scheme, port: number) => Origin): typeof compute {
  let lastHost: string | undefined
  let lastScheme: Scheme | undefined
  let lastPort: number | undefined
  let last: Origin | undefined
  return (hostText, scheme, port) => {
    if (last !== undefined && hostText === lastHost && scheme === lastScheme && port === lastPort) return last
    last = compute(hostText, scheme, port)
    lastHost = hostText
    lastScheme = scheme
    lastPort = port
    return last
  }
}

function hostOf({ headers, authority }: OriginFacts): string {
  return authority ?? headerText(headers, ':authority') ?? headers.host ?? ''
}

interface ForwardedOrigin {
  scheme: Scheme | null
  authority: Authority | null
  port: number | null
}

/** The values reported by proxies; null if none is valid. */
function readForwarded(headers: IncomingHttpHeaders): ForwardedOrigin | null {
  const forwarded = headerText(headers, 'forwarded')
  const hop: ForwardedElement = forwarded === undefined ? {} : parseForwarded(forwarded, 1)[0]!
  const scheme = parseScheme(firstEntry(headerText(headers, 'x-forwarded-proto'))) ?? parseScheme(hop.proto)
  const authority = parseHost(firstEntry(headerText(headers, 'x-forwarded-host'))) ?? parseHost(hop.host)
  const portText = firstEntry(headerText(headers, 'x-forwarded-port'))
  const port = portText !== undefined && isPort(portText) ? Number(portText) : null
  return scheme === null && authority === null && port === null ? null : { scheme, authority, port }
}

function parseScheme(text: string | undefined): Scheme | null {
  return text === undefined || text.length > 5 ? null : (SCHEMES.get(text.toLowerCase()) ?? null)
}

function parseHost(text: string | undefined): Authority | null {
  return text === undefined ? null : parseAuthority(text)
}

function buildOrigin(scheme: Scheme, host: string, port: number): Origin {
  const name = host.includes(':') ? `[${host}]` : host
  const serialized = port === DEFAULT_PORT[scheme] ? `${scheme}://${name}` : `${scheme}://${name}:${port}`
  return Object.freeze({ scheme, host, port, serialized })
}

/**
 * The path prefix removed by a trusted gateway: the first entry of `X-Forwarded-Prefix`. Null if it is absent or
 * invalid.
 */
export function forwardedPrefix(headers: IncomingHttpHeaders, trust: boolean): string | null {
  const text = trust ? firstEntry(headerText(headers, 'x-forwarded-prefix')) : undefined
  return text === undefined ? null : parsePathPrefix(text)
}
