/** What is entered in the ledger without a call of a model: work that belongs to no request, and errors of providers. */
import { randomUUID } from 'node:crypto'
import type { LlmRoute } from '../contract/route.ts'
import type { Owner } from '../state/owner.ts'
import { groupText, NO_TOKENS, type EndedCall, type TokenCounts } from './call.ts'

/** The provider and session whose work it was, with its tokens; those that are absent are 0. */
export interface UsageEntry extends Owner, Partial<TokenCounts> {
  op: LlmRoute['op']
  model?: string
  /** What did the work, as the endpoint of the call. Default: the provider. */
  endpoint?: string
  /** Default: 200. */
  status?: number
  /** Default: a new one. */
  requestId?: string
  /** When the work began, in milliseconds since 1970, and how long it took. Default: now, and no time. */
  beganAt?: number
  durationMs?: number
  /** The batch whose item it was. */
  batch?: string
}

const MAX_TEXT = 200
const NAMED = 'header:'

/** Throws `TypeError` for tokens that are not whole numbers or contradict each other. */
export function callOf(provider: string, entry: UsageEntry): EndedCall {
  const { session, op, model, endpoint = provider, status = 200, batch } = entry
  return {
    ...tokensOf(entry),
    request_id: (entry.requestId ?? randomUUID()).slice(0, MAX_TEXT),
    at: figure('beganAt', entry.beganAt ?? Date.now()),
    duration_ms: figure('durationMs', entry.durationMs ?? 0),
    provider,
    model: model === undefined ? null : groupText(model),
    op,
    endpoint: endpoint.slice(0, MAX_TEXT),
    session: session.startsWith(NAMED) ? session.slice(NAMED.length) : session,
    session_key: session,
    key: 'none',
    credential: null,
    status: figure('status', status),
    stream: false,
    limited: null,
    fault: null,
    cut: null,
    ttft_ms: null,
    queue_ms: 0,
    attempt_key: null,
    retry_count: 0,
    batch: batch ?? null,
  }
}

function tokensOf(entry: UsageEntry): TokenCounts {
  const counts = { ...NO_TOKENS }
  for (const name of Object.keys(NO_TOKENS) as (keyof TokenCounts)[]) counts[name] = figure(name, entry[name] ?? 0)
  if (counts.cached_tokens + counts.cache_write_tokens + counts.audio_input_tokens > counts.prompt_tokens)
    throw new TypeError('prompt_tokens must include cached, written and audio tokens')
  if (counts.reasoning_tokens + counts.audio_output_tokens > counts.completion_tokens)
    throw new TypeError('completion_tokens must include reasoning and audio tokens')
  return counts
}

function figure(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`${name} must be a whole number of at least 0`)
}
