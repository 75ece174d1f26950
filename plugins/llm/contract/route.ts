/** The routes of a provider: what they get, and what they answer. */
import type { OutputBudget, RouteDescription, RouteExample } from 'svc/plugin'
import type { ChatResult, Finish, ModelInfo, NeutralRequest, ReasoningMember, Tokenizer } from './neutral.ts'
import type { ChatParsed, Parsed, ResultOf } from './parsed.ts'
import type { ContextAnswer, ContextFacts, CredentialRule, ErrorFacts, RequestHeaders } from './provider.ts'
import type { LlmSocket } from './socket.ts'
import type { Framing, StreamEnding, StreamEvent, StreamShapes } from './stream.ts'
import type { RouteValidation } from './validation.ts'

/** What both kinds of routes have. */
interface RouteBase {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Below the base path: `/v1/models/{model}`, `/model/{*modelId}/converse` (the rest, slashes included), or ending in
   * `/*`.
   */
  path: string
  /** The aliases at which the route is served too. Default: all. */
  aliases?: readonly string[]
  /** The main purpose of the route; each parsed request has its own `op`. */
  op: 'chat' | 'embed' | 'rerank' | 'moderate' | 'image' | 'speech' | 'transcribe' | 'count' | 'models' | 'other'
  /** `gen_ai.operation.name`. Default: `chat` or `embeddings`, by `op`; others have no name. */
  operation?: 'chat' | 'text_completion' | 'generate_content' | 'embeddings'
  describe: LlmRouteDescription
  /** Where clients may send a credential for this route, in addition to those of the provider. */
  credentials?: readonly CredentialRule[]
  /** The route answers without a credential also where one is required. */
  needsNoCredential?: true
  /** The framing of its streams. Default: `sse`. */
  framing?: Framing
  /** Replaces the provider's `streamError` for this route. */
  streamError?(facts: ErrorFacts, replaced: StreamEvent): StreamEvent
}

/** An operation of a provider: a call of its model, or a route that answers by itself. */
export type ProviderRoute = LlmRoute | HandlerRoute

/**
 * A route that answers by itself: it lists, fetches, deletes or cancels what the provider keeps. Credential, faults,
 * latency and rules apply before it is called. It is not a call of a model: a success has no record and no ledger entry.
 */
export interface HandlerRoute extends RouteBase {
  /** Handles a request; throws `engine.badInput` if it is invalid. */
  handle(input: RouteInput): HandlerReply | Promise<HandlerReply>
  /** Whether the request asks for a stream, for conditions of rules. Default: it does not. */
  asksForStream?(query: URLSearchParams): boolean
  parse?: undefined
}

/** The answer of a handler: a complete reply, or a stream. */
export type HandlerReply = Rendered | StreamedReply

export interface StreamedReply {
  events: Iterable<StreamEvent>
  headers?: Record<string, string>
  /** What ends the stream early. */
  ending?: StreamEnding
}

/** A call of a model: the route parses the request, the engine computes the result, and the route renders it. */
export interface LlmRoute<P extends Parsed = Parsed> extends RouteBase {
  /**
   * WebSocket: checks a credential that the provider has issued itself. False: it is not valid. Undefined: it is another
   * one, which is checked as usual.
   */
  acceptsCredential?(value: string, provider: string): Promise<boolean | undefined>
  /** Members of `X-Svc-Reply-Json` that the route itself reads (`RouteInput.replyMembers`). */
  replyMembers?: readonly string[]
  /** Parses a request; throws `engine.badInput` if it is invalid. */
  parse(input: RouteInput): P | Promise<P>
  /** What the vendor refuses; absent: requests are not checked. */
  validation?: RouteValidation
  /** `parse` stores something. */
  hasEffects?: true
  /** Parses a captured request for conditions, without effects. Default: `parse`, unless that has effects. */
  readOnly?(input: RouteInput): Parsed | Promise<Parsed>
  /** Stores what later requests need, after the reply is computed and before anything is sent. May throw `engine.badInput`. */
  keep?(result: ResultOf<P>, parsed: P, context: RenderContext): Promise<void>
  /**
   * Serves a WebSocket on a GET route; requests without an upgrade are parsed and get an error. Called after the
   * handshake, whose request `parse` has accepted.
   */
  socket?(socket: LlmSocket, parsed: P, input: RouteInput): void
  /** Renders the complete reply. */
  render(result: ResultOf<P>, parsed: P, context: RenderContext): Rendered
  /** Renders the events of a streamed reply. */
  stream?(result: ResultOf<P>, parsed: P, context: RenderContext): Iterable<StreamEvent>
  /** The framing, if it depends on the request. */
  framingOf?(parsed: P): Framing
  finishReasons?: Record<Finish, string>
  /**
   * Takes an exact reply (`X-Svc-Reply-Json`): of own operations, or what only the format knows, such as
   * `logprobs: false`. Throws `engine.badReply`.
   */
  withReply?(parsed: P, reply: Readonly<Record<string, unknown>>): P
  /** Stream shapes of its events. Default for chats: those of OpenAI's chunks; otherwise none. */
  shapes?: StreamShapes
  /** The shapes, if they depend on the request. */
  shapesOf?(parsed: P): StreamShapes
  /** Replaces the provider's `contextError` for this route. */
  contextError?(facts: ContextFacts, parsed: ChatParsed): ContextAnswer
  /** Its usage says how many tokens were written to the prompt cache. */
  reportsCacheWrites?: true
  /** Headers of streamed replies. */
  streamHeaders?(result: ResultOf<P>, parsed: P): Record<string, string>
}

