/** Keeps what gateways report, within bounds; the oldest records go first. */
import type { AnyRequest, EventLog, SessionKey, Store, Svc } from 'svc/plugin'
import { heldValueBytes } from 'svc/toolkit'
import type { Intake, IntakeBounds } from './intake.ts'
import { KINDS, type Kind, type RecordOf, type TelemetryRecord } from './record.ts'
import { settleSessions } from './sessions.ts'

/** Records of one kind: of the instance and, on a public one, of a session. */
const RECORDS = { normal: 2000, public: 200 }
/** Memory of all records, in bytes. */
const TOTAL_BYTES = 16 * 1024 * 1024
/** What one call may add, in bytes. */
const CALL_BYTES = { normal: 4 * 1024 * 1024, public: 512 * 1024 }
const RECORD_BYTES = 65_536
const TTL_MS = { normal: 24 * 3_600_000, public: 3_600_000 }

export interface Found<K extends Kind> {
  seq: number
  value: RecordOf[K]
}

export class Reports {
  readonly #svc: Svc<unknown>
  readonly #log: EventLog<TelemetryRecord>
  /** Sessions that have records, on a public instance. */
  readonly #sessions: Store<true>
  readonly #received
  readonly bounds: IntakeBounds

  constructor(svc: Svc<unknown>) {
    this.#svc = svc
    const mode = svc.config.publicMode ? 'public' : 'normal'
    this.bounds = {
      count: RECORDS[mode],
      bytes: CALL_BYTES[mode],
      recordBytes: RECORD_BYTES,
      needsSession: svc.config.publicMode,
    }
    this.#log = svc.eventLog<TelemetryRecord>('records', {
      maxPerStream: RECORDS[mode],
      maxCount: RECORDS.normal * KINDS.length,
      maxBytes: TOTAL_BYTES,
      ttlMs: TTL_MS[mode],
      batched: true,
      sizeOf: heldValueBytes,
    })
    this.#sessions = svc.state<true>('sessions', { maxCount: RECORDS.normal * KINDS.length, ttlMs: TTL_MS[mode] })
    this.#received = svc.metrics.counter(
      'svc_telemetry_records_total',
      'Spans, log records and values of metrics that gateways have reported, by whether they were kept',
      ['kind', 'source', 'kept'],
    )
  }

  /** Keeps the records of a call. What has no session is rejected on a public instance. */
  async keep<K extends Kind>(kind: K, source: string, request: AnyRequest, intake: Intake<K>): Promise<void> {
    await settleSessions(this.#svc, request, intake.reports)
    if (this.#svc.config.publicMode) await this.#noteSessions(intake)
    let kept = 0
    for (const { record } of intake.reports) {
      if (this.bounds.needsSession && record.session === null)
        intake.reject('a public instance keeps only what has a session: set the attribute svc.session')
      else {
        await this.#log.append(this.#streamOf(kind, record.session), record)
        kept++
      }
    }
    if (kept > 0) this.#received.inc({ kind, source, kept: 'true' }, kept)
    if (intake.rejected > 0) this.#received.inc({ kind, source, kept: 'false' }, intake.rejected)
  }

  /** The newest that match, newest first. On a public instance a session is needed. */
  async newest<K extends Kind>(
    kind: K,
    session: string | null,
    limit: number,
    where: (record: RecordOf[K]) => boolean,
  ): Promise<Found<K>[]> {
    const isOf = (record: TelemetryRecord): boolean =>
      (session === null || record.session === session) && where(record as RecordOf[K])
    return (await this.#log.newest(this.#streamOf(kind, session), limit, isOf)) as Found<K>[]
  }

  /** Calls `on` for every new record, of this session or of all. Returns a function that stops. */
  follow<K extends Kind>(kind: K, session: string | null, on: (record: RecordOf[K]) => void): () => void {
    return this.#log.follow(
      this.#streamOf(kind, session),
      null,
      (_seq, record) => {
        if (session === null || record.session === session) on(record as RecordOf[K])
      },
      () => {},
    )
  }

  /** Removes the records of a session, or all; returns their number. */
  clear(kind: Kind, session: string | null): Promise<number> {
    return this.#log.clear(this.#streamOf(kind, session), record => session === null || record.session === session)
  }

  /** For a reset. On a public instance, sessions are removed one by one. */
  async reset(session: SessionKey | null): Promise<number> {
    if (session !== null && session.header === null) return 0
    const isAllOfPublic = session === null && this.#svc.config.publicMode
    const sessions = isAllOfPublic ? (await this.#sessions.list()).map(({ key }) => key) : [session?.header ?? null]
    let cleared = 0
    for (const name of sessions) for (const kind of KINDS) cleared += await this.clear(kind, name)
    return cleared
  }

  /** A session without records is forgotten when its time is over. */
  async #noteSessions<K extends Kind>({ reports }: Intake<K>): Promise<void> {
    const names = new Set(reports.flatMap(({ record }) => record.session ?? []))
    for (const name of names) await this.#sessions.set(name, true)
  }

  /** On a public instance each session has logs of its own, so that none can fill those of others. */
  #streamOf(kind: Kind, session: string | null): string {
    return this.#svc.config.publicMode ? `${kind} ${session ?? ''}` : kind
  }
}
