/** The extension point `graphql.graphs`: GraphQL endpoints of other plugins, with the HTTP layer and the executor of `/graphql`. */
import type { FastifyInstance, FastifyRequest } from 'svc/plugin'
import type { GraphQLSchema } from 'graphql'

/** `graphql.graphs`. */
export interface Graphs {
  /**
   * Adds the routes of a graph: `path` (GET and POST), `path/ws`, `path/stream` and `path/schema`, all with faults inside answers
   * (`X-Svc-Graphql`, and the step `graphql` of rules). `app` is that of the plugin, whose `paths` contain `path`.
   */
  serve(app: FastifyInstance, path: string, graph: Graph): void
  /** The SDL of a subgraph with a mistake of one of `sdlKinds`: it does not compose. */
  brokenSdl(sdl: string, kind: string): string
  readonly sdlKinds: readonly string[]
  /**
   * The events of a subscription: the first at once, the others at intervals; it ends as soon as the client leaves. `count` is
   * clamped to 1 to 100, `intervalMs` to 50 to 10000. `make` gets the number of the event, from 0.
   */
  pace<Event>(pace: Pace, make: (sequence: number) => Event): AsyncIterableIterator<Event>
}

export interface Pace {
  count: number
  intervalMs: number
}

/** A graph. The schema is created with the first request. */
export interface Graph {
  /** For summaries of the routes: `Users`. */
  title: string
  /** The category of the routes in the catalog. */
  category: string
  /** The executable schema. Without it, `federation` creates one from the SDL. */
  schema?(): GraphQLSchema
  /** Functions and values by root field, as graphql-js calls them: arguments, context, info. */
  root?: object
  /** What resolvers get as context, for each operation. Default: an empty object. */
  context?(facts: OperationFacts): object
  /** The text of `path/schema`. Default: the schema, printed. */
  sdl?: string
  /** The graph is a subgraph: it gets `_service` and `_entities`. Needs `sdl`. */
  federation?: Federation
  /** Limits of a document. Default: depth 10, 500 fields, 30 aliases. */
  limits?: Partial<DocumentLimits>
  /** Operations of a batch. Default: 0, no batches. */
  batching?: number
  /** Whether the graph takes files (`scalar Upload`), by the multipart request specification. Default: false. */
  uploads?: boolean
  /** A query for the examples in the catalog. */
  example: string
  /** Further examples, sent with POST. */
  examples?: readonly GraphExample[]
}

export interface GraphExample {
  name: string
  query: string
  variables?: object
  headers?: { name: string; value: string }[]
}

export interface Federation {
  /**
   * The entity of a representation (`typename` is its `__typename`), with `__typename` if it is of another type; null if there is
   * none. Throws a GraphQLError.
   */
  resolve(typename: string, representation: Readonly<Record<string, unknown>>, context: object): object | null
}

export interface DocumentLimits {
  depth: number
  /** Number of fields; those of fragments count wherever they are spread. */
  complexity: number
  aliases: number
  /** Fields that are resolved for one answer, those of each item of a list. Default: no limit. */
  answerFields: number
}

/** What is known of the request of an operation. */
export interface OperationFacts {
  request: FastifyRequest
  /** By lower-case name; over a WebSocket, those of the handshake and the members of the payload of `connection_init`. */
  headers: Readonly<Record<string, string>>
}

/** A file of a request, as the value of an argument of the type `Upload`. */
export interface UploadedFile {
  filename: string
  mimetype: string
  content: Buffer
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'graphql.graphs': Graphs
  }
}
