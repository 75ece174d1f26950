/** What plugins know of requests and how they answer: `svc.http`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { NegotiatedType } from '../fields/accept.ts'
import type { RouteDescription } from './routes.ts'

/** Either side of a request: Fastify's or Node's own. */
export type AnyRequest = FastifyRequest | IncomingMessage | Http2ServerRequest

export interface SvcHttp {
  requestId(request: AnyRequest): string
  /** The body as received, empty when there is none. Also `request.body` where nothing parses it. */
  body(request: FastifyRequest): Buffer
  /** Session key for state, limits and views: `X-Svc-Session`, else `ip:<client ip>` (core sheet 9). */
  session(request: AnyRequest): SessionKey
  clientIp(request: AnyRequest): string
  /** Scheme, host and port as the client named them (core sheet 6). */
  origin(request: AnyRequest): Origin
  /**
   * What precedes the path in every URL of the service: `scheme://host[:port]`, then the trusted `X-Forwarded-Prefix`, else
   * `SVC_BASE_PATH`. Without a trailing slash. For values that many URLs share; single ones come from `url`.
   */
  baseUrl(request: AnyRequest): string
  /** The absolute URL of a path of the service, as clients reach it; `path` begins with `/` and may have a query. */
  url(request: AnyRequest, path: string): string
  /** The same as an absolute path, for `Location` and links: the prefix, then `path`. */
  path(request: AnyRequest, path: string): string
  /** The URL of a path over TLS: `url` where the client came by https, else at the HTTPS listener of the same host. */
  httpsUrl(request: AnyRequest, path: string): string
  /** Aborts when the client leaves, the request times out or the response is done. */
  signal(request: AnyRequest): AbortSignal
  /** Whether the admin token (or a control token with scope `admin`) came with the request. */
  isAdmin(request: AnyRequest): boolean
  /** Passes, or throws the 401 or 403 of the admin guard (core sheet 9). */
  guardAdmin(request: AnyRequest): void
  /** Answers JSON or XML by `Accept`, with `Vary: Accept`. Takes status and headers of `reply`. */
  negotiate(request: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply
  /** The type that `negotiate` answers this request with: what a strong validator of the answer depends on. */
  negotiatedType(request: FastifyRequest): NegotiatedType
  /** The 404 or 405 of a path that no route serves, in the form of `svc.unroutedForm` where there is one. */
  notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply
  /** Says which of several descriptions of a wildcard route is served. */
  serving(request: FastifyRequest, description: RouteDescription): void
  /**
   * Says that an `ownFail` route injected a fault: sets `X-Svc-Fault` and counts it. The definition declares the kind.
   * `source` is what asked for it, as the inspector shows it: `X-Svc-Fail: overloaded`.
   */
  markFault(request: FastifyRequest, reply: FastifyReply, kind: string, source?: string): void
  /** Breaks the answer off, as faults do: the connection is destroyed, over HTTP/2 the stream is reset (INTERNAL_ERROR). */
  breakOff(request: FastifyRequest, reply: FastifyReply): void
  /**
   * Says that a request header of the plugin has no effect because its value can't be understood: the response names it in
   * `X-Svc-Ignored: <name>; <expected>`. `expected` is printable ASCII without line ends.
   */
  ignoreHeader(request: FastifyRequest, name: string, expected: string): void
  /** Waits, at most the instance's delay limit; ends early and answers false when the client leaves. */
  delay(request: AnyRequest, ms: number): Promise<boolean>
}

export interface SessionKey {
  /** Distinct for a header value and an address that read alike; for stores and limits. */
  key: string
  /** As shown in replies. */
  label: string
  /** The valid `X-Svc-Session` value, or null. */
  header: string | null
}

export interface Origin {
  scheme: 'http' | 'https'
  /** Lower case, IPv6 without brackets. */
  host: string
  port: number
  /** `scheme://host[:port]`, the default port left out (RFC 6454, 6.2): for comparisons with `Origin`, not for URLs. */
  serialized: string
}
