/** The conversation as the playground has it, whatever the vendor's wire looks like. */
import type { Sent } from '../../lib/instance/gateway.ts'

/** A tool that the model may call. */
export interface Tool {
  name: string
  description: string
  /** JSON Schema of its arguments. */
  parameters: object
}

export interface ToolCall {
  id: string
  name: string
  /** JSON text, as it came; in streams it grows. */
  args: string
}

export type Turn =
  | { role: 'user'; text: string }
  | { role: 'assistant'; run: Run }
  | { role: 'tool'; results: readonly ToolResult[] }

export interface ToolResult {
  call: ToolCall
  content: string
}

/** What is asked of a model. */
export interface Ask {
  model: string
  system: string
  turns: readonly Turn[]
  stream: boolean
  temperature: number | null
  maxTokens: number | null
  tools: readonly Tool[]
  /** `text`: no constraint; an object: the JSON Schema that the answer shall satisfy. */
  format: 'text' | 'json' | object
}

/** What the model has answered so far. */
export interface Reply {
  text: string
  thinking: string
  calls: readonly ToolCall[]
  usage: { input: number; output: number } | null
  /** The vendor's own word. */
  finish: string | null
}

/** A part of a reply: all of it, or what one frame of a stream adds. */
export interface Piece {
  text?: string | null | undefined
  thinking?: string | null | undefined
  /** `at` names the call that a fragment belongs to; absent: a call of its own. */
  calls?: readonly { at?: number; id?: string; name?: string; args?: string }[] | undefined
  usage?: { input?: number | undefined; output?: number | undefined } | undefined
  finish?: string | null | undefined
  error?: string | undefined
}

/** One part of a body as it came over the wire. */
export interface Frame {
  /** Milliseconds since the request was sent. */
  ms: number
  /** Name of the event; empty where the framing has none. */
  event: string
  text: string
}

/** One request to a model and what came of it. */
export interface Run {
  state: 'waiting' | 'receiving' | 'done' | 'failed'
  sent: Sent | null
  frames: readonly Frame[]
  /** All frames, also those that are no longer kept. */
  frameCount: number
  reply: Reply
  /** Milliseconds to the first text, reasoning or call; null: none yet. */
  firstTokenMs: number | null
  /** Milliseconds from sending to the last byte so far. */
  ms: number
  error: string | null
}

/** How a vendor's wire says it. */
export interface WireFormat {
  /** Below the provider's base path, and the body; `headers` beside the credential's. */
  request(ask: Ask): { path: string; body: object; headers?: Record<string, string> }
  credential(key: string): { name: string; value: string }
  /** A whole reply. */
  read(json: unknown): Piece
  /** One frame of a stream. */
  readFrame(json: unknown, event: string): Piece
  /** The vendor's SDK, saying the same: `baseUrl` without a trailing slash. */
  code(sample: CodeSample): string
}

export interface CodeSample {
  baseUrl: string
  key: string
  /** Headers that are no part of the protocol, such as faults. */
  headers: Record<string, string>
  body: object
  model: string
  stream: boolean
}
