/** Descriptions of routes (`describe`), and the format of errors that the core sends for them. */
import type { IncomingMessage } from 'node:http'
import type { ControlScope } from './control-scope.ts'
import type { JsonSchema } from './json-schema.ts'

/** Schemas of a body by media type. */
export type ReplyContent = Readonly<Record<string, JsonSchema>>

/** How the messages of a WebSocket are compressed. */
export type MessageCompression = 'context-takeover' | 'no-context-takeover'

/** Describes an operation for the catalog and everything generated from it: `/openapi.json`, the landing page, exported collections. */
export interface RouteDescription {
  /** Path template in the notation of the catalog (`/status/{code}`, `/echo/{*path}`). Default: the path of the route. */
  path?: string
  /** Methods of this description, if a route has several descriptions. Default: all methods of the route. */
  methods?: string[]
  /** A few words, such as `Read a postcard`. */
  summary: string
  /** More details, as Markdown. */
  description?: string
  /** Category in the catalog. See `categories` of the plugin definition for the order. */
  category: string
  /** Default: `http`. `sse` means that the response is always an event stream. */
  protocol?: 'http' | 'sse' | 'websocket'
  /** The stream never ends by itself. */
  endless?: boolean
  /** Parameters. Those of the path are added automatically if they are missing. */
  parameters?: RouteParameter[]
  requestBody?: { description?: string; required?: boolean; content: Record<string, JsonSchema> }
  /** Accepted credentials; one of them is enough. `none`: credentials are optional. Default: those that the examples send. */
  credentials?: readonly RouteCredential[]
  /** Responses by status (`200`, `4XX`, `default`). Default: `200`. */
  responses?: Record<string, { description: string; content?: Record<string, JsonSchema> }>
  /**
   * What a success holds, by media type: the content of all 2xx of `responses` that declare none, or of 200. A negotiated
   * route that declares only JSON has XML too. `jsonReply` and `textReply` of `svc/toolkit` create it. A schema with a title
   * becomes a named type of generated clients.
   */
  reply?: ReplyContent
  /** Requests shown by everything that is generated from the catalog. */
  examples: RouteExample[]
  /** The response is JSON or XML, depending on `Accept`. Errors of the route are negotiated too. */
  negotiated?: boolean
  /** Value of the `protocol` label in the metrics; some plugin must declare it as its `area`. Default: the plugin's area. */
  area?: string
  /** Maximum size of the request body in bytes. SVC_BODY_LIMIT applies too if it is smaller. */
  bodyLimit?: number
  /** Maximum size of the request body in bytes, in place of SVC_BODY_LIMIT: for routes that take documents. */
  ownBodyLimit?: number
  /**
   * The route reads the body as it arrives, with `svc.http.bodyStream`, instead of getting it complete. Rules test a body
   * without an announced length only by its head.
   */
  streamsBody?: boolean
  /**
   * The route handles `X-Svc-Fail` and stored rules itself (`svc.http.applyRules`): the core applies neither, only `X-Svc-Delay`
   * and `X-Svc-Abort`. To fail with errors of your own, declare `faults` instead.
   */
  ownFail?: boolean
  /**
   * Steps of plugins without an answer that the route applies (`svc.http.ruleSteps`): rules with other ones do not act on
   * it. For routes without `ownFail`.
   */
  steps?: readonly string[]
  /** Formats errors that the core sends for this route: 413, 500, 503, injected faults and thrown 4xx. Default: JSON. */
  errorForm?: ErrorForm
  /**
   * Below `/_svc`: the scope that the route requires of control tokens. Default: the highest, or a lower one if the route
   * only reads.
   */
  controlScope?: ControlScope
  /**
   * The route serves a page of this instance, or a file that such a page loads: it has the rights of the instance's origin in a
   * browser. Rules that were stored over HTTP do not answer it, or other users could put their script there; they can delay it,
   * and make it fail. A function decides by the request, for routes that also serve something else.
   */
  ownPage?: true | ((request: RequestFacts) => boolean)
  /**
   * Calls in nobody's name (`svc.http.call(null, …)`) may reach the route. Anybody can cause such a call, also a web page that
   * may not use the route itself. `deliveries`: the route takes what others send, like a sink, and every method may be called;
   * nothing but its own records changes. `documents`: the route serves a document that others fetch, such as a JWK Set; only
   * GET and HEAD. Default: such a call gets 403.
   */
  takes?: 'deliveries' | 'documents'
  /** The route is one of a host (`svc.serveHost`), which requests to other hosts do not reach: no catalog lists it. */
  ofHost?: true
  /** The route serves a service worker script. Requests for one on other routes get 403. */
  serviceWorker?: boolean
  /**
   * WebSocket: messages may have up to 15 MiB instead of 1 MiB (256 KiB in public mode). Incomplete ones of all sockets
   * together may have 96 MiB.
   */
  takesLargeMessages?: boolean
  /** WebSocket: selects one of the offered subprotocols, or false for none. Default: the first one. */
  subprotocol?(offered: string[], request: RequestFacts): string | false
  /**
   * WebSocket: accepts permessage-deflate (RFC 7692) if the client offers it: with one context for all messages of a direction,
   * or with a new one for each message (both `no_context_takeover`). Null, and the default: no compression. At most 200 sockets
   * have it at a time, 20 in public mode. Not for routes with `takesLargeMessages`.
   */
  compression?(request: RequestFacts): MessageCompression | null
}

