/** The vendor-neutral request that every wire format produces, and the engine's results. */

/** The tokens of a text; joined, they are equal to it. */
export interface Pieces extends Iterable<string> {
  readonly length: number
}

/** Splits texts into tokens and counts them. */
export interface Tokenizer {
  readonly name: string
  count(text: string): number
  /** Joined, they are equal to the text. A token that ends within a character is empty: the next one has all of it. */
  pieces(text: string): string[]
  /** Ids of the tokens. */
  ids(text: string): number[]
  /** Tokens of a whole request; absent: those of its rendered text and its tools. */
  promptTokens?(request: NeutralRequest): number
}

/** A vendor-neutral text-generation request. */
export interface NeutralRequest {
  model: string
  /** All system and developer messages, in order. */
  system: string[]
  messages: Message[]
  tools: Tool[]
  toolChoice: ToolChoice
  format: ReplyFormat
  /** Maximum number of text tokens; absent: no limit. */
  maxTokens?: number
  /** Stop sequences, without empty ones. */
  stop: string[]
  /** Present if the client requested reasoning; `budget` in tokens. */
  reasoning?: { budget?: number }
  /** Number of choices, clamped by the format. */
  n: number
  /** The format can say that a tool is in a namespace. */
  hasNamespaces?: true
  /** Splits and counts its texts. Default: the rule of the engine. */
  tokenizer?: Tokenizer
}

export interface Message {
  role: 'user' | 'assistant' | 'tool'
  parts: Part[]
}

/** Media have a short description (`data:image/png (120 bytes)`), never their content. */
export type Part =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio' | 'file'; description: string }
  | ({ type: 'call'; id: string; args: unknown } & ToolName)
  | { type: 'result'; id: string; name?: string; content: string }

/** A tool, or a call of one, by its name within its namespace, if it is in one. */
export interface ToolName {
  name: string
  namespace?: string
}

export interface Tool extends ToolName {
  description: string
  /** JSON Schema of the arguments, as the client sent it. */
  schema: unknown
  /** The tool takes text instead of JSON. If the text follows a grammar, only rules call the tool. */
  input?: 'text' | 'grammar'
}

export type ToolChoice = 'auto' | 'none' | 'required' | ToolName

export type ReplyFormat = { type: 'none' } | { type: 'json' } | { type: 'schema'; schema: unknown }

/** How the reply text is generated. */
export type Mode = 'canned' | 'echo' | 'scripted' | 'random'
/** The member of a chat completion's message that has the reasoning: DeepSeek's and vLLM's name, or OpenRouter's. */
export type ReasoningMember = 'reasoning_content' | 'reasoning'
export const REASONING_MEMBERS: readonly ReasoningMember[] = ['reasoning_content', 'reasoning']

export const modes: readonly Mode[] = ['canned', 'echo', 'scripted', 'random']

/** Why a reply ended; each format has its own names for these reasons. */
export type Finish = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'content_filter' | 'prompt_filter'

/** One reply of the engine: text or calls. Replies of rules can have both; the text comes first. */
export interface Choice {
  index: number
  text: string
  /** The tokens of the text; joined, they are equal to it. */
  pieces: Pieces
  calls: Call[]
  /** Empty if no reasoning was requested. */
  reasoning: string
  reasoningPieces: Pieces
  finish: Finish
  /** The stop sequence that cut the text. */
  stopSequence: string | null
  /** The model refuses: `text` says why. Formats that have no such reply send it as filtered text. */
  isRefusal?: true
  /** The calls come before the text, in formats that have an order. */
  callsFirst?: true
  /**
   * The order of its parts, in formats that have one; `text`, `reasoning` and `calls` are these parts joined. Read it with
   * `engine.blocksOf`.
   */
  blocks?: readonly OrderedBlock[]
}

/** A part of a reply in its order; a call is named by its place in `calls`. */
export type OrderedBlock =
  | { type: 'reasoning' | 'text'; text: string; pieces: Pieces; isRedacted?: true }
  | { type: 'call'; place: number }

/** A part of a reply. Redacted reasoning is sent without its text, where a format can. */
export type ChoiceBlock =
  | { type: 'reasoning'; text: string; pieces: Pieces; isRedacted?: true }
  | { type: 'text'; text: string; pieces: Pieces }
  | { type: 'call'; call: Call }

export interface Call extends ToolName {
  /** 24 hex digits, derived from model, prompt and choice; formats add their own prefix. */
  id: string
  /** An id that is sent as it is. */
  givenId?: string
  args: unknown
  /** The arguments as compact JSON, and its tokens. */
  json: string
  jsonPieces: Pieces
  /** The tool takes text: `args` and `json` are that text. */
  isText?: true
}

export interface ChatResult {
  op: 'chat'
  /** How the text was made: by a mode, by a rule, or as the request says (`X-Svc-Reply`). */
  mode: Mode | 'rule' | 'reply'
  /** The rendered prompt, as the mode `echo` and the records show it. */
  prompt: string
  choices: Choice[]
  promptTokens: number
  /** Total of all choices, including reasoning. */
  completionTokens: number
  reasoningTokens: number
  /** Prompt tokens that were read from the prefix cache, and written to it. Default: 0. */
  cachedTokens?: number
  cacheWriteTokens?: number
  /** Of those that were written, for an hour; absent: the format decides. */
  longCacheWriteTokens?: number
  /** Audio tokens in the prompt and in the reply. */
  audio?: { input: number; output: number }
  /** Absent if no guardrail was requested. */
  guardrail?: GuardrailOutcome
}

/** The effect of a guardrail on a prompt and its reply. */
export interface GuardrailOutcome {
  action: 'none' | 'masked' | 'blocked'
  /** The format's finish reason for such a reply; replaces that of the first choice. */
  finishReason?: string
  /** The assessments as the format shows them; absent unless the request asked for them. */
  trace?: object
}

export interface EmbedResult {
  op: 'embed'
  /** One vector of length 1 for each input. */
  vectors: number[][]
  /** How the vectors were made, unless by the engine. */
  mode?: 'rule' | 'reply'
  /** Tokens of each input, and their sum. */
  tokens: number[]
  promptTokens: number
}

export interface RerankResult {
  op: 'rerank'
  /** Best first. */
  results: { index: number; score: number }[]
  promptTokens: number
}

export interface CountResult {
  op: 'count'
  promptTokens: number
}

/** A model in a list of models. */
export interface ModelInfo {
  id: string
  /** Default `chat`. */
  kind?: 'chat' | 'embed' | 'rerank' | 'moderate' | 'image' | 'speech' | 'transcribe'
  owned_by?: string
  /** Mode of this model; takes precedence over its name. */
  mode?: Mode
  /** Maximum number of tokens of prompt and reply, and of the reply. Default: those of the provider, if any. */
  context_window?: number
  max_output_tokens?: number
  /** Takes precedence over that of the provider. */
  tokenizer?: string
}

export interface ModelsResult {
  op: 'models'
  models: readonly ModelInfo[]
  /** The requested model, if the request names one. */
  model?: ModelInfo
}

/** The result of an operation that does not use the engine. */
export interface OwnResult {
  op: 'own'
}
