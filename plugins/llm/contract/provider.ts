/** A provider and its wire format: data and functions, no HTTP. */
import type { LimitState, Refusal } from './limit-state.ts'
import type { MountedFormat } from './mounted-format.ts'
import type { Finish, ModelInfo } from './neutral.ts'
import type { ChatParsed } from './parsed.ts'
import type { ProviderRoute } from './route.ts'
import type { StreamEvent } from './stream.ts'
import type { RefusedViolations } from './validation.ts'

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
  routes: ProviderRoute[]
  /** Formats of other providers that it serves too, below prefixes of their own. */
  mounts?: readonly MountedFormat[]
  /** Formats an error. Treat unknown kinds as a server error. */
  error(kind: ErrorKind, facts: ErrorFacts): ErrorResponse
  /** Error messages that replace the defaults; `{key}` is the masked credential, `{retry}` the seconds of `Retry-After`. */
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
  /**
   * The event that reports an error in a running stream; `replaced` is the one that would have been next. Default: the body of
   * the error as data.
   */
  streamError?(facts: ErrorFacts, replaced: StreamEvent): StreamEvent
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
  /** Value of `Retry-After`, of kinds that have one; texts and details with a time say the same. */
  retryAfterSecs?: number
  requestId: string
  /** Request path without the query: a provider may have several error formats. */
  path: string
  /** What the request was refused for, if a rule of the vendor did; `message`, `param` and `code` say it too. */
  violation?: RefusedViolations
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
  /** Value of `Retry-After`. */
  retryAfterSecs?: number
  /** Milliseconds since the request arrived. */
  elapsedMs: number
  now: number
  /** What the rate limits have left, to be sent instead of constant figures; absent: nothing limits the request. */
  limits?: LimitState
}

/** A fault kind that a plugin adds for `X-Svc-Fail`. */
export interface AddedFault {
  kind: string
  aliases?: string[]
  like: ErrorKind
  status: number
  message: string
  /** Code and type of the error, in formats that have them. Default: those of the status. */
  code?: string
  type?: string
}
