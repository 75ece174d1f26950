/** The interface between `llm` and a plugin that adds a wire format: data and functions, no HTTP. */
import type { OutputBudget, RouteDescription } from 'svc/plugin'
import type { Tokenizer } from './engine/tokenizer.ts'
import type { BatchPlan } from './state/batch-plan.ts'
import type { LimitState, Refusal } from './limits/bucket.ts'
import type {
  ChatResult,
  CountResult,
  EmbedResult,
  Finish,
  ModelInfo,
  ModelsResult,
  NeutralRequest,
  OwnResult,
  RerankResult,
} from './neutral.ts'

/** A provider and its wire format. */
export interface LlmProvider {
  id: string
  title: string
  /** `/ai/<id>`; all routes are below it. */
  basePath: string
  /** Additional prefixes for routes that start with a path: `{ '/ai/v1': '/v1' }`. They may have parameters. */
  aliases?: Record<string, string>
  /** Appended to the base path for the `sdk_base_url` of the index. */
  sdkPath?: string
  /** Position in the index; smaller numbers come first. Default 100. */
  order?: number
  /** Where clients send their credential; the first match wins. */
  credentials: CredentialRule[]
  models: ModelInfo[]
  /** Whether an unlisted model exists. Ids that start with `svc` or contain a mode always do. */
  knowsModel?(id: string): boolean
  routes: LlmRoute[]
  /** Formats an error. Treat unknown kinds as a server error. */
  error(kind: ErrorKind, facts: ErrorFacts): ErrorResponse
  /** Error messages that replace the defaults; `{key}` is the masked credential. */
  messages?: Partial<Record<ErrorKind, string>>
  /** Message of the error for an unknown model; `{model}` is its id. */
  unknownModel?: string
  /** Headers of every response. */
  headers?(facts: HeaderFacts): Record<string, string>
  /** The response to a request that a rate limit refuses. Default: the error `rate_limit`. */
  limited?(refusal: Refusal & { model: string }, facts: ErrorFacts): ErrorResponse
  /** What happens to a request that exceeds the context window or the output limit of its model. */
  contextError?(facts: ContextFacts, parsed: ChatParsed): ContextAnswer
  /** Statuses that replace the defaults. */
  faultStatus?: Partial<Record<FaultKind, number>>
  /** Its finish reasons, for replies and records. */
  finishReasons: Record<Finish, string>
  /** The event that reports an error in a running stream. Default: the body of the error as data. */
  streamError?(facts: ErrorFacts): StreamEvent
  /** A rejected prompt gets a reply (finish reason `prompt_filter`), not an error. */
  rendersPromptFilter?: boolean
  /** What spans and metrics say about its requests (`gen_ai.*`). */
  telemetry?: Telemetry
  /** Additional checks of the request headers, after the credential. Throws `engine.badInput`. */
  check?(input: { headers: RequestHeaders; enforced: boolean; path: string }): void
}

/** The names that OpenTelemetry's conventions have for a provider, and what spans read from its requests and replies. */
export interface Telemetry {
  /** `gen_ai.provider.name`. Default: the id. */
  name?: string
  /** Temperature and nucleus sampling in a request. Default: the members `temperature` and `top_p`. */
  sampling?(body: Readonly<Record<string, unknown>>): { temperature?: unknown; topP?: unknown }
  /** The id in a reply, or in the first event of a stream. Default: the member `id`, also within `message` or `response`. */
  replyId?(body: Readonly<Record<string, unknown>>): unknown
}

/** A request that exceeds the context window or the output limit of its model. */
export interface ContextFacts {
  model: string
  promptTokens: number
  /** The limit of the reply; 0 if the request has none. At most `outputLimit`. */
  maxTokens: number
  /** The limit of the reply as the request has it. */
  requestedTokens: number
  /** Tokens of prompt and reply together; null: not limited. */
  window: number | null
  /** Tokens of the reply that the model can generate; null: not limited. */
  outputLimit: number | null
  /** The oldest messages were dropped already. */
  isShortened: boolean
}