/** A route description without the fields that the runner adds. Paths in it start with the provider's base path. */
export interface LlmRouteDescription
  extends Omit<
    RouteDescription,
    'path' | 'methods' | 'category' | 'area' | 'ownFail' | 'errorForm' | 'examples' | 'requestBody'
  > {
  /** Default: a JSON object, if an example has `json`. */
  requestBody?: RouteDescription['requestBody']
  examples: LlmExample[]
}

export interface LlmExample extends RouteExample {
  /** The body. Then the default method is POST, and the expected status 200. */
  json?: object
  /** The example shows the header that sets the speed of the reply. Default: whether `json` has a member `stream`. */
  isStreamed?: boolean
}

/** What `X-Svc-Batch` asks for. */
export interface BatchPlan {
  /** Milliseconds from beginning to end. */
  ms: number
  outcome: 'complete' | 'fail' | 'expire' | 'cancel'
  /** Percentage of the items that fail. */
  errors: number
  /** The results come in another order. */
  shuffle: boolean
}

/** The input of a route's `parse` or `handle`. */
export interface RouteInput {
  method: string
  headers: RequestHeaders
  params: Record<string, string>
  query: URLSearchParams
  body: Buffer
  /**
   * Parses the body as a JSON object; throws `engine.badInput` for anything else. The client controls the key names.
   */
  json(): Record<string, unknown>
  /** Session key for stored data: `X-Svc-Session`, or the client address. */
  session: string
  /** Name of the provider: the format's id, or the name in svc.yaml. */
  provider: string
  /** Path of the provider's routes: `/ai/openai`. */
  basePath: string
  /** Whether the client asks for a WebSocket. */
  isUpgrade: boolean
  /** URL of a path of this server, as clients see it. */
  url(path: string): string
  /** The default model of a named provider with its own models. */
  defaultModel?: string
  /** The listed models, and the context window of those without their own. */
  models?: readonly ModelInfo[]
  contextWindow?: number
  /** A model server that is not ready yet. */
  isStarting?: true
  /** The provider stores responses, conversations and interactions for later requests. */
  storesResponses: boolean
  /** The member of chat completions that has the reasoning; absent: they have none. */
  reasoningMember?: ReasoningMember
  /** The plan of batches whose request names none. */
  batchPlan?: BatchPlan
  /** The tokenizer for a model; absent: the rule of the engine for all. */
  tokenizerOf?(model: string | undefined): Tokenizer
  limits: EngineLimits
  credential: { source: string; value: string } | null
  /** Reports that a header is not valid and therefore ignored. `expected` is printable ASCII. */
  ignoreHeader(name: string, expected: string): void
  /**
   * Runs a POST route of the provider as an item of a batch: without faults, rate limits and delays. `path` is its path
   * below the base path, or the end of it.
   */
  runItem(path: string, body: object, options: RunItemOptions): Promise<ItemReply>
  /**
   * Generates as a separate call of this request: rules, exact replies, context windows and rate limits apply, and the ledger
   * counts it. Slots, faults of headers and waiting do not. Throws the error that such a request would get; a route
   * lets it pass.
   */
  generate(request: NeutralRequest): Promise<ChatResult>
  /**
   * The budget of the answer. What a route reads of earlier requests is taken before it is read (`engine.takeHistory`), and
   * what it lists before it is rendered.
   */
  output(): OutputBudget
  /** What the socket that the request came from passed to `run`. */
  socketData?: unknown
  /** The members of `X-Svc-Reply-Json`; throws `engine.badInput` for a wrong header. */
  replyMembers(): Readonly<Record<string, unknown>>
}

export interface RunItemOptions {
  /** Id of the batch, for the ledger. */
  batch: string
  /** The call is recorded, and counted in the ledger. */
  isCounted: boolean
  /** Parameters of the path. */
  params?: Record<string, string>
}

/** The reply to an item, as it would be over HTTP. */
export interface ItemReply {
  status: number
  requestId: string
  body: object
}

/** Limits of the server. */
export interface EngineLimits {
  /** Choices of one request. */
  choices: number
  images: number
  /** Dimensions of a vector, inputs of an embeddings request. */
  dimensions: number
  inputs: number
  /** Words of `lorem`. */
  loremWords: number
}

export interface RenderContext {
  requestId: string
  /** Seconds and milliseconds since 1970. */
  created: number
  nowMs: number
  /** URL of a path of this server, as clients see it (`svc.http.url`). */
  url(path: string): string
  /** Name of the provider: the format's id, or the name in svc.yaml. */
  provider: string
  /** The finish reasons of the route. */
  finishReasons: Record<Finish, string>
  limits: EngineLimits
  /** The session that asks, as `RouteInput` has it. */
  session: string
  /** When the tokens of the reply are due, and where a requested fault breaks it. */
  plan(): ReplyPlan
  /**
   * The budget of the answer. The contents of the result are taken already; a route takes what it multiplies, before it
   * makes it. Large answers (`isLarge`) are counted and written in chunks, if they are rendered as an object.
   */
  output: OutputBudget
}

/** The speed of a reply that nobody waits for. */
export interface ReplyPlan {
  /** Milliseconds until the first token. */
  ttftMs: number
  /** Milliseconds between tokens. */
  gapMs: number
  /** Number of tokens after which the reply fails; null: it does not. */
  failsAfter: number | null
}

/** The content of a stored file. */
export interface StoredBody {
  bytes: number
  chunks: Iterable<Buffer>
}

export interface Rendered {
  status?: number
  /** Objects are sent as compact JSON. */
  body: object | string | Buffer
  /** Replaces the body: parts of a stored file, which are read as the client receives them. */
  stored?: StoredBody
  /** Default `application/json; charset=utf-8`. */
  contentType?: string
  headers?: Record<string, string>
}
