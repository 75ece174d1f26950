/** The inspector: captures requests, shows them, and notifies feeds of new ones. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config/variables.ts'
import type { InspectorEntry, SvcInspector } from '../contract/plugin.ts'
import type { MemoryUse } from '../collections/memory-use.ts'
import { copyText } from '../collections/text-memory.ts'
import { isBelow } from '../fields/request-target.ts'
import { CaptureLog, FollowedCaptures } from './capture-log.ts'
import type { CaptureLogs } from './capture-log.ts'
import { CaptureStore } from './capture-store.ts'
import type { CaptureSource } from './capture-store.ts'
import { fieldsOf, keptBody, pathOf, progressOf, toEntry } from './captured-request.ts'
import type { CapturedRequest, ResponseProgress } from './captured-request.ts'
import { Feeds } from './feed.ts'
import type { FeedStream } from './feed.ts'
import { createRedaction } from './redaction.ts'
import { BodyConverter } from './response-copy.ts'
import { Evaluations } from './evaluations.ts'
import type { EvaluationBudgets } from './evaluations.ts'
import { SessionTotals } from './session-totals.ts'
import { Subjects } from './subjects.ts'
import type { CaptureSubject } from './subjects.ts'
import { Waits } from './waits.ts'
import type { Watcher } from './waits.ts'
import type { ResponseCopy } from './response-copy.ts'
import { findKey } from '../keys/api-key.ts'

/** What a pipeline stage knows about a request when the response headers are sent. */
export interface CaptureFacts extends Omit<CapturedRequest, 'id' | 'body' | 'bodyBytes' | 'decodedBody' | 'response'> {
  body: Buffer
  /** Null for a body without a content coding. */
  decodedBody: Buffer | null
  response: ResponseInProgress
  /** Lower-case names, to check quickly whether anything needs redaction. */
  headers: IncomingHttpHeaders
}

/** A response that may still be sent. */
export interface ResponseInProgress {
  readonly bytesSent: number
  readonly ended: ResponseProgress['ended']
  readonly grpcStatus: number | null
  readonly copy: ResponseCopy | null
}

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

export interface Inspector extends SvcInspector {
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
  /** Call it when the response of a stored request has ended. */
  end(captured: CapturedRequest): void
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
  const { publicMode } = config
  const sharedMode = config.shared.enabled
  const store = new CaptureStore(config.inspectorCapacity)
  const log = logs === null ? null : new CaptureLog(logs, config.instanceId, store.capacity)
  const flushed = (): CaptureSource => {
    flush()
    return log === null || isPartial() ? store : log
  }
  const followed =
    log &&
    new FollowedCaptures(log, store.capacity, entry => {
      feeds.publish(entry)
      notify(entry.value)
    })
  const listeners = new Set<(captured: CapturedRequest) => void>()
  const notify = (captured: CapturedRequest): void => {
    for (const listener of listeners) listener(captured)
  }
  const totals = new SessionTotals()
  const feeds = new Feeds(followed?.ring ?? store, publicMode ? 20 : 100)
  // Node reads header bytes as Latin-1.
  const adminToken = config.adminToken === null ? null : Buffer.from(config.adminToken).toString('latin1')
  const redaction = createRedaction({
    sharedMode,
    adminToken,
    isControlToken: config.controlAuth === 'jwt' ? isControlCredential : null,
  })

  const converter = new BodyConverter()

  /** Usually nothing needs redaction, and the entry keeps the list of the parser. */
  function redactedHeaders({ headers, rawHeaders }: CaptureFacts, apiKey: string | null): readonly string[] {
    if (redaction.isByNameOnly && headers['x-svc-admin-token'] === undefined) return rawHeaders
    let redacted: string[] | null = null
    for (let index = 1; index < rawHeaders.length; index += 2) {
      const shown = redaction.header(rawHeaders[index - 1]!.toLowerCase(), rawHeaders[index]!, apiKey)
      if (shown !== rawHeaders[index]) (redacted ??= [...rawHeaders])[index] = copyText(shown)
    }
    return redacted ?? rawHeaders
  }

