/** The ledger: what the mock LLM really counted, by minute, provider, model, key, session, operation and status. */
import type { Channel, EventLog, LoggedEvent, SessionKey, Store, Svc } from 'svc/plugin'
import { newestByTime } from 'svc/toolkit'
import { NO_TOKENS, type EndedCall, type LoggedCall, type TokenCounts } from './call.ts'
import type { KeyIds } from './key-ids.ts'
import { costOf, priceOf, type Price } from './prices.ts'

/** What a row adds up. */
export interface Sums extends TokenCounts {
  requests: number
  ok: number
  errors: number
  limited: number
  faults: number
  retries: number
  streams: number
  streams_cut: number
  /** Null: nothing in the row has a price. */
  cost: number | null
  unpriced: number
}

/** The calls of one minute that have all of these in common. */
export interface LedgerRow extends Sums {
  /** Start of the minute, in milliseconds since 1970. */
  minute: number
  provider: string
  model: string | null
  key: string
  key_id: string
  session: string
  session_key: string
  op: string
  status: number
}

export const NO_SUMS: Readonly<Sums> = {
  ...NO_TOKENS,
  requests: 0,
  ok: 0,
  errors: 0,
  limited: 0,
  faults: 0,
  retries: 0,
  streams: 0,
  streams_cut: 0,
  cost: null,
  unpriced: 0,
}

