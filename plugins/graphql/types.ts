/** The extension point `graphql.graphs`: GraphQL endpoints of other plugins, with the HTTP layer and the executor of `/graphql`. */
import type { FastifyInstance, FastifyReply, FastifyRequest, JsonObject, WebSocket } from 'svc/plugin'
import type { ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql'

/** `graphql.graphs`. */
export interface Graphs {
  /**
   * Adds the routes of a graph: `path` (GET and POST), `path/ws`, `path/stream` and `path/schema`, all with faults inside answers
   * (`X-Svc-Graphql`, and the step `graphql` of rules). `app` is that of the plugin, whose `paths` contain `path`.
   */
  serve(app: FastifyInstance, path: string, graph: Graph): void
  /**
   * A graph without routes, for plugins whose paths are not known beforehand. `path` is for messages; the routes of the plugin
   * call what this returns.
   */
  mount(path: string, graph: Graph): MountedGraph
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

/** The request handlers of a graph. Create one for each version of a schema; it holds nothing that must be released. */
export interface MountedGraph {
  /** GET, HEAD and POST at the path. */
  operations(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  /** PUT, GET, POST and DELETE at `path/stream`. */
  stream(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  /** Before a handshake at `path/ws` completes. Replies if it is refused. */
  accept(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void>
  /** An accepted socket. */
  open(socket: WebSocket, request: FastifyRequest): void
}

/** A graph. The schema is created with the first request. */
export interface Graph {
  /** For summaries of the routes: `Users`. */
  title: string
  /** The category of the routes in the catalog. */
  category: string
  /** The executable schema. Without it, `federation` creates one from the SDL. With both, it has `_service` and `_entities`. */
  schema?(): GraphQLSchema
  /** Functions and values by root field, as graphql-js calls them: arguments, context, info. */
  root?: object
  /**
   * What resolvers get as context, for each operation: it, or an object that inherits from it, so its methods must not depend on
   * `this`. Default: an empty object.
   */
  context?(facts: OperationFacts): object
  /**
   * Runs around each valid operation, of a batch and of a socket too, before faults that change the answer. `run` executes it.
   * Default: it is executed.
   */
  around?(operation: GraphOperation, run: () => Promise<Outcome>): Promise<Outcome>
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
  /** Whether requests that any page can make a browser send are refused even if the option `csrf` is off. Default: false. */
  csrf?: boolean
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
  /** Types that `_entities` takes. Default: those of the SDL with a key that can be resolved here. */
  entities?: ReadonlySet<string>
  /**
   * The entity of a representation (`typename` is its `__typename`), with `__typename` if it is of another type; null if there is
   * none. Throws a GraphQLError.
   */
  resolve(typename: string, representation: Readonly<Record<string, unknown>>, context: object): object | null
}

/** A result, or those of a subscription or of an answer in parts. */
export type Outcome = ExecutionResult | AsyncIterableIterator<ExecutionResult>

/** An operation that passed validation. */
export interface GraphOperation {
  definition: OperationDefinitionNode
  /** Selections of the operation at its top, with those of its fragments. */
  fields: readonly RootField[]
  /** Number of its fields; those of fragments count wherever they are spread. */
  complexity(): number
  /** The document as sent is not kept: it is printed when it is needed. */
  document(): string
  variables: Readonly<Record<string, unknown>>
  /** What `context` has returned, or an object that inherits from it. */
  context: object
  request: FastifyRequest
  /** Another status of the response over HTTP; null: that of the result. */
  response: { status: number | null }
}

export interface RootField {
  name: string
  /** Its arguments, with variables filled in. */
  arguments: Readonly<Record<string, unknown>>
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
  /** `filename`, `mimetype`, `bytes` and `sha256` (hex). */
  toJSON(): object
}

/** `graphql.steps`: operations on sockets, whose handshake says nothing of them, for a probe of gateways. */
export interface OperationSteps {
  /** Asks for the step of every operation from then on. Returns what ends that. */
  add(find: FindOperationStep): () => void
}

/** `handshake`: the request that opened the socket. Null: the operation is not one of its steps. */
export type FindOperationStep = (operation: SocketOperation, handshake: FastifyRequest) => OperationStep | null

/** An operation as the client has sent it. */
export interface SocketOperation {
  query: string
  variables: Record<string, unknown> | null
  operationName: string | null
}

export interface OperationStep {
  /** The step of a rule, which acts as if a rule in front of all others had matched; null: none. */
  step: JsonObject | null
  /** In place of results the socket breaks off, or nothing comes; null: the operation runs. */
  instead: 'reset' | 'silence' | null
  /** Called once: its last result was sent, the client has ended it, or the socket is gone. */
  onEnd(): void
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'graphql.graphs': Graphs
    'graphql.steps': OperationSteps
  }
}