  function redactHeader(name: string, value: string): string {
    return compact(redaction.header(name.toLowerCase(), value), value)
  }

  function redactedBody(body: Buffer, apiKey: string | null): string | null {
    const kept = keptBody(body)
    return kept === null || redaction.isByNameOnly ? kept : compact(redaction.text(kept, apiKey), kept)
  }

  /** The fields and the body of a response as they may be shown. */
  function redactedHead(head: string, apiKey: string | null): string {
    if (redaction.isByNameOnly) return head
    const fields = fieldsOf(head)
    let lines = ''
    for (let index = 0; index < fields.length; index += 2) {
      const name = fields[index]!
      lines += `${name}: ${redaction.header(name.toLowerCase(), fields[index + 1]!, apiKey)}\r\n`
    }
    return copyText(lines)
  }

  function redactedText(body: string, apiKey: string | null): string {
    return redaction.isByNameOnly ? body : compact(redaction.text(body, apiKey), body)
  }

  /** Reads the response when it is shown, until `end` replaces it by a copy. */
  function showProgress(response: ResponseInProgress, apiKey: string | null): ResponseProgress {
    return {
      get bytesSent() {
        return response.bytesSent
      },
      get ended() {
        return response.ended
      },
      get grpcStatus() {
        return response.grpcStatus
      },
      get head() {
        const head = response.copy?.head ?? null
        return head && redactedHead(head, apiKey)
      },
      get body() {
        const body = response.copy?.bodyBy(converter) ?? null
        return body && redactedText(body, apiKey)
      },
    }
  }

  function copyResponse(
    { bytesSent, ended, grpcStatus, copy }: ResponseInProgress,
    apiKey: string | null,
  ): ResponseProgress {
    const head = copy === null ? null : copy.head
    const body = copy === null ? null : copy.bodyBy(converter)
    return {
      bytesSent,
      ended,
      grpcStatus,
      head: head && redactedHead(head, apiKey),
      body: body && redactedText(body, apiKey),
    }
  }

  /** Stored entries, oldest first. */
  async function stored(filter: CaptureFilter): Promise<CapturedRequest[]> {
    return (await flushed().newest(store.capacity, matcher(filter))).reverse()
  }

  async function select({ conditions, ...filter }: CaptureQuery): Promise<CapturedRequest[]> {
    const subjects = new Subjects()
    const selected: CapturedRequest[] = []
    const all = await stored(filter)
    // All are numbered before the first is tested: a condition may ask what came after a later one.
    for (const captured of all) subjects.add(captured)
    await evaluations.run().each(all, (captured, steps) => {
      const subject = subjects.subject(captured, steps)
      if (conditions.every(holds => holds(subject))) selected.push(captured)
    })
    return selected
  }

  const evaluations = new Evaluations(budgets)
  const waits = new Waits(
    {
      stored: session => stored({ session }),
      onCapture(listener) {
        listeners.add(listener)
        // While the store is unavailable, only new requests of other replicas are missed.
        followed?.acquire().catch(() => {})
        return () => {
          listeners.delete(listener)
          followed?.release().catch(() => {})
        }
      },
    },
    publicMode ? { total: 20, perSession: 5 } : { total: 100, perSession: 100 },
    evaluations,
  )

