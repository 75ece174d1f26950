/** What a wire of models is, and the neutral form that requests and replies of all wires are read into. */

/** A header field as it is on the connection. */
export type WireField = readonly [name: string, value: string]

export const WIRE_IDS = ['chat', 'responses', 'messages', 'gemini', 'converse', 'azure', 'cohere'] as const
/** Wires of other plugins have a prefix and a dot in their ids. */
export type WireId = (typeof WIRE_IDS)[number] | (string & {})

/** What a request asks for. Each wire has `generate`. */
export type Operation = 'generate' | 'count' | 'embed'

/** How long a block that is marked for a cache is kept, in the words of the wire; `default` if it does not say. */
export type Lifetime = 'default' | '5m' | '30m' | '1h' | '12h' | (string & {})

export interface TextPart {
  type: 'text'
  text: string
  /** Of the signature that this text has itself (Gemini). */
  signature?: string
  mark?: Lifetime
}

/** Exactly one of `data`, `url` and `id` has a value. */
export interface MediaSource {
  /** In lower case; null if the wire does not say. */
  mediaType: string | null
  /** Base64 in the standard alphabet. */
  data: string | null
  url: string | null
  /** Of a file that the vendor has. */
  id: string | null
}

export interface ImagePart extends MediaSource {
  type: 'image'
  mark?: Lifetime
}

export interface FilePart extends MediaSource {
  type: 'file'
  name: string | null
  mark?: Lifetime
}

export interface CallPart {
  type: 'call'
  /** Null if the wire gave none. */
  id: string | null
  name: string
  /** The parsed value. The text as it came, if it is not JSON (see `problems`). */
  args: unknown
  /** Of the signature that this call has itself (Gemini). */
  signature?: string
  mark?: Lifetime
}

export interface ResultPart {
  type: 'result'
  /** Of the call; null if the wire gave none. */
  id: string | null
  /** Of the tool, where the wire says it. */
  name: string | null
  /** Texts, images and files. A JSON value is its text. */
  parts: Part[]
  error: boolean
  /** The value, where the wire carries results as JSON objects instead of text. */
  value?: unknown
  mark?: Lifetime
}

export interface ThinkingPart {
  type: 'thinking'
  text: string
  signature: string | null
}

export interface RedactedPart {
  type: 'redacted'
  data: string
}

export interface RefusalPart {
  type: 'refusal'
  text: string
}

/** Something that only this wire has: a search of the vendor, an execution of code. */
export interface OtherPart {
  type: 'other'
  name: string
  value: unknown
}

export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | CallPart
  | ResultPart
  | ThinkingPart
  | RedactedPart
  | RefusalPart
  | OtherPart

export interface Turn {
  role: 'user' | 'assistant'
  /** Results of tools are parts of a user turn. */
  parts: Part[]
  /**
   * What a client of this wire sends back in place of `parts`, as it came from the gateway: see `Reply.native`. Only in requests
   * that are written; a writer uses it as it is.
   */
  native?: unknown
}

export interface SystemText {
  text: string
  /** How many turns come before it: 0 for a system prompt at the beginning. */
  after: number
  /** The role that only OpenAI has. */
  isDeveloper?: boolean
  mark?: Lifetime
}

export interface Tool {
  name: string
  description: string | null
  /** JSON schema of the arguments. Null: absent. */
  schema: unknown
  /** Not compared. */
  strict?: boolean
  /** The member of Gemini's declaration that has the schema; default `parameters`. */
  schemaMember?: 'parameters' | 'parametersJsonSchema' | 'parameters_json_schema'
  /** The namespace of the Responses API that has the tool. */
  namespace?: string
  /** A tool of the vendor, in the words of the wire (`web_search`). It has no schema. */
  vendor?: string
  mark?: Lifetime
}

export type Choice = { type: 'auto' | 'required' | 'none' } | { type: 'tool'; name: string }

/** Absent: not said. */
export interface Params {
  max_tokens?: number
  temperature?: number
  top_p?: number
  top_k?: number
  stop?: string[]
  seed?: number
  frequency_penalty?: number
  presence_penalty?: number
}

export const EFFORTS = ['none', 'low', 'medium', 'high', 'above'] as const
/** `above`: more than high, whatever the wire calls it. */
export type Effort = (typeof EFFORTS)[number]

export interface Thinking {
  effort: Effort | null
  /** Tokens. */
  budget: number | null
}

