/** Reads and awaits records. */
import { HttpError, type Svc } from 'svc/plugin'
import { sleep } from 'svc/toolkit'
import type { Kind, RecordOf, TelemetryRecord } from '../records/record.ts'
import type { Reports } from '../records/reports.ts'
import type { RecordFilter } from './filters.ts'

const MAX_OPEN = { normal: 100, public: 20 }

/** Number of open waits of this process. */
export interface OpenWaits {
  count: number
}

/** All records that match, newest first. */
export async function select<K extends Kind>(
  reports: Reports,
  kind: K,
  { session, since, where }: RecordFilter,
): Promise<RecordOf[K][]> {
  const found = await reports.newest(kind, session, reports.bounds.count, record =>
    typeof since === 'string' ? true : isAfter(record, since) && where(record),
  )
  const records = found.map(({ value }) => value)
  if (typeof since !== 'string') return records
  // Records of one log are in the order in which they came; without the record, nothing is before it.
  const at = records.findIndex(({ id }) => id === since)
  return (at === -1 ? records : records.slice(0, at)).filter(where)
}

function isAfter(record: TelemetryRecord, since: number | null): boolean {
  return since === null || Date.parse('received_at' in record ? record.received_at : record.time) >= since
}

export interface Wait {
  count: number
  timeoutMs: number
}

/** Counts a wait; call the result when it is over. 503 if too many waits are open. */
export function enterWait(svc: Svc<unknown>): () => void {
  const open = svc.shared('open-waits', (): OpenWaits => ({ count: 0 }))
  if (open.count >= MAX_OPEN[svc.config.publicMode ? 'public' : 'normal'])
    throw new HttpError(503, { error: 'too_many_waits' })
  open.count++
  return () => void open.count--
}

/** Waits until enough records match. 503 if too many waits are open. */
export async function waitFor(
  svc: Svc<unknown>,
  reports: Reports,
  kind: Kind,
  filter: RecordFilter,
  { count, timeoutMs }: Wait,
  signal: AbortSignal,
): Promise<{ satisfied: boolean; waited_ms: number }> {
  const leave = enterWait(svc)
  const startedAt = performance.now()
  const waited = (): number => Math.round(performance.now() - startedAt)
  let wake = (): void => {}
  let hasNew = false
  const stop = reports.follow(kind, filter.session, record => {
    if (!filter.where(record)) return
    hasNew = true
    wake()
  })
  try {
    for (;;) {
      hasNew = false
      if ((await select(reports, kind, filter)).length >= count) return { satisfied: true, waited_ms: waited() }
      const restMs = timeoutMs - (performance.now() - startedAt)
      if (restMs <= 0 || signal.aborted) return { satisfied: false, waited_ms: waited() }
      if (!hasNew) await sleep(restMs, { signal, onWake: awake => (wake = awake) })
    }
  } finally {
    leave()
    stop()
  }
}
