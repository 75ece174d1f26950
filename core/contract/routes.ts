/** What a route says of itself (`describe`), and how failures that the core answers for it look. */
import type { IncomingMessage } from 'node:http'
import type { JsonSchema } from './json-schema.ts'

/** What the catalog, and with it `/openapi.json`, the landing page and all that plugins make of it, knows of an operation. */
export interface RouteDescription {
  /** Template in the catalog's notation (`/status/{code}`, `/echo/{*path}`). Default: the route's own. */
  path?: string
  /** Where one route serves several descriptions with different methods. Default: the route's. */
  methods?: string[]
  summary: string
  description?: string
  /** One of the catalog's categories (core sheet 9), or a name of its own. */
  category: string
  /** Default `http`. A route described as `sse` always answers with an event stream. */
  protocol?: 'http' | 'sse' | 'websocket'
  /** A feed without an end of its own. */
  endless?: boolean
  parameters?: RouteParameter[]
  requestBody?: { description?: string; required?: boolean; content: Record<string, JsonSchema> }
  /** Credentials that it takes, one of them at a time; `none`: also without. Default: what its examples send. */
  credentials?: readonly (CredentialKind | NamedKey)[]
  /** Status (`200`, `4XX`, `default`) to what it means. Default: `200`. */
  responses?: Record<string, { description: string; content?: Record<string, JsonSchema> }>
  examples: RouteExample[]
  /** JSON or XML by `Accept` (core sheet 7): errors of the route negotiate too. */
  negotiated?: boolean
  /** The protocol under which it counts in the metrics: an area that some plugin declares. Default: the plugin's own. */
  area?: string
  /** Bytes; the smaller of this and SVC_BODY_LIMIT holds. */
  bodyLimit?: number
  /** The route acts on `X-Svc-Fail` itself; the core does only the delay. */
  ownFail?: boolean
  /** How a 413, 503, 500, injected fault or thrown 4xx looks here. Default: the core's JSON. */
  errorForm?: ErrorForm
  /** The script of a service worker of the plugin's own pages. Without it browsers that ask for one get 403. */
  serviceWorker?: boolean
  /** WebSocket: picks one of the subprotocols offered; false is none. Default: the first. */
  subprotocol?(offered: string[]): string | false
}

/** `adminToken` is the header `X-Svc-Admin-Token`, `apiKey` the header `X-API-Key`. */
export type CredentialKind = 'none' | 'basic' | 'bearer' | 'apiKey' | 'adminToken'

/** A credential in a header or query parameter that has another name. */
export interface NamedKey {
  in: 'header' | 'query'
  name: string
  description?: string
}

export interface RouteParameter {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  schema?: JsonSchema
}

/** A request that works as it stands. The project's test sends every one of them. */
export interface RouteExample {
  name: string
  method?: string
  /** Path and query. */
  path: string
  headers?: { name: string; value: string }[]
  body?: string | null
  bodyType?: 'json' | 'xml' | 'form' | null
  auth?: { type: 'basic'; username: string; password: string } | { type: 'bearer'; token: string } | null
  /** Null: anything but 404 and 405. */
  expectStatus?: number | null
}

/**
 * A failure that the core answers for a route; `refused`: an error with a 4xx status that the route or Fastify has thrown;
 * `unrouted`: the 404 or 405 of a path that no route serves with this method (`svc.unroutedForm`).
 */
export interface CoreFailure {
  status: number
  kind: 'payload_too_large' | 'timeout' | 'internal' | 'injected' | 'refused' | 'unrouted'
  /** What the core would answer. */
  body: Record<string, unknown>
  requestId: string
}
export type ErrorForm = (
  failure: CoreFailure,
  request: RequestFacts,
) => { status?: number; headers?: Record<string, string>; body: string | Buffer | object }

/** What is known of a request before a route has seen it. */
export interface RequestFacts {
  method: string
  /** Decoded, without query. */
  path: string
  /** Path and query as received. */
  url: string
  headers: IncomingMessage['headers']
}

/**
 * Puts descriptions on a route: `app.get('/uuid', describe({ ... }), handler)`.
 * Several descriptions belong to a wildcard route; the handler then says which one it serves (`svc.http.serving`).
 */
export function describe(...descriptions: RouteDescription[]): { config: { descriptions: RouteDescription[] } } {
  return { config: { descriptions } }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    descriptions?: RouteDescription[]
  }
}