export interface Format {
  /** `json`: any JSON object. */
  type: 'json' | 'schema'
  name: string | null
  schema: unknown
  /** The schema is in a member that takes only the keywords of tools (Gemini's `responseSchema`). */
  hasFewKeywords?: boolean
}

/** A block up to which the vendor shall cache. */
export interface Mark {
  /** Path of the block in the neutral request: `/tools/2`, `/system/0`, `/turns/0/parts/1`. */
  place: string
  lifetime: Lifetime
}

/** Something that the reader of a wire did not understand, or that has the wrong form. */
export interface Problem {
  /** JSON pointer in the native message; for streams `event <n>`. */
  at: string
  text: string
}

/** A request to generate. Absent values are null or empty, so that two of them can be compared member by member. */
export interface Request {
  model: string | null
  stream: boolean
  system: SystemText[]
  turns: Turn[]
  tools: Tool[]
  choice: Choice | null
  /** Whether the model may make several calls at once; null: not said. */
  parallel: boolean | null
  params: Params
  thinking: Thinking | null
  format: Format | null
  /** The client identifies its user. */
  user: string | null
  problems: Problem[]
}

export const FINISHES = ['stop', 'length', 'calls', 'stop_sequence', 'filter', 'refusal'] as const
/** Others are the vendor's word as it is. */
export type Finish = (typeof FINISHES)[number] | (string & {})

/** Counts of tokens; null: the wire does not say. Section "Usage" of the documentation has the members of each wire. */
export interface Usage {
  /** All tokens of the prompt, those read from and written to a cache included. */
  input: number | null
  cached: number | null
  /** Written to a cache, for any lifetime. */
  write: number | null
  /** Of those, for one hour. */
  write_1h: number | null
  /** All tokens of the reply, reasoning included. */
  output: number | null
  reasoning: number | null
}

export const USAGE_KEYS = ['input', 'cached', 'write', 'write_1h', 'output', 'reasoning'] as const

export interface Reply {
  id: string | null
  model: string | null
  parts: Part[]
  /** Null: the reply does not say why it ended. */
  finish: Finish | null
  stop_sequence: string | null
  /** Null: there is none. */
  usage: Usage | null
  problems: Problem[]
  /** What a client has to send back as this turn; opaque outside of the wire. */
  native: unknown
}

export interface WireError {
  status: number
  /** From the status; from the words of the error if it came in a stream or with 2xx. */
  class: 'client' | 'limit' | 'server'
  type: string | null
  code: string | null
  message: string
  /** The value of Retry-After, which the SDKs read. */
  retryAfter: string | null
  /** The body has the form of the wire's errors. */
  isOfWire: boolean
  /** The vendor's SDK raises it. False: a body or event that the SDK skips or cannot read. */
  isRaised: boolean
  /** A client of the wire can tell that the prompt was too long. */
  isContextLength: boolean
}

/** An event of a stream as it came. */
export interface StreamEvent {
  /** Name of the event: `event` of SSE, `:event-type` of AWS; null if absent. */
  name: string | null
  data: string
  /** Parsed `data`; undefined if it is not JSON. */
  value?: unknown
}

/** A rule of the wire's grammar of streams that a stream violates. */
export interface GrammarProblem extends Problem {
  /** Additional events and members, which clients skip. */
  isNote: boolean
}

export interface StreamReading {
  /** What the vendor's SDK makes of the stream, as far as it came. */
  reply: Reply
  /** At most 4,000. */
  events: StreamEvent[]
  grammar: GrammarProblem[]
  /** In the stream, after its 200. */
  error: WireError | null
  /** The wire's end of a complete reply came. */
  isEnded: boolean
}

/** A request as a client sends it, and as the upstream received it. */
export interface WireRequest {
  method: string
  /** With the query. Written: behind the base URL of the wire. Read: the whole target. */
  path: string
  fields: readonly WireField[]
  body: Buffer
}

export interface WireAnswer {
  status: number
  fields: readonly WireField[]
  /** Without content coding. */
  body: Buffer
  /** The body ended as its framing says. */
  isComplete: boolean
}

export interface EmbeddingRequest {
  model: string | null
  inputs: string[]
  /** One input that is not in a list. */
  isSingle: boolean
  dimensions: number | null
  encoding: 'float' | 'base64' | null
  problems: Problem[]
}

export interface EmbeddingReply {
  /** In the order of the inputs. */
  vectors: number[][]
  encoding: 'float' | 'base64' | null
  input: number | null
  problems: Problem[]
}

