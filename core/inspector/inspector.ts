/** The inspector: captures requests, shows them, and tells feeds of new ones. */
import type { Config } from '../config/variables.ts'
import type { InspectorEntry, SvcInspector } from '../contract/plugin.ts'
import { isBelow } from '../fields/request-target.ts'
import { CaptureStore } from './capture-store.ts'
import { keptBody, pathOf, toEntry } from './captured-request.ts'
import type { CapturedRequest } from './captured-request.ts'
import { Feeds } from './feed.ts'
import type { FeedStream } from './feed.ts'
import { createRedaction } from './redaction.ts'

/** What a stage of the pipeline knows of a request when its head goes out. */
export interface CaptureFacts extends Omit<CapturedRequest, 'id' | 'body' | 'bodyBytes'> {
  body: Buffer
  /** Lower-case names, to see at a glance whether there is anything to redact. */
  headers: Record<string, unknown>
}

/** Which entries are meant; what is absent does not matter. */
export interface CaptureFilter {
  session?: string | undefined
  pathPrefix?: string | undefined
}

export interface Inspector extends SvcInspector {
  readonly capacity: number
  /** No further feed may open. */
  readonly isFeedFull: boolean
  /** Whether requests of this path (decoded, null: malformed) and session are captured, the exemptions of plugins aside. */
  captures(path: string | null, session: string | null): boolean
  capture(facts: CaptureFacts): void
  /** Newest first. */
  list(filter: CaptureFilter, limit: number): InspectorEntry[]
  /** By entry id, else by request id. */
  find(id: string): InspectorEntry | undefined
  /** Sends new entries until the stream ends; see `Feeds.open`. */
  openFeed(stream: FeedStream, filter: CaptureFilter, lastEventId: string | null): void
  /** Removes what matches; answers how many. */
  clear(filter: CaptureFilter): number
  counters(): { stored: number; capacity: number; total_captured: number }
}

export interface InspectorOptions {
  config: Config
  /** Whether a bearer value is the admin token or a valid token of the control plane. */
  isControlCredential(value: string): boolean
  /** Has `capture` called for all requests whose heads are out; asked before every look at what is kept. */
  settle(): void
}

export function createInspector({ config, isControlCredential, settle }: InspectorOptions): Inspector {
  const { publicMode } = config
  const sharedMode = config.shared.enabled
  const store = new CaptureStore(config.inspectorCapacity)
  const settled = (): CaptureStore => {
    settle()
    return store
  }
  const feeds = new Feeds(store, publicMode ? 20 : 100)
  const redaction = createRedaction({ sharedMode, isControlCredential })

  /** Most requests carry nothing of the kind, and keep the parser's own list. */
  function redactedHeaders({ headers, rawHeaders }: CaptureFacts): readonly string[] {
    const isPlain = headers['x-svc-admin-token'] === undefined && headers.authorization === undefined
      && !(sharedMode && (headers['x-svc-key'] !== undefined || headers.referer !== undefined))
    if (isPlain) return rawHeaders
    let redacted: string[] | null = null
    for (let index = 1; index < rawHeaders.length; index += 2) {
      const shown = redaction.header(rawHeaders[index - 1]!.toLowerCase(), rawHeaders[index]!)
      if (shown !== rawHeaders[index]) (redacted ??= [...rawHeaders])[index] = shown
    }
    return redacted ?? rawHeaders
  }

  return {
    capacity: store.capacity,
    get isFeedFull() { return feeds.isFull },
    captures(path, session) {
      if (publicMode && session === null) return false
      return path === null || !isExcluded(path)
    },
    capture(facts) {
      feeds.publish(store.add({
        id: null,
        requestId: facts.requestId,
        arrivedAt: facts.arrivedAt,
        method: facts.method,
        uri: redaction.url(facts.uri),
        httpVersion: facts.httpVersion,
        rawHeaders: redactedHeaders(facts),
        clientIp: facts.clientIp,
        session: facts.session,
        body: keptBody(facts.body),
        bodyBytes: facts.body.length,
        status: facts.status,
        latencyMs: facts.latencyMs,
        trace: facts.trace,
      }))
    },
    list: (filter, limit) => settled().newest(limit, matcher(filter)).map(toEntry),
    find: id => asEntry(settled().lookUp(id)),
    openFeed(stream, filter, lastEventId) {
      settle()
      return feeds.open(stream, matcher(filter), lastEventId)
    },
    clear: filter => settled().clear(matcher(filter)),
    counters: () => ({ stored: settled().size, capacity: store.capacity, total_captured: store.total }),
    entry: requestId => asEntry(settled().ofRequest(requestId)),
    redactHeaders: headers => headers.map(({ name, value }) => ({ name, value: redaction.header(name.toLowerCase(), value) })),
    redactHeader: (name, value) => redaction.header(name.toLowerCase(), value),
    redactUrl: url => redaction.url(url),
  }
}

/** The control plane, and what browsers ask for by themselves; plugins exempt more. */
function isExcluded(path: string): boolean {
  return path === '/' || path === '/favicon.ico' || isBelow(path, '/_svc')
}

/** Whether a captured request is one of those that a filter means. */
function matcher({ session, pathPrefix }: CaptureFilter): (captured: CapturedRequest) => boolean {
  return captured => (session === undefined || captured.session === session)
    && (pathPrefix === undefined || pathOf(captured).startsWith(pathPrefix))
}

function asEntry(captured: CapturedRequest | undefined): InspectorEntry | undefined {
  return captured && toEntry(captured)
}
