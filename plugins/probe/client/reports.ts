/** What the gateway reported to the upstream about the requests of a check. */
import type { JsonObject } from 'svc/plugin'
import { sleep } from 'svc/toolkit'
import type { BackChannel } from './back-channel.ts'
import { clock } from './changes.ts'
import type { Call } from './evidence.ts'
import { valuesOf } from './response-parser.ts'

/** A span or a log record about a request. */
export interface ReportedRequest {
  /** Of the request. */
  step: number
  kind: 'span' | 'log'
  source: string
  /** Of a span; null: unspecified, or a log record. */
  spanKind: string | null
  requestId: string | null
  traceId: string | null
  path: string | null
  status: number | null
  attempts: number | null
  /** The whole record as JSON, cut. */
  text: string
}

/** As the upstream lists them, as far as they are read. */
interface Listed {
  id: string
  source: string
  trace_id: string | null
  attributes: JsonObject
  kind?: string | null
  request_id?: string | null
  path?: string | null
  status?: number | string | null
  attempts?: number | null
}

/** Exporters send what they have every few seconds. */
const PATIENCE_MS = 12_000
const POLL_MS = 250
/** Then a second report of the same request has come too. */
const SETTLE_MS = 1_500
const LIMIT = 2_000
const MAX_TEXT = 16 * 1024
/** The nonce of a run, and the number of a step. */
const STEP = /\/probe\/([a-z2-7]{26})\/[a-z\d-]+\/(\d{1,6})(?!\d)/

interface Places {
  channels: readonly BackChannel[]
  nonce: string
}

/** Waits until each format has a report about each request, or the time is over. */
export async function reportsAbout(calls: readonly Call[], places: Places): Promise<ReportedRequest[]> {
  const until = clock() + PATIENCE_MS
  for (;;) {
    const before = await reportsNow(calls, places)
    const isOver = clock() >= until
    if (!isOver && !isComplete(calls, before)) {
      await sleep(POLL_MS)
      continue
    }
    // Exporters have intervals, so a format may come later than others.
    await sleep(SETTLE_MS)
    const found = await reportsNow(calls, places)
    if (isOver || isComplete(calls, found)) return found
  }
}

function isComplete(calls: readonly Call[], found: readonly ReportedRequest[]): boolean {
  const formats = new Set(found.map(formatOf))
  return (
    formats.size > 0 &&
    calls.every(({ record }) =>
      [...formats].every(format => found.some(one => one.step === record.step && formatOf(one) === format)),
    )
  )
}

const formatOf = ({ kind, source, spanKind }: ReportedRequest): string => `${kind} ${source} ${spanKind}`

async function reportsNow(calls: readonly Call[], { channels, nonce }: Places): Promise<ReportedRequest[]> {
  const lists = await Promise.all(
    channels.flatMap(channel =>
      (['logs', 'spans'] as const).map(async kind => {
        const answer = (await channel.send('GET', `/_svc/telemetry/${kind}?limit=${LIMIT}`)) as Record<string, Listed[]>
        return answer[kind]!.map(record => ({ kind: kind === 'logs' ? ('log' as const) : ('span' as const), record }))
      }),
    ),
  )
  const all = [...new Map(lists.flat().map(one => [one.record.id, one])).values()]
  const ids = calls.map(call => ({ step: call.record.step, ...idsOf(call) }))
  return all.flatMap(({ kind, record }) => {
    const text = JSON.stringify(record)
    const [, inPath, number] = STEP.exec(text) ?? []
    const own =
      inPath === undefined
        ? ids.find(one => isJoined(one, record))
        : ids.find(({ step }) => inPath === nonce && step === Number(number))
    return own === undefined ? [] : [reportedRequest(own.step, kind, record, text)]
  })
}

/** By which reports can be joined with a request, as it was sent and as it arrived. */
function idsOf({ record, arrivals }: Call): { requestIds: string[]; traceIds: string[] } {
  const sent = record.spec.fields ?? []
  const values = (name: string): string[] => [
    ...valuesOf(sent, name),
    ...arrivals.flatMap(arrival => arrival.values(name)),
  ]
  return {
    requestIds: values('x-request-id'),
    traceIds: values('traceparent').flatMap(value => traceIdIn(value) ?? []),
  }
}

/** The trace id of a `traceparent`; null if it is not one. */
export function traceIdIn(traceparent: string): string | null {
  return /^[\da-f]{2}-([\da-f]{32})-/.exec(traceparent)?.[1] ?? null
}

function isJoined({ requestIds, traceIds }: ReturnType<typeof idsOf>, { request_id: id, trace_id: trace }: Listed) {
  return (id != null && requestIds.includes(id)) || (trace !== null && traceIds.includes(trace))
}

/** The facts of a span are in its attributes, under the names of the semantic conventions. */
function reportedRequest(step: number, kind: ReportedRequest['kind'], record: Listed, text: string): ReportedRequest {
  const attribute = (...names: string[]): unknown => names.map(name => record.attributes[name]).find(one => one != null)
  const numberOf = (value: unknown): number | null =>
    value != null && /^\d{1,9}$/.test(String(value)) ? Number(value) : null
  const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
  const common = { step, kind, source: record.source, traceId: record.trace_id, text: text.slice(0, MAX_TEXT) }
  if (kind === 'log')
    return {
      ...common,
      spanKind: null,
      requestId: record.request_id ?? null,
      path: record.path ?? null,
      status: numberOf(record.status),
      attempts: record.attempts ?? null,
    }
  return {
    ...common,
    spanKind: record.kind ?? null,
    requestId: textOf(attribute('guid:x-request-id', 'request_id')),
    path: textOf(attribute('url.path', 'http.target', 'http.url', 'url.full')),
    status: numberOf(attribute('http.response.status_code', 'http.status_code')),
    attempts: null,
  }
}
