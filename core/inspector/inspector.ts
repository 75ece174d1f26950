/** The inspector: captures requests, shows them, and notifies feeds of new ones. */
import type { Config } from '../config/variables.ts'
import type { Arrival, ArrivalQuery, InspectorEntry, SvcInspector } from '../contract/plugin.ts'
import type { MemoryUse } from '../collections/memory-use.ts'
import { isBelow } from '../fields/request-target.ts'
import type { CaptureLogs } from './capture-log.ts'
import { arrivalOf } from './arrival.ts'
import { capturedNotes, compact, createEntryMaker, type CaptureFacts, type CaptureNotes } from './captured-entry.ts'
import { pathOf, toEntry, type CapturedRequest } from './captured-request.ts'
import { openCaptures, type Captures } from './captures.ts'
import { Evaluations, type EvaluationBudgets } from './evaluations.ts'
import type { FeedStream } from './feed.ts'
import { createRedaction, type Redaction } from './redaction.ts'
import { joinServices, servicesByArrival } from './service-chain.ts'
import { SessionTotals } from './session-totals.ts'
import { Subjects, type CaptureSubject } from './subjects.ts'
import { Waits, type Watcher } from './waits.ts'

/** Selects entries; absent fields match everything. */
export interface CaptureFilter {
  session?: string | undefined
  pathPrefix?: string | undefined
}

/** Selects entries by conditions on the request. */
export interface CaptureQuery extends CaptureFilter {
  /** All of them must hold. */
  conditions: readonly ((subject: CaptureSubject) => boolean)[]
}

export interface Inspector extends Omit<SvcInspector, 'annotate'> {
  readonly capacity: number
  /** Whether the maximum number of feeds is open. */
  readonly isFeedFull: boolean
  /**
   * Whether requests for this path (decoded; null if malformed) and session are captured, apart from exemptions of
   * plugins.
   */
  captures(path: string | null, session: string | null): boolean
  /** Returns the stored request; call `end` if its response is still being sent. */
  capture(facts: CaptureFacts): CapturedRequest
  /** Shows what was noted about a stored request whose response is still being sent; other replicas see it at its end. */
  note(captured: CapturedRequest, notes: CaptureNotes): void
  /** Call it when the response of a stored request has ended. */
  end(captured: CapturedRequest, notes: CaptureNotes): void
  /** Call it when all requests that a rule has sent are done. */
  noteNotified(captured: CapturedRequest): void
  /** Whether the store of all replicas is unavailable, so that only the requests of this one are shown. */
  readonly isPartial: boolean
  /** Newest first, or oldest first. */
  list(query: CaptureQuery, limit: number, isOldestFirst: boolean): Promise<InspectorEntry[]>
  /** Oldest first. */
  select(query: CaptureQuery): Promise<CapturedRequest[]>
  /** For conditions on captured requests. */
  readonly evaluations: Evaluations
  /** Shows stored and new requests to a watcher; see `Waits.run`. */
  wait(watcher: Watcher, timeoutMs: number, signal: AbortSignal): Promise<number>
  /**
   * How many requests of a session, or of all, are no longer stored because newer ones took their place. With a mark (see
   * `isMark`), 0 if all that came after it are stored.
   */
  dropped(session: string | undefined, since: string | null): Promise<number>
  /** By entry id, else by request id. */
  find(id: string, filter: CaptureFilter): Promise<InspectorEntry | undefined>
  /** Sends new entries until the stream ends; see `Feeds.open`. */
  openFeed(stream: FeedStream, filter: CaptureFilter, lastEventId: string | null): Promise<void>
  /** Removes matching entries and returns their number. */
  clear(filter: CaptureFilter): Promise<number>
  counters(): Promise<{ stored: number; capacity: number; total_captured: number }>
  /** Of the requests that this process has captured, and their totals by session. */
  memoryUse(): MemoryUse
}

export interface InspectorOptions {
  config: Config
  budgets: EvaluationBudgets
  /** Whether a value is the admin token or a verified control-plane token. */
  isControlCredential(value: string): boolean
  /** Makes sure that `capture` was called for all requests with sent headers; called before every read. */
  flush(): void
  /** The logs of all replicas; null if there is no shared store. */
  logs: CaptureLogs | null
  /** Whether the logs can't be read now, so that only the requests of this replica are known. Default: never. */
  isPartial?: () => boolean
}

export function createInspector({
  config,
  budgets,
  isControlCredential,
  flush,
  logs,
  isPartial = () => false,
}: InspectorOptions): Inspector {
  const { loadMode, publicMode } = config
  const captures = openCaptures({
    capacity: config.inspectorCapacity,
    instanceId: config.instanceId,
    maxFeeds: publicMode ? 20 : 100,
    logs,
    isPartial,
    flush,
  })
  const redaction = createRedaction({
    sharedMode: config.shared.enabled,
    // Node reads header bytes as Latin-1.
    adminToken: config.adminToken === null ? null : Buffer.from(config.adminToken).toString('latin1'),
    isControlToken: config.controlAuth === 'jwt' ? isControlCredential : null,
  })
  const totals = new SessionTotals()
  const evaluations = new Evaluations(budgets)
  const waits = new Waits(
    { stored: session => captures.stored(matcher({ session })), onCapture: listener => captures.onCapture(listener) },
    publicMode ? { total: 20, perSession: 5 } : { total: 100, perSession: 100 },
    evaluations,
  )
  const entryOf = createEntryMaker(redaction, { keys: config.shared.enabled })
  return {
    capacity: captures.capacity,
    get isPartial() {
      return captures.isPartial
    },
    get isFeedFull() {
      return captures.isFeedFull
    },
    captures(path, session) {
      if (loadMode || (publicMode && session === null)) return false
      return path === null || !isExcluded(path)
    },
    capture(facts) {
      totals.add(facts.session)
      return captures.add(entryOf(facts))
    },
    note: (captured, notes) => captures.note(captured, capturedNotes(notes, redaction)),
    end: (captured, notes) => captures.end(captured, capturedNotes(notes, redaction)),
    noteNotified: captured => captures.noteNotified(captured),
    ...createReads(captures, totals, evaluations),
    ...createRedactions(redaction),
    evaluations,
    wait: (watcher, timeoutMs, signal) => waits.run(watcher, timeoutMs, signal),
    openFeed: (stream, filter, lastEventId) => captures.openFeed(stream, matcher(filter), lastEventId),
    async clear(filter) {
      const removed = await captures.clear(matcher(filter))
      if (filter.pathPrefix === undefined) totals.clear(filter.session, removed)
      return removed
    },
    memoryUse() {
      const { entries, bytes } = captures.memoryUse()
      return { entries, bytes: bytes + totals.memoryUse().bytes }
    },
  }
}

