/** What a plugin that brings a wire format hands to `llm`: data and functions, no HTTP. */
import type { RouteDescription } from 'svc/plugin'
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

/** A wire format and the provider that speaks it. */
export interface LlmProvider {
  id: string
  title: string
  /** `/ai/<id>`; all routes lie below it. */
  basePath: string
  /** Further prefixes for the routes that begin with a path: `{ '/ai/v1': '/v1' }`. They may have parameters. */
  aliases?: Record<string, string>
  /** Appended to the base path for the `sdk_base_url` of the index. */
  sdkPath?: string
  /** Place in the index, smaller first. Default 100. */
  order?: number
  /** Where its clients put their credential; the first that matches wins. */
  credentials: CredentialRule[]
  models: ModelInfo[]
  /** Whether an unlisted model can be retrieved, beside ids that begin with `svc` or name a mode. */
  knowsModel?(id: string): boolean
  routes: LlmRoute[]
  /** An error in the provider's own form. Unknown kinds look like a server error. */
  error(kind: ErrorKind, facts: ErrorFacts): ProviderAnswer
  /** Texts of its errors where they are not the common ones; `{key}` is the masked credential. */
  messages?: Partial<Record<ErrorKind, string>>
  /** Text of the error for an unknown model; `{model}` is its id. */
  unknownModel?: string
  /** Headers that go with every answer of the provider. */
  headers?(facts: HeaderFacts): Record<string, string>
  /** Statuses that are not the common ones. */
  faultStatus?: Partial<Record<FaultKind, number>>
  /** Its word for each way in which a text ends, for replies and records. */
  finishReasons: Record<Finish, string>
  /** The event with which a running stream reports an error. Default: the error's body as data. */
  streamError?(facts: ErrorFacts): StreamEvent
  /** It answers a refused prompt with a reply (finish `prompt_filter`), not with an error. */
  rendersPromptFilter?: boolean
  /** Further checks of a request's head, after the credential. Throws `engine.badInput`. */
  check?(input: { headers: RequestHeaders; enforced: boolean; path: string }): void
}

/** Where a credential is looked for. */
export interface CredentialRule {
  /** Word in `X-Svc-Credential`. */
  source: string
  /** Header that holds it, lower case; with `scheme` after that word (`Bearer`). */
  header?: string
  scheme?: string
  /** Query parameter that holds it. */
  query?: string
  /** For the document of the routes, where the header alone does not say what it holds. */
  description?: string
  /** Reads it in another way: its value, `malformed` when it is there but wrong, undefined when it is absent. */
  read?(headers: RequestHeaders): { value: string; malformed?: string } | undefined
}

export type RequestHeaders = Record<string, string | string[] | undefined>

/** Kinds of fault that clients can ask for, with those of credentials. */
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
/** Kinds that become an error answer. */
export type ErrorKind = Exclude<FaultKind, 'content_filter'>

export interface ErrorFacts {
  status: number
  message: string
  /** The wrong parameter, in the format's own path notation. */
  param?: string
  code?: string
  /** Name of an error where the kind alone does not say it. */
  type?: string
  requestId: string
  /** Of the request, as received, without its query: a provider may have several forms. */
  path: string
}

export interface ProviderAnswer {
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
  /** Set on error answers. */
  kind?: ErrorKind
  /** Milliseconds since the request came. */
  elapsedMs: number
  now: number
}

/** One operation of a provider. */
export interface LlmRoute<P extends Parsed = Parsed> {
  method: 'GET' | 'POST'
  /** Below the base path: `/v1/models/{model}`, `/model/{*modelId}/converse` (the rest, slashes included), or ending in `/*`. */
  path: string
  /** What it is mainly for; a parsed request says what it really asks. */
  op: 'chat' | 'embed' | 'rerank' | 'moderate' | 'image' | 'speech' | 'transcribe' | 'count' | 'models' | 'other'
  describe: LlmRouteDescription
  /** Reads a request; throws `engine.badInput` for what is wrong with it. */
  parse(input: RouteInput): P | Promise<P>
  /** The plain reply. */
  render(result: ResultOf<P>, parsed: P, context: RenderContext): Rendered
  /** The events of a streamed reply. */
  stream?(result: ResultOf<P>, parsed: P, context: RenderContext): Iterable<StreamEvent>
  framing?: Framing
  /** The framing, where the request has a say in it. */
  framingOf?(parsed: P): Framing
  /** As that of the provider, where this route differs. */
  streamError?(facts: ErrorFacts): StreamEvent
  finishReasons?: Record<Finish, string>
  /** Headers of streamed replies. */
  streamHeaders?(result: ResultOf<P>, parsed: P): Record<string, string>
}