/** An error, or what happens instead: the reply is cut where the window ends, or the oldest messages are dropped. */
export type ContextAnswer = { message: string; param?: string; code?: string; type?: string } | 'cut' | 'drop'

/** Where to find a credential. */
export interface CredentialRule {
  /** Name in `X-Svc-Credential`. */
  source: string
  /** Header that contains it, in lower case; with `scheme`, after that word (`Bearer`). */
  header?: string
  scheme?: string
  /** Query parameter that contains it; with `scheme`, after that word. */
  query?: string
  /** For the route documentation, if the name of the header does not explain it. */
  description?: string
  /** Custom parser. Returns the value, with `malformed` if it is invalid, or undefined if it is absent. */
  read?(headers: RequestHeaders): { value: string; malformed?: string } | undefined
}

export type RequestHeaders = Record<string, string | string[] | undefined>

/** Fault kinds that clients can request, and credential errors. */
export type FaultKind =
  | 'rate_limit'
  | 'server_error'
  | 'unavailable'
  | 'overloaded'
  | 'timeout'
  | 'context_length'
  | 'prompt_filter'
  | 'content_filter'
  | 'invalid_credential'
  | 'missing_credential'
  | 'forbidden'
  | 'not_found'
  | 'bad_request'
  | 'too_large'
  | 'unknown_route'
  | 'wrong_method'
  | 'status_4xx'
  | 'status_5xx'
/** Kinds that become an error response. */
export type ErrorKind = Exclude<FaultKind, 'content_filter'>

export interface ErrorFacts {
  status: number
  message: string
  /** The invalid parameter, in the format's path notation. */
  param?: string
  code?: string
  /** Name of the error, if the kind is not specific enough. */
  type?: string
  requestId: string
  /** Request path without the query: a provider may have several error formats. */
  path: string
}

export interface ErrorResponse {
  status: number
  headers?: Record<string, string>
  body: object
}

export interface HeaderFacts {
  requestId: string
  status: number
  /** Tokens of this call; 0 for errors. */
  prompt: number
  completion: number
  /** Set for error responses. */
  kind?: ErrorKind
  /** Milliseconds since the request arrived. */
  elapsedMs: number
  now: number
  /** What the rate limits have left, to be sent instead of constant figures; absent: nothing limits the request. */
  limits?: LimitState
}

/** One operation of a provider. */
export interface LlmRoute<P extends Parsed = Parsed> {
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
  /**
   * WebSocket: checks a credential that the provider has issued itself. False: it is not valid. Undefined: it is another
   * one, which is checked as usual.
   */
  acceptsCredential?(value: string, provider: string): Promise<boolean | undefined>
  /** Members of `X-Svc-Reply-Json` that the route itself reads (`RouteInput.replyMembers`). */
  replyMembers?: readonly string[]
  /** Parses a request; throws `engine.badInput` if it is invalid. */
  parse(input: RouteInput): P | Promise<P>
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
  framing?: Framing
  /** The framing, if it depends on the request. */
  framingOf?(parsed: P): Framing
  /** Replaces the provider's `streamError` for this route. */
  streamError?(facts: ErrorFacts): StreamEvent
  finishReasons?: Record<Finish, string>
  /**
   * Takes an exact reply (`X-Svc-Reply-Json`): of own operations, or what only the format knows, such as
   * `logprobs: false`. Throws `engine.badReply`.
   */
  withReply?(parsed: P, reply: Readonly<Record<string, unknown>>): P
  /** Stream shapes of its events. Default for chats: those of OpenAI's chunks; otherwise none. */
  shapes?: StreamShapes
  /** Replaces the provider's `contextError` for this route. */
  contextError?(facts: ContextFacts, parsed: ChatParsed): ContextAnswer
  /** Its usage says how many tokens were written to the prompt cache. */
  reportsCacheWrites?: true
  /** Headers of streamed replies. */
  streamHeaders?(result: ResultOf<P>, parsed: P): Record<string, string>
}