/**
 * `adminToken` is the header `X-Svc-Admin-Token`, `apiKey` the header `X-API-Key`, `mutualTls` a client certificate (RFC
 * 8705).
 */
export type CredentialKind = 'none' | 'basic' | 'bearer' | 'apiKey' | 'adminToken' | 'mutualTls'

/** An API key in a header or query parameter with another name. */
export interface NamedKey {
  in: 'header' | 'query'
  name: string
  description?: string
}

/** Another scheme of `Authorization` (RFC 9110, 11.4), such as `DPoP`. */
export interface AuthorizationScheme {
  scheme: string
  description?: string
}

/** What a route accepts as a credential. */
export type RouteCredential = CredentialKind | NamedKey | AuthorizationScheme

/** A parameter of a route. */
export interface RouteParameter {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  schema?: JsonSchema
}

/** A request that works without changes. A test of the project sends every example. */
export interface RouteExample {
  name: string
  method?: string
  /** Path and query. */
  path: string
  headers?: { name: string; value: string }[]
  body?: string | null
  bodyType?: 'json' | 'xml' | 'form' | null
  auth?: { type: 'basic'; username: string; password: string } | { type: 'bearer'; token: string } | null
  /** Expected status. Null: any status except 404 and 405. */
  expectStatus?: number | null
}

/**
 * An error response that the core sends for a route. `refused`: the route or Fastify threw an error with a 4xx status.
 * `unrouted`: no route matches the path and method (404 or 405, see `svc.unroutedForm`). `unavailable`: the state store is
 * unavailable or full (`StateUnavailable`).
 */
export interface CoreFailure {
  status: number
  kind: 'payload_too_large' | 'timeout' | 'internal' | 'injected' | 'refused' | 'unrouted' | 'unavailable'
  /** The body that the core would send. */
  body: Record<string, unknown>
  requestId: string
}
/** Formats an error response; members that are not set stay as the core would send them. */
export type ErrorForm = (
  failure: CoreFailure,
  request: RequestFacts,
) => { status?: number; headers?: Record<string, string>; body: string | Buffer | object }

/** Facts about a request that are known before it reaches a route. */
export interface RequestFacts {
  method: string
  /** Decoded path without query. */
  path: string
  /** Path and query as received. */
  url: string
  headers: IncomingMessage['headers']
  /** Name of the session; null if the request names none. */
  session: string | null
}

/**
 * Adds descriptions to a route: `app.get('/uuid', describe({ ... }), handler)`. A wildcard route can have several; its
 * handler then selects one for each request with `svc.http.selectDescription`.
 */
export function describe(...descriptions: RouteDescription[]): { config: { descriptions: RouteDescription[] } } {
  return { config: { descriptions } }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    descriptions?: RouteDescription[]
  }
}
