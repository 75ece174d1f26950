/** The inspector: captures requests, shows them, and notifies feeds of new ones. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config/variables.ts'
import type { InspectorEntry, SvcInspector } from '../contract/plugin.ts'
import { copyText } from '../collections/text-memory.ts'
import { isBelow } from '../fields/request-target.ts'
import { CaptureStore } from './capture-store.ts'
import { keptBody, pathOf, toEntry } from './captured-request.ts'
import type { CapturedRequest } from './captured-request.ts'
import { Feeds } from './feed.ts'
import type { FeedStream } from './feed.ts'
import { createRedaction } from './redaction.ts'
import { findKey } from '../keys/api-key.ts'

/** What a pipeline stage knows about a request when the response headers are sent. */
export interface CaptureFacts extends Omit<CapturedRequest, 'id' | 'body' | 'bodyBytes'> {
  body: Buffer
  /** Lower-case names, to check quickly whether anything needs redaction. */
  headers: IncomingHttpHeaders
}

/** Selects entries; absent fields match everything. */
export interface CaptureFilter {
  session?: string | undefined
  pathPrefix?: string | undefined
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
  /** Returns the stored request; its `response` is replaced when the response ends. */
  capture(facts: CaptureFacts): CapturedRequest
  /** Newest first. */
  list(filter: CaptureFilter, limit: number): InspectorEntry[]
  /** By entry id, else by request id. */
  find(id: string, filter: CaptureFilter): InspectorEntry | undefined
  /** Sends new entries until the stream ends; see `Feeds.open`. */
  openFeed(stream: FeedStream, filter: CaptureFilter, lastEventId: string | null): void
  /** Removes matching entries and returns their number. */
  clear(filter: CaptureFilter): number
  counters(): { stored: number; capacity: number; total_captured: number }
}

export interface InspectorOptions {
  config: Config
  /** Whether a value is the admin token or a verified control-plane token. */
  isControlCredential(value: string): boolean
  /** Makes sure that `capture` was called for all requests with sent headers; called before every read. */
  flush(): void
}

export function createInspector({ config, isControlCredential, flush }: InspectorOptions): Inspector {
  const { publicMode } = config
  const sharedMode = config.shared.enabled
  const store = new CaptureStore(config.inspectorCapacity)
  const flushed = (): CaptureStore => {
    flush()
    return store
  }
  const feeds = new Feeds(store, publicMode ? 20 : 100)
  // Node reads header bytes as Latin-1.
  const adminToken = config.adminToken === null ? null : Buffer.from(config.adminToken).toString('latin1')
  const redaction = createRedaction({
    sharedMode,
    adminToken,
    isControlToken: config.controlAuth === 'jwt' ? isControlCredential : null,
  })

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

  return {
    capacity: store.capacity,
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
        body: redactedBody(facts.body, apiKey),
        bodyBytes: facts.body.length,
        status: facts.status,
        latencyMs: facts.latencyMs,
        trace: facts.trace,
        fault: facts.fault,
        faultSource: facts.faultSource,
        rule: facts.rule,
        route: facts.route,
        plugin: facts.plugin,
        response: facts.response,
      })
      feeds.publish(entry)
      return entry.value
    },
    list: (filter, limit) => flushed().newest(limit, matcher(filter)).map(toEntry),
    find: (id, filter) => asEntry(flushed().lookUp(id, matcher(filter))),
    openFeed(stream, filter, lastEventId) {
      flush()
      return feeds.open(stream, matcher(filter), lastEventId)
    },
    clear: filter => flushed().clear(matcher(filter)),
    counters: () => ({ stored: flushed().size, capacity: store.capacity, total_captured: store.total }),
    entry: (requestId, session) =>
      asEntry(flushed().ofRequest(requestId, captured => session === undefined || captured.session === session)),
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
