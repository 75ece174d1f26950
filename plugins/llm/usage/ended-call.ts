/** Creates the ledger's call from a request whose response has ended. */
import { copyText } from 'svc/toolkit'
import { sentTokens } from '../exchange/audio-tokens.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { AiRecord } from '../records/records.ts'
import type { Parsed, ResultOf } from '../provider.ts'
import type { StreamOutcome } from '../streaming/pump.ts'
import { groupText, type EndedCall } from './call.ts'

const MAX_ID = 200

/** What a response contained; tokens are 0 for errors. */
export interface Outcome {
  status: number
  /** What kind of error it is, for spans. */
  errorType?: string
  record?: Pick<AiRecord, 'prompt_tokens' | 'completion_tokens'>
  parsed?: Parsed
  result?: ResultOf<Parsed>
  /** How the stream ended; absent for complete replies. */
  stream?: StreamOutcome
  /** The client left before the response began. */
  isUnsent?: true
}

/** One object literal, since this runs for every call. */
export function endedCall(
  exchange: Exchange,
  { status, record, parsed, result, stream, isUnsent }: Outcome,
): EndedCall {
  const { svc, request } = exchange
  const session = svc.http.session(request)
  const duration = Math.round(performance.now() - exchange.startedAt)
  const chat = result?.op === 'chat' ? result : null
  const planned = record?.completion_tokens ?? 0
  const isCut = stream !== undefined && !stream.isWhole
  const { completion, audio } =
    isCut || isUnsent === true
      ? sentTokens(planned, stream?.tokens ?? 0, chat?.audio)
      : { completion: planned, audio: chat?.audio?.output ?? 0 }
  const reasoning = chat?.reasoningTokens ?? 0
  return {
    request_id: isOwnId(exchange) ? exchange.requestId : copyText(exchange.requestId.slice(0, MAX_ID)),
    at: Date.now() - duration,
    duration_ms: duration,
    provider: exchange.instance.name,
    model: exchange.model === null ? null : groupText(exchange.model),
    op: opOf(exchange, parsed),
    endpoint: copyText(exchange.path.slice(0, MAX_ID)),
    session: session.label,
    session_key: session.key,
    key: exchange.shownCredential,
    credential: exchange.credential,
    status,
    stream: stream !== undefined,
    limited: exchange.limited,
    fault: exchange.fault,
    cut: isCut
      ? { after_tokens: completion, of_tokens: planned, after_events: stream.events, by: stream.by ?? 'client' }
      : null,
    ttft_ms: stream?.firstTokenAt == null ? null : Math.max(0, Math.round(stream.firstTokenAt - exchange.parsedAt)),
    queue_ms: Math.round(exchange.queueMs),
    prompt_tokens: record?.prompt_tokens ?? 0,
    cached_tokens: chat?.cachedTokens ?? 0,
    cache_write_tokens: chat?.cacheWriteTokens ?? 0,
    completion_tokens: completion,
    // Reasoning comes first in a stream.
    reasoning_tokens: Math.min(reasoning, completion),
    audio_input_tokens: chat?.audio?.input ?? 0,
    audio_output_tokens: audio,
    attempt_key: attemptKeyOf(exchange),
    retry_count: retryCountOf(exchange),
    batch: exchange.inner?.batch ?? null,
  }
}

/** svc has made the id: it is not a part of a longer text, which would stay in memory with it. */
function isOwnId({ svc, request, inner }: Exchange): boolean {
  return inner !== null || svc.http.isRequestIdGenerated(request)
}

function opOf({ route }: Exchange, parsed: Parsed | undefined): string {
  return parsed === undefined || parsed.op === 'own' ? route.op : parsed.op
}

/** What attempts have in common: the client's request id, or else its idempotency key. */
function attemptKeyOf(exchange: Exchange): string | null {
  if (exchange.inner !== null) return null
  if (!isOwnId(exchange)) return `id ${exchange.requestId.slice(0, MAX_ID)}`
  const idempotencyKey = exchange.header('idempotency-key')
  return idempotencyKey === undefined ? null : `key ${idempotencyKey.slice(0, MAX_ID)}`
}

/** The number of earlier attempts that an SDK states. */
function retryCountOf(exchange: Exchange): number {
  const text = exchange.inner === null ? exchange.header('x-stainless-retry-count') : undefined
  return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : 0
}
