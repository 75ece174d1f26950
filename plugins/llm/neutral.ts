/** The form into which every wire format turns its requests, and the results that the engine makes of it. */

/** A text-generation request, free of any vendor's words. */
export interface NeutralRequest {
  model: string
  /** All system and developer messages, in order. */
  system: string[]
  messages: Message[]
  tools: Tool[]
  toolChoice: ToolChoice
  format: ReplyFormat
  /** Pieces (tokens) of text at most; absent: no limit. */
  maxTokens?: number
  /** Stop sequences, empty ones left out. */
  stop: string[]
  /** Present when the client asked for reasoning; `budget` in pieces. */
  reasoning?: { budget?: number }
  /** Number of choices, clamped by the format. */
  n: number
}

export interface Message {
  role: 'user' | 'assistant' | 'tool'
  parts: Part[]
}

/** Media are described in a few words (`data:image/png (120 bytes)`), never carried. */
export type Part =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio' | 'file'; description: string }
  | { type: 'call'; id: string; name: string; args: unknown }
  | { type: 'result'; id: string; name?: string; content: string }

export interface Tool {
  name: string
  description: string
  /** JSON Schema of the arguments, as the client sent it. */
  schema: unknown
  /** It takes text instead of JSON: any, or one that follows a grammar, with which only rules call it. */
  input?: 'text' | 'grammar'
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ReplyFormat = { type: 'none' } | { type: 'json' } | { type: 'schema'; schema: unknown }

/** How a text is chosen. */
export type Mode = 'canned' | 'echo' | 'scripted' | 'random'
export const modes: readonly Mode[] = ['canned', 'echo', 'scripted', 'random']

/** Why a reply ended; each format has its own words for these. */
export type Finish = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'content_filter' | 'prompt_filter'

/** One reply of the engine. Text and calls exclude each other unless a rule says otherwise. */
export interface Choice {
  index: number
  text: string
  /** The text cut into tokens; joined they give it back. */
  pieces: readonly string[]
  calls: Call[]
  /** Empty when none was asked for. */
  reasoning: string
  reasoningPieces: readonly string[]
  finish: Finish
  /** The stop sequence that cut the text. */
  stopSequence: string | null
}

export interface Call {
  /** 24 hex digits, fixed by model, prompt and choice; formats put their prefix before it. */
  id: string
  name: string
  args: unknown
  /** The arguments as compact JSON, and the same cut into tokens. */
  json: string
  jsonPieces: readonly string[]
  /** The tool takes text: `args` and `json` are that text. */
  isText?: true
}

export interface ChatResult {
  op: 'chat'
  mode: Mode
  /** The rendered prompt, as the mode `echo` and the records show it. */
  prompt: string
  choices: Choice[]
  promptTokens: number
  /** Over all choices, reasoning included. */
  completionTokens: number
  reasoningTokens: number
  /** Absent where no guardrail was asked for. */
  guardrail?: GuardrailOutcome
}

/** What a guardrail has done to a prompt and its reply. */
export interface GuardrailOutcome {
  action: 'none' | 'masked' | 'blocked'
  /** The format's word for a reply that ended so, in place of that of its first choice. */
  finishWord?: string
  /** The assessments as the format shows them; absent unless the request asked for them. */
  trace?: object
}

export interface EmbedResult {
  op: 'embed'
  /** One vector of length 1 for each input. */
  vectors: number[][]
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

/** A model as listings show it. */
export interface ModelInfo {
  id: string
  /** What it is for; default `chat`. */
  kind?: 'chat' | 'embed' | 'rerank' | 'moderate' | 'image' | 'speech' | 'transcribe'
  owned_by?: string
  /** Mode of this model whatever its name says. */
  mode?: Mode
}

export interface ModelsResult {
  op: 'models'
  models: ModelInfo[]
  /** The one asked for, when the request named one. */
  model?: ModelInfo
}

/** Operations that the format does by itself. */
export interface OwnResult {
  op: 'own'
}