/** The members that read stored requests. */
function createReads(
  captures: Captures,
  totals: SessionTotals,
  evaluations: Evaluations,
): Pick<Inspector, 'list' | 'select' | 'arrivals' | 'dropped' | 'find' | 'counters' | 'entry'> {
  async function select({ conditions, ...filter }: CaptureQuery): Promise<CapturedRequest[]> {
    const subjects = new Subjects()
    const selected: CapturedRequest[] = []
    const all = await captures.stored(matcher(filter))
    // All are numbered before the first is tested: a condition may ask what came after a later one.
    for (const captured of all) subjects.add(captured)
    await evaluations.run().each(all, (captured, steps) => {
      const subject = subjects.subject(captured, steps)
      if (conditions.every(holds => holds(subject))) selected.push(captured)
    })
    return selected
  }

  /** The entries, with the calls of services about them. Most instances have no such calls. */
  async function joined(shown: readonly CapturedRequest[], { session }: CaptureFilter): Promise<InspectorEntry[]> {
    const entries = shown.map(toEntry)
    if (captures.hasServices || entries.some(({ service }) => service !== null))
      joinServices(entries, await captures.stored(matcher({ session })))
    return entries
  }

  return {
    select,
    async list(query, limit, isOldestFirst) {
      // Without conditions, only the entries that are shown are read.
      if (query.conditions.length === 0 && !isOldestFirst)
        return joined(await captures.source().newest(limit, matcher(query)), query)
      const selected = await select(query)
      return joined(isOldestFirst ? selected.slice(0, limit) : selected.slice(-limit).reverse(), query)
    },
    async arrivals(query) {
      const found = await captures.source().newest(query.limit, arrivalMatcher(query))
      const services = captures.hasServices
        ? servicesByArrival(await captures.stored(matcher({ session: query.session })))
        : null
      return found.map((captured): Arrival => arrivalOf(captured, services))
    },
    async dropped(session, since) {
      // The ring of this replica says nothing about the log of all.
      if (captures.isShared) return 0
      const subjects = new Subjects()
      const kept = await captures.stored(matcher({ session }))
      for (const captured of kept) subjects.add(captured)
      // If an entry before the mark is stored, everything after it is.
      const isCovered = since !== null && kept.some(captured => !subjects.isSince(since, captured))
      return isCovered ? 0 : Math.max(0, totals.of(session) - kept.length)
    },
    async find(id, filter) {
      const captured = await captures.source().lookUp(id, matcher(filter))
      return captured && (await joined([captured], filter))[0]
    },
    async counters() {
      const { stored, total } = await captures.source().counts()
      return { stored, capacity: captures.capacity, total_captured: total }
    },
    entry: async (requestId, session) =>
      asEntry(
        await captures.source().ofRequest(requestId, captured => session === undefined || captured.session === session),
      ),
  }
}

/** The members that redact what plugins show. */
function createRedactions(
  redaction: Redaction,
): Pick<Inspector, 'redactHeaders' | 'redactHeader' | 'redactUrl' | 'redactText'> {
  const redactHeader = (name: string, value: string): string =>
    compact(redaction.header(name.toLowerCase(), value), value)
  return {
    redactHeaders: headers => headers.map(({ name, value }) => ({ name, value: redactHeader(name, value) })),
    redactHeader,
    redactUrl: url => compact(redaction.url(url), url),
    redactText: text => compact(redaction.text(text), text),
  }
}

/** The control plane, and what browsers request on their own; plugins exempt more. */
function isExcluded(path: string): boolean {
  return path === '/favicon.ico' || isBelow(path, '/_svc')
}

/** Returns a predicate for a filter. */
function matcher({ session, pathPrefix }: CaptureFilter): (captured: CapturedRequest) => boolean {
  return captured =>
    (session === undefined || captured.session === session) &&
    (pathPrefix === undefined || pathOf(captured).startsWith(pathPrefix))
}

function arrivalMatcher({
  session,
  since,
  requestIds,
  traceIds,
}: ArrivalQuery): (captured: CapturedRequest) => boolean {
  const hasIds = requestIds !== undefined || traceIds !== undefined
  return captured =>
    captured.service === undefined &&
    (session === undefined || captured.session === session) &&
    (since === undefined || captured.arrivedAt >= since) &&
    (!hasIds ||
      requestIds?.has(captured.requestId) === true ||
      (captured.trace !== null && traceIds?.has(captured.trace.traceId) === true))
}

function asEntry(captured: CapturedRequest | undefined): InspectorEntry | undefined {
  return captured && toEntry(captured)
}