/** A route description without the fields that the runner adds. Paths in it start with the provider's base path. */
export type LlmRouteDescription = Omit<
  RouteDescription,
  'path' | 'methods' | 'category' | 'area' | 'ownFail' | 'errorForm'
>

/** The input of a route's `parse`. */
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
  /** The provider stores responses, conversations and interactions for later requests. */
  storesResponses: boolean
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

/** Calls `stop` when a stream has no further events, whatever is due; returns a function that removes it. */
export type StreamEnding = (stop: () => void) => () => void

interface ParsedBase {
  /** Shown in `X-Svc-Model`, records and metrics. */
  model?: string
  /** The client requests a streamed reply. */
  stream?: boolean
  /** A one-line description of a body that is not JSON (multipart). */
  bodyLine?: string
  /** Id of the conversation that the request continues or begins, for spans. */
  conversation?: string
  /** The reply does not wait for the model: it tells where to look later. */
  isBackground?: true
  /** What ends its stream early. */
  ending?: StreamEnding
}
/** Checks a prompt before the model processes it, and the reply before it is rendered and recorded. */
export interface ChatGuardrail {
  /** The prompt is blocked: this text is the reply, and the model is not called. */
  blocked?: string
  /** Returns the reply to send, with its `guardrail`. */
  review(result: ChatResult): ChatResult
}

export interface ChatParsed<W = unknown> extends ParsedBase {
  op: 'chat'
  model: string
  request: NeutralRequest
  /** Additional prompts in the same request; their choices follow those of the first. */
  also?: NeutralRequest[]
  /** The prompt tokens, if the format counts them differently. */
  promptTokens?: number
  guardrail?: ChatGuardrail
  /**
   * For formats in which the client marks what is cached: the text up to the last mark, and its lifetime; null: nothing is
   * marked. Absent: the provider's own cache applies.
   */
  cacheMark?: { prefix: string; ttlMs: number } | null
  /** Audio tokens: those of the prompt, and those of each text token that is spoken. */
  audio?: { input: number; perToken: number }
  /** The provider's own cache keeps only this number of prompt tokens. */
  cacheUpTo?: number
  /** Other data that the format needs for its reply. */
  wire: W
}
export interface EmbedParsed<W = unknown> extends ParsedBase {
  op: 'embed'
  /** Default: the rule of the engine. */
  tokenizer?: Tokenizer
  model: string
  /** Texts, or lists of token ids. */
  inputs: (string | number[])[]
  dimensions: number
  wire: W
}
export interface RerankParsed<W = unknown> extends ParsedBase {
  op: 'rerank'
  /** Default: the rule of the engine. */
  tokenizer?: Tokenizer
  model: string
  query: string
  documents: string[]
  wire: W
}
export interface CountParsed<W = unknown> extends ParsedBase {
  op: 'count'
  model: string
  request: NeutralRequest
  wire: W
}
export interface ModelsParsed<W = unknown> extends ParsedBase {
  op: 'models'
  /** The requested model; absent: list all models. */
  id?: string
  wire: W
}
/** An operation that does not use the engine: the format renders it alone. */
export interface OwnParsed<W = unknown> extends ParsedBase {
  op: 'own'
  /** The mode in the record; absent: the request is not recorded. */
  mode?: 'moderation' | 'image' | 'speech' | 'transcription' | 'compaction' | 'warmup'
  prompt?: string
  promptTokens: number
  completionTokens: number
  preview?: string
  /** Bytes of the reply, at least, if there can be many. */
  replyBytes?: number
  wire: W
}
export type Parsed<W = unknown> =
  | ChatParsed<W>
  | EmbedParsed<W>
  | RerankParsed<W>
  | CountParsed<W>
  | ModelsParsed<W>
  | OwnParsed<W>

interface Results {
  chat: ChatResult
  embed: EmbedResult
  rerank: RerankResult
  count: CountResult
  models: ModelsResult
  own: OwnResult
}
export type ResultOf<P extends Parsed> = Results[P['op']]

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

