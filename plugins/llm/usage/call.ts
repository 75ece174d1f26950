/** A call as the ledger counts it: what a provider request cost, once its response has ended. */
import type { Credential } from '../headers/credentials.ts'

/** Where a stream ended early. */
export interface Cut {
  /** Tokens in the events that were written, and tokens of the complete reply. */
  after_tokens: number
  of_tokens: number
  /** All events that were written. */
  after_events: number
  by: 'client' | 'fault' | 'server'
}

/** The tokens of a call. Cached and written tokens are parts of the prompt, reasoning and audio parts of their side. */
export interface TokenCounts {
  prompt_tokens: number
  cached_tokens: number
  cache_write_tokens: number
  completion_tokens: number
  reasoning_tokens: number
  audio_input_tokens: number
  audio_output_tokens: number
}

/** A finished call before it is entered. */
export interface EndedCall extends TokenCounts {
  request_id: string
  at: number
  duration_ms: number
  provider: string
  model: string | null
  op: string
  endpoint: string
  session: string
  /** `SessionKey.key` of the session. */
  session_key: string
  key: string
  credential: Credential | null
  status: number
  stream: boolean
  /** The limit that refused the call. */
  limited: string | null
  fault: string | null
  cut: Cut | null
  ttft_ms: number | null
  queue_ms: number
  /** Calls with the same key are attempts at the same thing; null: the client named none. */
  attempt_key: string | null
  /** The number of earlier attempts, as the SDK counts them. */
  retry_count: number
  /** Id of the batch whose item it is. */
  batch: string | null
}

/** A call in the log. */
export interface LoggedCall extends Omit<EndedCall, 'credential' | 'attempt_key' | 'retry_count'> {
  attempt: number
  key_id: string
  /** In the currency of the prices; null without a price. */
  cost: number | null
}

export const NO_TOKENS: Readonly<TokenCounts> = {
  prompt_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  completion_tokens: 0,
  reasoning_tokens: 0,
  audio_input_tokens: 0,
  audio_output_tokens: 0,
}

const MAX_TEXT = 100

/** A text of a client for groups: at most 100 characters, control characters as `?`. */
export function groupText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.slice(0, MAX_TEXT).replace(/[\u0000-\u001f\u007f-\u009f]/g, '?')
}