/** Names of what a wire has no word for in requests. */
export const REQUEST_LIMITS = {
  thinking: 'thinking',
  signatures: 'signatures of thinking',
  redacted: 'redacted thinking',
  marks: 'cache marks',
  'mark-lifetimes': 'lifetimes of cache marks',
  'top-k': 'top_k',
  'error-flag': 'the error flag of a result',
  'result-image': 'an image in a result',
  stop: 'stop sequences',
  seed: 'seed',
  penalties: 'penalties',
  'format-name': 'the name of a format',
  'parallel-off': 'no parallel calls',
  'file-name': 'the name of a file',
  files: 'files',
  user: 'the user',
  'image-url': 'an image by URL',
  'choice-none': 'tools that may not be called',
  'choice-name': 'one tool that must be called',
  'late-system': 'a system text behind the first turn',
  'vendor-tools': 'tools of another vendor',
  namespaces: 'namespaces of tools',
} as const
export type RequestLimit = keyof typeof REQUEST_LIMITS

/** Names of what a wire has no word for in replies. */
export const REPLY_LIMITS = {
  thinking: 'thinking',
  signatures: 'signatures of thinking',
  redacted: 'redacted thinking',
  order: 'the order of text and calls',
  'stop-sequence': 'which stop sequence',
  'stop-sequence-reason': 'that a stop sequence was met',
  refusal: 'a refusal as such',
  filter: 'a content filter as such',
  cached: 'tokens read from a cache',
  write: 'tokens written to a cache',
  'write-1h': 'tokens written to a cache for one hour',
  reasoning: 'tokens of reasoning',
  identity: 'id and model',
} as const
export type ReplyLimit = keyof typeof REPLY_LIMITS

export interface WireLimits {
  request: ReadonlySet<RequestLimit>
  reply: ReadonlySet<ReplyLimit>
  /** Keywords of JSON schema that the vendor refuses in tools; null: it takes all. */
  schemaKeywords: ReadonlySet<string> | null
  /** Keywords that it refuses in the schema of a reply. */
  refusedInFormats: ReadonlySet<string>
}

export interface WriteOptions {
  /** Replaces `request.model`: as the gateway knows it. */
  model: string
  stream: boolean
  /** How a `chat` client marks what is to be cached; default `none`. */
  marks?: 'cache_control' | 'prompt_cache_breakpoint' | 'none'
}

/** A format of requests and replies. All functions are pure; readers never throw: what they can't read is a problem. */
export interface Wire {
  id: WireId
  /** Its base URL at svc, as the vendor's SDK would get it. */
  base: string
  /** What a request on this path asks for; null if it is not of this wire. The path may have anything in front. */
  matches(method: string, path: string): Operation | null
  /** The request as the vendor's SDK writes it. What the wire has no word for is left out. */
  writeRequest(request: Request, options: WriteOptions): WireRequest
  readRequest(request: WireRequest): Request
  readReply(answer: WireAnswer): Reply
  readStream(answer: WireAnswer): StreamReading
  /** Null: the answer is not an error. A body that is not of the wire gives an error with `isOfWire` false. */
  readError(answer: WireAnswer): WireError | null
  limits: WireLimits
  /** The fields in which a client of the vendor sends its key. */
  credentials(key: string): WireField[]
  /** Where the wire has a route that counts the tokens of a request. */
  count?: {
    write(request: Request, options: Pick<WriteOptions, 'model' | 'marks'>): WireRequest
    /** Null: there is no number. */
    read(answer: WireAnswer): number | null
  }
  embeddings?: {
    write(request: EmbeddingRequest, model: string): WireRequest
    readRequest(request: WireRequest): EmbeddingRequest
    readReply(answer: WireAnswer): EmbeddingReply
  }
}

export const DIFFERENCE_KINDS = ['lost', 'changed', 'added', 'unavoidable'] as const

/** What is not the same on two sides of a gateway. */
export interface Difference {
  side: 'request' | 'reply'
  scene: string
  mode: 'plain' | 'stream'
  /** In the neutral form: `/turns/2/parts/0/text`, `/usage/cached`, `/marks/1`. */
  path: string
  kind: (typeof DIFFERENCE_KINDS)[number]
  /** Absent for `added`. */
  sent?: unknown
  /** Absent for `lost`. */
  got?: unknown
  /** Why it is unavoidable, or only an addition. */
  why?: string
}