/** Adds `other` to `sums`. */
export function addTo(sums: Sums, other: Sums): void {
  sums.requests += other.requests
  sums.ok += other.ok
  sums.errors += other.errors
  sums.limited += other.limited
  sums.faults += other.faults
  sums.retries += other.retries
  sums.streams += other.streams
  sums.streams_cut += other.streams_cut
  addTokens(sums, other)
  if (other.cost !== null) sums.cost = (sums.cost ?? 0) + other.cost
  sums.unpriced += other.unpriced
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Calls are entered together after this time, or earlier when there are many. */
const FOLD_MS = 100
const FOLD_COUNT = 512
const ALL = 'all'
/** In ids of rows; control characters are not kept in names of models. */
const NO_MODEL = '\u0001'
/** Rows that wait for the state store. */
const MAX_UNSAVED = 2000
/** An estimate: all texts of a call are short. */
const CALL_BYTES = 2048

const BOUNDS = {
  normal: { rows: 20_000, rowsMs: DAY_MS, calls: 5000, callsPerSession: 5000, attempts: 20_000 },
  public: { rows: 2000, rowsMs: HOUR_MS, calls: 500, callsPerSession: 100, attempts: 2000 },
}

/** How long a look waits for what other replicas have not entered yet. */
const LOOK_MS = 5000

/** What a process counts in addition to the rows. */
interface LocalCounts {
  openStreams: number
  /** Calls in rows that were evicted. All replicas see the same evictions. */
  evicted: number
  /** Calls that were not entered. */
  lost: number
}

/** Rows, with what all replicas counted just before they were read. */
export interface Look {
  rows: LedgerRow[]
  openStreams: number
  /** Calls that are in no row any more. */
  dropped: number
}

export interface LedgerOptions {
  prices: readonly Price[]
  /** The format of a provider, for prices. */
  formatOf(provider: string): string
  keyIds: KeyIds
}

export class Ledger {
  readonly #svc: Svc<unknown>
  readonly #options: LedgerOptions
  readonly #rows: Store<LedgerRow>
  readonly #calls: EventLog<LoggedCall>
  /** Calls of an hour by session and request id, to count attempts. */
  readonly #attempts: Store<number>
  #pending: EndedCall[] = []
  /** Rows that could not be stored yet, since the state store was unavailable. */
  #unsaved = new Map<string, LedgerRow>()
  #timer: NodeJS.Timeout | undefined
  /** The entering of earlier calls. */
  #entering: Promise<void> = Promise.resolve()
  /** Of all generations of this process. */
  readonly #counts: LocalCounts
  /** Makes all replicas enter their calls. */
  readonly #looks: Channel<object, LocalCounts>

  constructor(svc: Svc<unknown>, options: LedgerOptions) {
    this.#svc = svc
    this.#options = options
    const bounds = BOUNDS[svc.config.publicMode ? 'public' : 'normal']
    this.#counts = svc.shared('ledger-counts', () => ({ openStreams: 0, evicted: 0, lost: 0 }))
    this.#looks = svc.channel<object, LocalCounts>('ledger', { on: () => this.#enterAll() })
    this.#rows = svc.state<LedgerRow>('ledger', { maxCount: bounds.rows, ttlMs: bounds.rowsMs, watched: true })
    this.#calls = svc.eventLog<LoggedCall>('calls', {
      maxPerStream: bounds.callsPerSession,
      maxCount: bounds.calls,
      ttlMs: bounds.rowsMs,
      batched: true,
      sizeOf: () => CALL_BYTES,
    })
    this.#attempts = svc.state<number>('attempts', { maxCount: bounds.attempts, ttlMs: HOUR_MS })
    svc.whenClosed(
      this.#rows.subscribe(change => {
        if (change.kind === 'evicted') this.#counts.evicted += change.value.requests
      }),
    )
    svc.whenClosed(() => this.flush())
  }

  /** Enters a call soon, so that this takes no time from its response. */
  add(call: EndedCall): void {
    const { length } = this.#pending
    this.#pending.push(call)
    if (length === 0) this.#timer = setTimeout(() => void this.flush(), FOLD_MS).unref()
    else if (length + 1 >= FOLD_COUNT) void this.flush()
  }

  streamOpened(): void {
    this.#counts.openStreams += 1
  }

  streamEnded(): void {
    this.#counts.openStreams -= 1
  }

  /** Resolves when all calls of this process until now are entered. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    const calls = this.#pending
    if (calls.length > 0 || this.#unsaved.size > 0) {
      this.#pending = []
      this.#entering = this.#entering
        .then(() => this.#enter(calls))
        .catch((error: unknown) => this.#svc.log.error('calls could not be entered in the ledger', { error }))
    }
    return this.#entering
  }

  async look(where: (row: LedgerRow) => boolean): Promise<Look> {
    const counts = await this.#collect()
    const rows = (await this.#rows.list({ where })).map(({ value }) => value)
    return { rows, openStreams: counts.openStreams, dropped: counts.evicted + counts.lost }
  }

  /** The newest calls that match. In public mode, of one session. */
  async calls(
    session: SessionKey,
    limit: number,
    where: (call: LoggedCall) => boolean,
    before: number | null,
  ): Promise<LoggedEvent<LoggedCall>[]> {
    await this.#collect()
    const stream = this.#streamOf(session.key)
    const read = before === null ? limit : (await this.#calls.info(stream)).count
    const found = await newestByTime(this.#calls, stream, { limit: read, timeOf: endOf, where })
    if (before === null) return found
    const at = found.findIndex(({ seq }) => seq === before)
    const older = at < 0 ? found.filter(({ seq }) => seq < before) : found.slice(at + 1)
    return older.slice(0, limit)
  }

  /** The newest calls of requests with these ids, of a session, or of all (null; not in public mode). */
  async callsOf(requestIds: ReadonlySet<string>, session: string | null, limit: number): Promise<LoggedCall[]> {
    await this.#collect()
    const key = session === null ? ALL : `header:${session}`
    const found = await this.#calls.newest(
      this.#streamOf(key),
      limit,
      call => requestIds.has(call.request_id) && (session === null || call.session_key === key),
    )
    return found.map(({ value }) => value)
  }

  /** Removes what is kept for a session, or everything; returns the number of rows. */
  async clear(session: SessionKey | null): Promise<number> {
    await this.#collect()
    const isOf = (item: { session_key: string }): boolean => session === null || item.session_key === session.key
    await this.#attempts.clear((_count, key) => session === null || key.startsWith(`${session.key}\0`))
    const rows = await this.#rows.list({ where: isOf })
    const streams = this.#svc.config.publicMode ? new Set(rows.map(({ value }) => value.session_key)) : [ALL]
    for (const stream of streams) await this.#calls.clear(stream, isOf)
    return this.#rows.clear(isOf)
  }

  /** Makes all replicas enter their calls, and adds up what they count. */
  async #collect(): Promise<LocalCounts> {
    const { replies } = await this.#looks.tell({}, { waitMs: LOOK_MS })
    return {
      openStreams: replies.reduce((sum, { openStreams }) => sum + openStreams, 0),
      evicted: replies.reduce((most, { evicted }) => Math.max(most, evicted), 0),
      lost: replies.reduce((sum, { lost }) => sum + lost, 0),
    }
  }

  /** Calls that end while others are entered count as open streams. */
  async #enterAll(): Promise<LocalCounts> {
    const counts = { ...this.#counts }
    await this.flush()
    return counts
  }

  /** In public mode each session has a log of its own, since it sees no other. */
  #streamOf(sessionKey: string): string {
    return this.#svc.config.publicMode ? sessionKey : ALL
  }

  /** A call counts in its row although the attempts or the log are unavailable; rows are stored later. */
  async #enter(calls: readonly EndedCall[]): Promise<void> {
    // All at once, which is one round trip to a shared store.
    const [attempts, keyIds] = await Promise.all([
      Promise.all(calls.map(call => this.#attemptOf(call))),
      this.#options.keyIds.ofAll(calls.map(({ credential }) => credential)),
    ])
    for (const [index, ended] of calls.entries()) {
      const call = this.#logged(ended, attempts[index]!, keyIds[index]!)
      addToRows(this.#unsaved, call)
      // Load mode adds up, and keeps no single call.
      if (this.#svc.config.loadMode) continue
      await this.#calls
        .append(this.#streamOf(call.session_key), call)
        .catch((error: unknown) => this.#svc.log.error('a call could not be logged', { error }))
    }
    const rows = this.#unsaved
    this.#unsaved = new Map()
    const saved = await Promise.allSettled(
      [...rows].map(async ([key, row]) => {
        await this.#rows.update(key, current => (current === undefined ? row : sumOf(current, row)))
        rows.delete(key)
      }),
    )
    this.#keepUnsaved(rows)
    const failed = saved.find(outcome => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  /** Rows beyond the bound are dropped. */
  #keepUnsaved(rows: ReadonlyMap<string, LedgerRow>): void {
    for (const [key, row] of rows) {
      if (this.#unsaved.size < MAX_UNSAVED) this.#unsaved.set(key, row)
      else this.#counts.lost += row.requests
    }
  }

  /** One object literal, since this runs for every call. */
  #logged(call: EndedCall, attempt: number, keyId: string): LoggedCall {
    const { prices, formatOf } = this.#options
    const price =
      prices.length === 0
        ? undefined
        : priceOf(prices, { name: call.provider, format: formatOf(call.provider) }, call.model)
    return {
      request_id: call.request_id,
      attempt,
      at: call.at,
      duration_ms: call.duration_ms,
      provider: call.provider,
      model: call.model,
      op: call.op,
      endpoint: call.endpoint,
      session: call.session,
      session_key: call.session_key,
      key: call.key,
      key_id: keyId,
      status: call.status,
      stream: call.stream,
      limited: call.limited,
      fault: call.fault,
      cut: call.cut,
      ttft_ms: call.ttft_ms,
      queue_ms: call.queue_ms,
      prompt_tokens: call.prompt_tokens,
      cached_tokens: call.cached_tokens,
      cache_write_tokens: call.cache_write_tokens,
      completion_tokens: call.completion_tokens,
      reasoning_tokens: call.reasoning_tokens,
      audio_input_tokens: call.audio_input_tokens,
      audio_output_tokens: call.audio_output_tokens,
      cost: price === undefined ? null : costOf(price, call, call.batch !== null),
      batch: call.batch,
    }
  }

  /** The number of a call among those with its key, from 1: as counted here or by the client. */
  #attemptOf({ session_key, attempt_key, retry_count }: EndedCall): number | Promise<number> {
    const stated = 1 + retry_count
    if (attempt_key === null) return stated
    return this.#attempts.increment(`${session_key}\0${attempt_key}`).then(
      counted => Math.max(counted, stated),
      () => stated,
    )
  }
}

function endOf({ at, duration_ms }: LoggedCall): number {
  return at + duration_ms
}

function addToRows(rows: Map<string, LedgerRow>, call: LoggedCall): void {
  const minute = Math.floor(call.at / MINUTE_MS) * MINUTE_MS
  const { provider, model, key, key_id, session, session_key, op, status } = call
  // None of the texts contains this character, and no model has this name.
  const id = `${minute}\0${provider}\0${model ?? NO_MODEL}\0${key_id}\0${session_key}\0${op}\0${status}`
  let row = rows.get(id)
  if (row === undefined)
    rows.set(id, (row = { minute, provider, model, key, key_id, session, session_key, op, status, ...NO_SUMS }))
  addCall(row, call)
}

/** Changes the row, since this runs for every call. */
function addCall(row: LedgerRow, call: LoggedCall): void {
  row.requests += 1
  if (call.status < 400) row.ok += 1
  else row.errors += 1
  // A prompt that is too long is an error of the client.
  if (call.limited !== null && call.limited !== 'context') row.limited += 1
  if (call.fault !== null) row.faults += 1
  if (call.attempt > 1) row.retries += 1
  if (call.stream) row.streams += 1
  if (call.cut !== null) row.streams_cut += 1
  addTokens(row, call)
  if (call.cost === null) row.unpriced += 1
  else row.cost = (row.cost ?? 0) + call.cost
}

function addTokens(sums: TokenCounts, other: TokenCounts): void {
  sums.prompt_tokens += other.prompt_tokens
  sums.cached_tokens += other.cached_tokens
  sums.cache_write_tokens += other.cache_write_tokens
  sums.completion_tokens += other.completion_tokens
  sums.reasoning_tokens += other.reasoning_tokens
  sums.audio_input_tokens += other.audio_input_tokens
  sums.audio_output_tokens += other.audio_output_tokens
}

function sumOf(one: LedgerRow, other: Sums): LedgerRow {
  const sum = { ...one }
  addTo(sum, other)
  return sum
}
