/** The report of `GET /ai/usage`: rows of the ledger, grouped and added up. */
import { addTo, NO_SUMS, type LedgerRow, type Sums } from './ledger.ts'
import { isTime, type Group } from './query.ts'

export type GroupValue = string | number | null
/** The group fields of a row by name. */
export type GroupFields = Record<string, GroupValue>

export interface ReportRow {
  fields: GroupFields
  sums: Sums
}

export interface Report {
  totals: Sums
  rows: ReportRow[]
}

const SPANS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }
const COST_DIGITS = 1e8

/** Groups rows; those that cost most come first. */
export function report(rows: readonly LedgerRow[], groups: readonly Group[]): Report {
  const grouped = new Map<string, ReportRow>()
  const totals: Sums = { ...NO_SUMS }
  for (const row of rows) {
    addTo(totals, row)
    const fields = fieldsOf(row, groups)
    const id = JSON.stringify(fields)
    let group = grouped.get(id)
    if (group === undefined) grouped.set(id, (group = { fields, sums: { ...NO_SUMS } }))
    addTo(group.sums, row)
  }
  const sorted = [...grouped].sort(
    ([oneId, { sums: one }], [otherId, { sums: other }]) =>
      (other.cost ?? 0) - (one.cost ?? 0) || total(other) - total(one) || (oneId < otherId ? -1 : 1),
  )
  return { totals, rows: sorted.map(([, row]) => row) }
}

function fieldsOf(row: LedgerRow, groups: readonly Group[]): GroupFields {
  const fields: GroupFields = {}
  for (const group of groups) {
    if (isTime(group)) {
      const span = SPANS[group]
      fields.time = new Date(Math.floor(row.minute / span) * span).toISOString()
    } else if (group === 'key') {
      fields.key = row.key
      fields.key_id = row.key_id
    } else fields[group] = row[group]
  }
  return fields
}

/** The names of the group fields. */
export function fieldNames(groups: readonly Group[]): string[] {
  return groups.flatMap(group => {
    if (isTime(group)) return ['time']
    return group === 'key' ? ['key', 'key_id'] : [group]
  })
}

function total({ prompt_tokens, completion_tokens }: Sums): number {
  return prompt_tokens + completion_tokens
}

/** Rounds to 8 digits, so that sums of floating point numbers stay readable. */
export function roundCost(cost: number | null): number | null {
  return cost === null ? null : Math.round(cost * COST_DIGITS) / COST_DIGITS
}

/** The figures of a row, in the order in which replies and CSV have them. */
export function figuresOf(sums: Sums): Record<string, number | null> {
  return {
    requests: sums.requests,
    ok: sums.ok,
    errors: sums.errors,
    limited: sums.limited,
    faults: sums.faults,
    retries: sums.retries,
    streams: sums.streams,
    streams_cut: sums.streams_cut,
    prompt_tokens: sums.prompt_tokens,
    cached_tokens: sums.cached_tokens,
    cache_write_tokens: sums.cache_write_tokens,
    completion_tokens: sums.completion_tokens,
    reasoning_tokens: sums.reasoning_tokens,
    audio_input_tokens: sums.audio_input_tokens,
    audio_output_tokens: sums.audio_output_tokens,
    total_tokens: total(sums),
    cost: roundCost(sums.cost),
    unpriced: sums.unpriced,
  }
}

/** CSV (RFC 4180): a header row, then a line for each row, each ended by CRLF. */
export function csvOf(groups: readonly Group[], rows: readonly ReportRow[]): string {
  const header = [...fieldNames(groups), ...Object.keys(figuresOf(NO_SUMS))]
  const lines = rows.map(({ fields, sums }) => [
    ...Object.values(fields).map(value => (typeof value === 'string' ? quoted(value) : String(value ?? ''))),
    ...Object.values(figuresOf(sums)).map(figure => String(figure ?? '')),
  ])
  return [header, ...lines].map(line => `${line.join(',')}\r\n`).join('')
}

/** Quotes a text, and keeps spreadsheets from reading it as a formula. */
function quoted(text: string): string {
  const plain = /^[=+\-@\t]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