  return {
    capacity: store.capacity,
    get isPartial() {
      return isPartial()
    },
    get isFeedFull() {
      return feeds.isFull
    },
    captures(path, session) {
      if (publicMode && session === null) return false
      return path === null || !isExcluded(path)
    },
    capture(facts) {
      const apiKey = sharedMode ? findKey(keyField(facts.headers), facts.uri) : null
      const entry = store.add({
        id: null,
        requestId: facts.requestId,
        arrivedAt: facts.arrivedAt,
        method: facts.method,
        uri: compact(redaction.url(facts.uri, apiKey), facts.uri),
        httpVersion: facts.httpVersion,
        rawHeaders: redactedHeaders(facts, apiKey),
        clientIp: facts.clientIp,
        session: facts.session,
        sessionFrom: facts.sessionFrom,
        body: redactedBody(facts.body, apiKey),
        bodyBytes: facts.body.length,
        ...(facts.decodedBody === null ? {} : { decodedBody: redactedBody(facts.decodedBody, apiKey) ?? '' }),
        status: facts.status,
        latencyMs: facts.latencyMs,
        trace: facts.trace,
        fault: facts.fault,
        faultSource: facts.faultSource,
        rule: facts.rule,
        faultOrigin: facts.faultOrigin,
        abort: facts.abort,
        failure: facts.failure,
        route: facts.route,
        plugin: facts.plugin,
        response:
          facts.response.ended === 'open' ? showProgress(facts.response, apiKey) : copyResponse(facts.response, apiKey),
      })
      totals.add(facts.session)
      // With a log, feeds follow it.
      if (log === null) {
        feeds.publish(entry)
        notify(entry.value)
      } else log.add(entry.value)
      return entry.value
    },
    end(captured) {
      captured.response = progressOf(captured.response)
      log?.end(captured)
    },
    async list(query, limit, isOldestFirst) {
      // Without conditions, only the entries that are shown are read.
      if (query.conditions.length === 0 && !isOldestFirst)
        return (await flushed().newest(limit, matcher(query))).map(toEntry)
      const selected = await select(query)
      return (isOldestFirst ? selected.slice(0, limit) : selected.slice(-limit).reverse()).map(toEntry)
    },
    select,
    evaluations,
    wait: (watcher, timeoutMs, signal) => waits.run(watcher, timeoutMs, signal),
    async dropped(session, since) {
      // The ring of this replica says nothing about the log of all.
      if (log !== null) return 0
      const subjects = new Subjects()
      const kept = await stored({ session })
      for (const captured of kept) subjects.add(captured)
      // If an entry before the mark is stored, everything after it is.
      const isCovered = since !== null && kept.some(captured => !subjects.isSince(since, captured))
      return isCovered ? 0 : Math.max(0, totals.of(session) - kept.length)
    },
    find: async (id, filter) => asEntry(await flushed().lookUp(id, matcher(filter))),
    async openFeed(stream, filter, lastEventId) {
      flush()
      if (followed !== null) {
        void stream.over.then(() => followed.release()).catch(() => {})
        await followed.acquire()
      }
      feeds.open(stream, matcher(filter), lastEventId)
    },
    async clear(filter) {
      const matches = matcher(filter)
      if (log !== null) store.clear(matches)
      const removed = await flushed().clear(matches)
      if (filter.pathPrefix === undefined) totals.clear(filter.session, removed)
      return removed
    },
    memoryUse() {
      const { entries, bytes } = store.memoryUse()
      return { entries, bytes: bytes + totals.memoryUse().bytes }
    },
    async counters() {
      const { stored, total } = await flushed().counts()
      return { stored, capacity: store.capacity, total_captured: total }
    },
    entry: async (requestId, session) =>
      asEntry(await flushed().ofRequest(requestId, captured => session === undefined || captured.session === session)),
    redactHeaders: headers => headers.map(({ name, value }) => ({ name, value: redactHeader(name, value) })),
    redactHeader,
    redactUrl: url => compact(redaction.url(url), url),
    redactText: text => compact(redaction.text(text), text),
  }
}

/** Copies a redacted text, so that it does not retain the original. */
function compact(shown: string, whole: string): string {
  return shown === whole ? whole : copyText(shown)
}

/** The control plane, and what browsers request on their own; plugins exempt more. */
function isExcluded(path: string): boolean {
  return path === '/' || path === '/favicon.ico' || isBelow(path, '/_svc')
}

function keyField(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['x-svc-key']
  return Array.isArray(value) ? value[0] : value
}

/** Returns a predicate for a filter. */
function matcher({ session, pathPrefix }: CaptureFilter): (captured: CapturedRequest) => boolean {
  return captured =>
    (session === undefined || captured.session === session) &&
    (pathPrefix === undefined || pathOf(captured).startsWith(pathPrefix))
}

function asEntry(captured: CapturedRequest | undefined): InspectorEntry | undefined {
  return captured && toEntry(captured)
}
