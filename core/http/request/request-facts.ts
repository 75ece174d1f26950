/** Functions that determine client address, origin and session of a request; created once from the configuration. */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Config, Origin, SessionKey } from '../../contract/plugin.ts'
import { sessionInHeaders, sessionKey } from '../../sessions.ts'
import { createClientAddress } from './client-address.ts'
import { firstHeader } from './header.ts'
import { createOrigin, forwardedPrefix, type OriginFacts } from './origin.ts'
import type { ServerRequest } from './types.ts'

/** What names the session of a request. */
export interface SessionRequest {
  readonly request: ServerRequest
  readonly clientIp: string
  readonly pathSession: string | null
  readonly generation: { readonly sessionHeaders: readonly string[] }
}

export interface RequestFactsSource {
  /** Whether headers of proxies are trusted. */
  readonly trustsForward: boolean
  clientIp(headers: IncomingHttpHeaders, peerAddress: string): string
  origin(facts: OriginFacts): Origin
  /** The prefix of every path that svc generates; empty or `/...` without a trailing slash. */
  prefix(headers: IncomingHttpHeaders): string
  session(request: SessionRequest): SessionKey
}

export function createRequestFacts(config: Config): RequestFactsSource {
  return {
    trustsForward: config.trustForward,
    clientIp: createClientAddress({ trustForward: config.trustForward }),
    origin: createOrigin({ trustForward: config.trustForward, bindHost: config.host }),
    prefix: headers => forwardedPrefix(headers, config.trustForward) ?? config.basePath ?? '',
    session({ request, clientIp, pathSession, generation }) {
      if (pathSession !== null) return sessionKey(pathSession, clientIp, 'path')
      const named = sessionInHeaders({
        header: name => firstHeader(request, name),
        extraHeaders: generation.sessionHeaders,
        hasApiKeys: config.shared.enabled,
      })
      return named === null ? sessionKey(undefined, clientIp) : sessionKey(named.name, clientIp, named.from)
    },
  }
}

/** The request id: the one sent by the client, verbatim, else a new one. */
export function requestIdOf(request: ServerRequest): string {
  return sentRequestId(request) ?? newRequestId()
}

/** The request id that the client sent; null without one. */
export function sentRequestId(request: ServerRequest): string | null {
  return firstHeader(request, 'x-request-id')?.trim() || null
}

export function newRequestId(): string {
  return randomUUID()
}
