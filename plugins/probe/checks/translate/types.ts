/** What the checks of `translate` are made of: scenes, which are data, and judges, which are pure. */
import type { Impact, Level, Source } from '../../catalog/check.ts'
import type {
  Difference,
  EmbeddingReply,
  EmbeddingRequest,
  Operation,
  Part,
  Reply,
  Request,
  RequestLimit,
  StreamReading,
  Wire,
  WireAnswer,
  WireError,
  WireId,
  WireRequest,
} from '../../wires/types.ts'

export type Mode = 'plain' | 'stream'

/** A pair of wires and the model that leads from one to the other. */
export interface Pair {
  client: Wire
  upstream: Wire
  model: string
}

/** A step of a rule: `reply`, `fail`, `delay`, `encoding`, `llm`. */
export type RuleStep = Readonly<Record<string, unknown>>

/** A further request of a tool loop. The assistant's message before it is the one that came, as a client returns it. */
export interface SceneTurn {
  /** Results of the calls of the reply, in the order in which they are sent. `call` is the number of the call in the reply. */
  results: readonly { call: number; parts: readonly Part[]; error?: boolean }[]
  /** Behind the results. */
  text?: string
  /** What the upstream replies to this request. */
  reply: RuleStep
}

export interface Scene {
  /** Unique in its check: `two-calls`. */
  id: string
  modes: readonly Mode[]
  operation: Operation
  /** Of `generate` and `count`. The marker of the step is added to its texts by `withMarker`. */
  request: Request
  embedding?: EmbeddingRequest
  /** Default: that of the pair. */
  model?: string
  /** What both wires have to have words for; without them a gateway may refuse it, and a client does not send it. */
  needs?: readonly RequestLimit[]
  /** What the upstream replies to the first request. */
  reply: RuleStep
  turns?: readonly SceneTurn[]
  /** The client leaves after this many events of a stream, or after this time. */
  leave?: { events?: number; afterMs?: number }
  /** Belongs to the phase in which the upstream fails in the gateway's eyes. */
  breaks?: boolean
}

/** A rule of the vendor that an arrival violates. */
export interface ArrivalViolation {
  rule: string
  at: string
  message: string
  confidence: 'documented' | 'reported' | 'assumed'
  phase: 'head' | 'shape' | 'model' | 'conversation'
  source?: string
}

/** A message and how the reader of its wire reads it. */
export interface SentRequest {
  native: WireRequest
  request: Request | null
  embedding?: EmbeddingRequest
}

export interface ArrivedRequest extends SentRequest {
  /** On whose route it arrived. */
  wire: WireId
  violations: readonly ArrivalViolation[]
  /** When the gateway gave up the request, in milliseconds after the client left; null: it did not. */
  endedMs: number | null
}

export interface ReadAnswer {
  native: WireAnswer
  /** Null: an error, or not a reply of this operation. */
  reply: Reply | null
  /** Of a stream. */
  stream: StreamReading | null
  error: WireError | null
  count?: number | null
  embedding?: EmbeddingReply
}

/** One request through the gateway. */
export interface ExchangeEvidence {
  sent: SentRequest
  /** In this order. Judges look at the last one. */
  arrivals: readonly ArrivedRequest[]
  /** What svc answered to the last arrival; null if nothing arrived. */
  answered: ReadAnswer | null
  /** Null: nothing came back. */
  received: ReadAnswer | null
}

/** One scene of one pair in one mode, with all requests of its loop. */
export interface SceneEvidence {
  scene: Scene
  mode: Mode
  exchanges: readonly ExchangeEvidence[]
}

export interface JudgeFacts {
  pair: Pair
  /** How `chat` clients mark what is to be cached. */
  marks: 'cache_control' | 'prompt_cache_breakpoint' | 'none'
  /** The same scenes straight to svc, on the client wire. Of aspects that compare with them; others get none. */
  direct: readonly SceneEvidence[]
}

export interface AspectVerdict {
  verdict: 'pass' | 'note' | 'warn' | 'fail' | 'skip'
  /** One sentence. */
  detail: string
  differences: Difference[]
  values?: Readonly<Record<string, unknown>>
}

/** What the routes file says of scenes. */
export interface SceneOptions {
  /** Models of embeddings; null: those of the pairs. */
  embeddings: readonly string[] | null
}

/** A check of the group. */
export interface Aspect {
  id: string
  title: string
  /** Default: `translate`. */
  group?: string
  level: Level
  impact: Impact
  sources?: readonly Source[]
  comparesDirect?: boolean
  /** Those that the wires of the pair can say; empty: the check is skipped. */
  scenes(pair: Pair, options: SceneOptions): readonly Scene[]
  judge(evidence: readonly SceneEvidence[], facts: JudgeFacts): AspectVerdict
}