/** What the runner adds is left out; paths in it begin with the provider's base path. */
export type LlmRouteDescription = Omit<
  RouteDescription,
  'path' | 'methods' | 'category' | 'protocol' | 'area' | 'ownFail' | 'errorForm'
>

/** A request as a route's `parse` sees it. */
export interface RouteInput {
  method: string
  headers: RequestHeaders
  params: Record<string, string>
  query: URLSearchParams
  body: Buffer
  /** The body as a JSON object; throws `engine.badInput` when it is none. Names of keys are the client's. */
  json(): Record<string, unknown>
  /** For stores: the session's key, `X-Svc-Session` or address. */
  session: string
  /** The model for requests that name none, of a named provider with models of its own. */
  defaultModel?: string
  limits: EngineLimits
  credential: { source: string; value: string } | null
}

/** Bounds of the instance. */
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

interface ParsedBase {
  /** Shown in `X-Svc-Model`, records and metrics. */
  model?: string
  /** A streamed reply is wanted. */
  stream?: boolean
  /** The body in one line, where it is not JSON (multipart). */
  bodyLine?: string
}
/** What assesses a prompt before the model reads it, and the reply before it is rendered and recorded. */
export interface ChatGuardrail {
  /** The prompt is blocked: this text is the reply, and the model is not asked. */
  blocked?: string
  /** Answers the reply that is sent, with its `guardrail`. */
  review(result: ChatResult): ChatResult
}

export interface ChatParsed<W = unknown> extends ParsedBase {
  op: 'chat'
  model: string
  request: NeutralRequest
  /** Further prompts that the same reply answers; their choices follow those of the first. */
  also?: NeutralRequest[]
  /** Where the format counts its prompt in a way of its own. */
  promptTokens?: number
  guardrail?: ChatGuardrail
  /** What else the format needs for its reply. */
  wire: W
}
export interface EmbedParsed<W = unknown> extends ParsedBase {
  op: 'embed'
  model: string
  /** Texts, or lists of token ids. */
  inputs: (string | number[])[]
  dimensions: number
  wire: W
}
export interface RerankParsed<W = unknown> extends ParsedBase {
  op: 'rerank'
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
  /** The model asked for; absent: the list. */
  id?: string
  wire: W
}
/** What the engine has no part in: the format renders it alone. */
export interface OwnParsed<W = unknown> extends ParsedBase {
  op: 'own'
  /** Of the record; absent: the request is not recorded. */
  mode?: 'moderation' | 'image' | 'speech' | 'transcription'
  prompt?: string
  promptTokens: number
  completionTokens: number
  preview?: string
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
  /** URL of a path of the service, as clients reach it (`svc.http.url`). */
  url(path: string): string
  /** Name of the provider: the format's id, or the name in svc.yaml. */
  provider: string
  /** The route's words for how a text ends. */
  finishReasons: Record<Finish, string>
  limits: EngineLimits
}

export interface Rendered {
  status?: number
  /** Objects are sent as compact JSON. */
  body: object | string | Buffer
  /** Default `application/json; charset=utf-8`. */
  contentType?: string
  headers?: Record<string, string>
}

/** One event of a stream. */
export interface StreamEvent {
  /** Name of the event; absent: none is written. */
  event?: string
  /** Text is written as it is, else compact JSON. */
  data: string | object
  /** Waits one gap, or so many, before it is written. Default: none. */
  paced?: boolean | number
  /** AWS event streams: the event is an exception of this type. */
  exception?: string
}

/** How events become bytes. `sse-crlf` is SSE with CRLF line ends, without event names. */
export type Framing = 'sse' | 'sse-crlf' | 'ndjson' | 'json-array' | 'aws-eventstream'
