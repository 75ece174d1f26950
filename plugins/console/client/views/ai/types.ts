/** The conversation of the playground, independent of the wire formats. */
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
  /** JSON text as received; it grows during a stream. */
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

/** A request to a model. */
export interface ModelRequest {
  model: string
  system: string
  turns: readonly Turn[]
  stream: boolean
  temperature: number | null
  maxTokens: number | null
  tools: readonly Tool[]
  /** `text`: no constraint; an object: JSON Schema of the response. */
  format: 'text' | 'json' | object
}

/** The reply of the model so far. */
export interface Reply {
  text: string
  thinking: string
  calls: readonly ToolCall[]
  usage: { input: number; output: number } | null
  /** Finish reason as the vendor names it. */
  finish: string | null
}

/** A complete response, or the part that one frame of a stream adds. */
export interface Piece {
  text?: string | null | undefined
  thinking?: string | null | undefined
  /** `at` is the index of the call that a fragment belongs to; absent: a separate call. */
  calls?: readonly { at?: number; id?: string; name?: string; args?: string }[] | undefined
  usage?: { input?: number | undefined; output?: number | undefined } | undefined
  finish?: string | null | undefined
  error?: string | undefined
}

/** One part of a response body as received. */
export interface Frame {
  /** Milliseconds since the request was sent. */
  ms: number
  /** Name of the event; empty if the format has no event names. */
  event: string
  text: string
}

/** One request to a model and its response. */
export interface Run {
  state: 'waiting' | 'receiving' | 'done' | 'failed'
  sent: Sent | null
  frames: readonly Frame[]
  /** Number of all frames, including those no longer kept. */
  frameCount: number
  reply: Reply
  /** Milliseconds to the first text, reasoning or call; null: none yet. */
  firstTokenMs: number | null
  /** Milliseconds from sending to the last byte so far. */
  ms: number
  error: string | null
}

/** A wire format of a vendor. */
export interface WireFormat {
  /** Path below the provider's base path, body, and headers other than the credential. */
  request(modelRequest: ModelRequest): { path: string; body: object; headers?: Record<string, string> }
  credential(key: string): { name: string; value: string }
  /** Reads a complete response. */
  read(json: unknown): Piece
  /** Reads one frame of a stream. */
  readFrame(json: unknown, event: string): Piece
  /** The same request as code for the vendor's SDK. `baseUrl` has no trailing slash. */
  code(sample: CodeSample): string
}

export interface CodeSample {
  baseUrl: string
  key: string
  /** Headers outside the protocol, such as faults. */
  headers: Record<string, string>
  body: object
  model: string
  stream: boolean
}