/** One event of a stream. */
export interface StreamEvent {
  /** Name of the event; absent: no name is written. */
  event?: string
  /** Text is written unchanged, objects as compact JSON. */
  data: string | object
  /** Number of token gaps to wait before the event is written; true: one. Default: none. */
  paced?: boolean | number
  /** When the event is due, in milliseconds since 1970; the pace of the request does not matter then. */
  dueAt?: number
  /** AWS event streams: the event is an exception of this type. */
  exception?: string
}

/** An event of a stream with a copy of its object; null for text such as `[DONE]`. */
export interface WireEvent {
  event: StreamEvent
  data: Record<string, unknown> | null
}

/** Where a stream reports its usage: in a chunk of its own, with the finish reason, always, twice, or nowhere. */
export type UsageMode = 'own' | 'last' | 'every' | 'twice' | 'none'

/** What `X-Svc-Stream-Shape` can change about the events of a format. Absent members: the format does not have it. */
export interface StreamShapes {
  /** The event that ends the stream (`no-done`). */
  isEnd?(event: WireEvent): boolean
  /** The event with the finish reason (`no-finish`). */
  isFinish?(event: WireEvent): boolean
  /** Events have `choices[].delta.role` (`role`). */
  hasRole?: boolean
  /** Member with the id of the reply (`id`). */
  idMember?: string
  usage?: {
    modes: readonly UsageMode[]
    rewrite(events: Iterable<WireEvent>, mode: UsageMode, result: ChatResult): Iterable<WireEvent>
  }
}

/** The encoding of events. `sse-crlf` is SSE with CRLF line ends and without event names. */
export type Framing = 'sse' | 'sse-crlf' | 'ndjson' | 'json-array' | 'aws-eventstream'

/** A WebSocket of a provider. Messages beyond the bounds close it. */
export interface LlmSocket {
  readonly isClosed: boolean
  /** Path and query of the handshake. */
  readonly target: string
  /** Milliseconds after which the route should close the socket; the host closes it a second later. */
  readonly lifetimeMs: number
  /** Sends JSON in a text frame. */
  send(message: object): void
  /** Maximum number of items of the conversation. */
  readonly maxItems: number
  /**
   * Counts bytes that the route keeps for this socket; less than 0 returns them. False: they exceed what this socket or
   * all sockets together may keep, and nothing is counted.
   */
  keep(bytes: number): boolean
  /** Calls the listener for each message, in order. */
  onMessage(listener: (message: Buffer, isBinary: boolean) => void): void
  /** Calls the listener for each text; a binary message closes the socket with 1003. */
  onText(listener: (text: string) => void): void
  onClosed(listener: () => void): void
  /** Calls the listener after these milliseconds, unless the socket has closed by then. Returns what prevents it. */
  after(ms: number, listener: () => void): () => void
  close(code: number, reason: string): void
  /**
   * Runs the POST route of a path, which may have a query, as a separate request with the headers of the handshake. The
   * events of a streamed reply are sent at its pace, and the faults of a stream apply. Resolves when the last event was
   * sent.
   */
  run(target: string, body: object, options: SocketRunOptions): Promise<SocketRun>
}

export interface SocketRunOptions {
  /** Sends an event; default: its data. */
  send?(event: StreamEvent): void
  /** Stops the reply. */
  signal?: AbortSignal
  /** Data for the route's `parse`, as `RouteInput.socketData`. */
  data?: unknown
  /** The route to run, if it is not served over HTTP. */
  route?: LlmRoute
}

/** How a request on a socket ended: its reply, or the error response that it would have got over HTTP. */
export type SocketRun =
  | {
      kind: 'sent'
      isWhole: boolean
      parsed: Parsed
      result: ResultOf<Parsed>
      /** What the rate limits have left; null: nothing limits the request. */
      limits: LimitState | null
    }
  | { kind: 'error'; status: number; headers: Record<string, string>; body: object }
