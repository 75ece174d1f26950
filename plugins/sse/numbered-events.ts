/** Parses requests to `/sse`, and creates its numbered events. */
import { integerParameter, invalidParameter, quoteInput, type Config, type SseEvent } from 'svc/plugin'

export interface NumberedEvents {
  /** Number of events; ids are 1 to `count`. */
  count: number
  intervalMs: number
  event: string | undefined
  retryMs: number | undefined
  mode: 'json' | 'text'
  /** 0 for no heartbeats. */
  heartbeatMs: number
}

const EVENT_NAME = /^[\w.:-]{1,64}$/
const MAX_RETRY_MS = 3_600_000
const MIN_HEARTBEAT_MS = 100
const MAX_HEARTBEAT_MS = 60_000
const DEFAULT_HEARTBEAT_MS = 15_000

/** Maximum lifetime of a stream in milliseconds. */
export function lifetimeOf({ publicMode }: Config): number {
  return publicMode ? 120_000 : 600_000
}

/** Reads the query; throws `invalid_parameter`. */
export function readNumberedEvents(query: URLSearchParams, { publicMode }: Config): NumberedEvents {
  const retry = integerParameter(query, 'retry', { fallback: undefined })
  return {
    count: integerParameter(query, 'count', { fallback: 10, max: publicMode ? 100 : 1000 }),
    intervalMs: integerParameter(query, 'interval_ms', { fallback: 1000, max: publicMode ? 10_000 : 60_000 }),
    event: readEventName(query),
    retryMs: retry === undefined ? undefined : Math.min(retry, MAX_RETRY_MS),
    mode: readMode(query),
    heartbeatMs: readHeartbeat(query),
  }
}

function readEventName(query: URLSearchParams): string | undefined {
  const name = query.get('event')
  if (name === null || EVENT_NAME.test(name)) return name ?? undefined
  throw invalidParameter(
    'event',
    `invalid event name ${quoteInput(name)} (expected 1 to 64 letters, digits, _ . : or -)`,
  )
}

function readMode(query: URLSearchParams): 'json' | 'text' {
  const mode = query.get('mode') ?? 'json'
  if (mode === 'json' || mode === 'text') return mode
  throw invalidParameter('mode', `invalid mode ${quoteInput(mode)} (expected json or text)`)
}

function readHeartbeat(query: URLSearchParams): number {
  const ms = integerParameter(query, 'heartbeat_ms', { fallback: DEFAULT_HEARTBEAT_MS })
  if (ms === 0 || ms >= MIN_HEARTBEAT_MS) return Math.min(ms, MAX_HEARTBEAT_MS)
  throw invalidParameter('heartbeat_ms', `invalid heartbeat_ms "${ms}" (expected 0, or at least ${MIN_HEARTBEAT_MS})`)
}

/** The event with that id; the first event sent on a stream includes `retry`. */
export function numberedEvent(id: number, { count, event, retryMs, mode }: NumberedEvents, isFirst: boolean): SseEvent {
  const message = `event ${id} of ${count}`
  return {
    id,
    event,
    retry: isFirst ? retryMs : undefined,
    data: mode === 'text' ? message : { id, count, message, timestamp: new Date().toISOString() },
  }
}
