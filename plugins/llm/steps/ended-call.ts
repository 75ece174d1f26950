/** Creates the ledger's call from a request whose response has ended. */
import { copyText } from 'svc/toolkit'
import { sentTokens } from './audio-tokens.ts'
import type { ModelCall } from '../call/model-call.ts'
import type { StreamOutcome } from '../streaming/pump.ts'
import { groupText, type EndedCall } from '../usage/call.ts'

const MAX_ID = 200

/** How a call has ended. */
export interface Outcome {
  status: number
  /** What kind of error it is, for spans. */
  errorType?: string
  /** What the client got: the reply of the model, nothing because it left before, or an error. */
  reply: 'sent' | 'unsent' | 'none'
  /** How the stream ended; absent for complete replies. */
  stream?: StreamOutcome
}

/** One object literal, since this runs for every call. */
export function endedCall(call: ModelCall, { status, reply, stream }: Outcome): EndedCall {
  const { svc, request } = call
  const hasReply = reply !== 'none'
  const record = hasReply ? call.recorded : null
  const result = hasReply ? call.result : null
  const session = svc.http.session(request)
  const duration = Math.round(performance.now() - call.startedAt)
  const chat = result?.op === 'chat' ? result : null
  const planned = record?.completion_tokens ?? 0
  const isCut = stream !== undefined && !stream.isWhole
  const { completion, audio } =
    isCut || reply === 'unsent'
      ? sentTokens(planned, stream?.tokens ?? 0, chat?.audio)
      : { completion: planned, audio: chat?.audio?.output ?? 0 }
  const reasoning = chat?.reasoningTokens ?? 0
  return {
    request_id: isOwnId(call) ? call.requestId : copyText(call.requestId.slice(0, MAX_ID)),
    at: Date.now() - duration,
    duration_ms: duration,
    provider: call.instance.name,
    model: call.model === null ? null : groupText(call.model),
    op: opOf(call, hasReply),
    endpoint: copyText(call.path.slice(0, MAX_ID)),
    session: session.label,
    session_key: session.key,
    key: call.shownCredential,
    credential: call.credential,
    status,
    stream: stream !== undefined,
    limited: call.limited,
    fault: call.fault,
    cut: isCut
      ? { after_tokens: completion, of_tokens: planned, after_events: stream.events, by: stream.by ?? 'client' }
      : null,
    ttft_ms: stream?.firstTokenAt == null ? null : Math.max(0, Math.round(stream.firstTokenAt - call.parsedAt)),
    queue_ms: Math.round(call.queueMs),
    prompt_tokens: record?.prompt_tokens ?? 0,
    cached_tokens: chat?.cachedTokens ?? 0,
    cache_write_tokens: chat?.cacheWriteTokens ?? 0,
    completion_tokens: completion,
    // Reasoning comes first in a stream.
    reasoning_tokens: Math.min(reasoning, completion),
    audio_input_tokens: chat?.audio?.input ?? 0,
    audio_output_tokens: audio,
    attempt_key: attemptKeyOf(call),
    retry_count: retryCountOf(call),
    batch: call.inner?.batch ?? null,
  }
}

/** svc has made the id: it is not a part of a longer text, which would stay in memory with it. */
function isOwnId({ svc, request, inner }: ModelCall): boolean {
  return inner !== null || svc.http.isRequestIdGenerated(request)
}

function opOf({ route, parsed }: ModelCall, hasReply: boolean): string {
  return !hasReply || parsed === null || parsed.op === 'own' ? route.op : parsed.op
}

/** What attempts have in common: the client's request id, or else its idempotency key. */
function attemptKeyOf(call: ModelCall): string | null {
  if (call.inner !== null) return null
  if (!isOwnId(call)) return `id ${call.requestId.slice(0, MAX_ID)}`
  const idempotencyKey = call.header('idempotency-key')
  return idempotencyKey === undefined ? null : `key ${idempotencyKey.slice(0, MAX_ID)}`
}

/** The number of earlier attempts that an SDK states. */
function retryCountOf(call: ModelCall): number {
  const text = call.inner === null ? call.header('x-stainless-retry-count') : undefined
  return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : 0
}
