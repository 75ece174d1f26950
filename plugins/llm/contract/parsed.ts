/** Parsed requests: what the engine computes, and what the format needs for its reply. */
import type {
  ChatResult,
  CountResult,
  EmbedResult,
  ModelsResult,
  NeutralRequest,
  OwnResult,
  RerankResult,
  Tokenizer,
} from './neutral.ts'
import type { StreamEnding } from './stream.ts'

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
  /** Prompt tokens that the client cached before, and that the request reads from there. */
  cachedTokens?: number
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
