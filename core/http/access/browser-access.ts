/**
 * Decides which web pages may use the control plane while it requires no credential. A page that the user visits can
 * send requests to this machine; without these checks it could read captured requests and change the instance.
 */
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { Config } from '../../config/config.ts'
import { parseAuthority } from '../../fields/authority.ts'
import { isBelow } from '../../fields/request-target.ts'
import { headerText } from '../request/header.ts'
import type { RequestContext } from '../request/context.ts'
import { createCors, type Cors } from '../response/cors.ts'

export interface BrowserRefusal {
  /** 403 for another origin (Fetch standard, 3.2), 421 for another host (RFC 9110, 15.5.20). */
  status: 403 | 421
  body: { error: string; origin?: string | null; host?: string; hint: string }
}

export interface BrowserAccess {
  /**
   * Whether `check` applies to all requests with this path: those of the control plane while it requires no credential.
   */
  guards(path: string | null): boolean
  /** Origins that may read control-plane responses: those that the user listed, never the default `*`. */
  readonly cors: Cors
  /** Why this request may not read or change the instance; null if it may, or if the control plane requires a credential. */
  check(context: RequestContext): BrowserRefusal | null
  /** The same, whether or not the control plane requires a credential. */
  checkPage(context: RequestContext): BrowserRefusal | null
}

export function createBrowserAccess(config: Config): BrowserAccess {
  const isOpen = config.controlAuth === 'open'
  const origins = config.corsOrigins.includes('*') && !config.isCorsAnyByUser ? [] : config.corsOrigins
  const hosts = new Set((config.hosts.length > 0 ? config.hosts : [hostname()]).map(name => name.toLowerCase()))

  function isOwnHost(host: string): boolean {
    const name = host.endsWith('.') ? host.slice(0, -1) : host
    return isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || hosts.has(name)
  }

  /** A name that an attacker's DNS server resolves to this machine is used from this machine (DNS rebinding). */
  function rejectHost({ request, peerAddress }: RequestContext): BrowserRefusal | null {
    const text = headerText(request.headers, ':authority') ?? headerText(request.headers, 'host')
    if (text === undefined || text === '' || !isLoopback(peerAddress)) return null
    const named = parseAuthority(text)
    if (named !== null && isOwnHost(named.host)) return null
    return {
      status: 421,
      body: {
        error: 'misdirected request',
        host: text,
        hint: 'use an IP address, localhost or a name listed in SVC_HOSTS',
      },
    }
  }

  function rejectOrigin(context: RequestContext): BrowserRefusal | null {
    const { headers } = context.request
    const origin = headerText(headers, 'origin')
    const site = headerText(headers, 'sec-fetch-site')
    if (site === 'same-origin' || site === 'none' || (origin === undefined && site !== 'cross-site')) return null
    if (
      origins.includes('*') ||
      (origin !== undefined && (origins.includes(origin) || (site === undefined && isOwnOrigin(context, origin))))
    )
      return null
    return {
      status: 403,
      body: {
        error: 'cross-origin request refused',
        origin: origin ?? null,
        hint: 'add the origin to SVC_CORS_ORIGINS, or its host to SVC_HOSTS if a gateway serves this instance under that name',
      },
    }
  }

  /** Browsers send `same-origin` themselves on HTTPS and localhost; elsewhere the origins are compared. */
  function isOwnOrigin(context: RequestContext, origin: string): boolean {
    if (origin.toLowerCase() === context.origin.serialized) return true
    return URL.canParse(origin) && hosts.has(new URL(origin).hostname)
  }

  const checkPage = (context: RequestContext): BrowserRefusal | null => rejectHost(context) ?? rejectOrigin(context)

  return {
    cors: createCors({ origins, isOn: config.corsOrigins.length > 0 }),
    guards: path => isOpen && path !== null && isBelow(path, '/_svc'),
    check: context => (isOpen ? checkPage(context) : null),
    checkPage,
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address)
}
