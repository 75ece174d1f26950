/** `POST /_svc/verify` with `telemetry`: counts reports in place of requests. */
import { HttpError, type Json, type JsonObject, type Svc } from 'svc/plugin'
import { asObject, InputProblem, type RecordQuery, rejectUnknownKeys, type VerifiedRecords } from 'svc/toolkit'
import { KINDS, type Kind } from '../records/record.ts'
import type { Reports } from '../records/reports.ts'
import { readConditions, readSince, type RecordFilter } from './filters.ts'
import { enterWait, select } from './select.ts'

/** Records that are not kept as such: what a comparison finds. */
export interface ReadRecords {
  name: string
  /** Names of filters. */
  filters: readonly string[]
  /** Throws `InputProblem`. */
  read(filters: Readonly<Record<string, string>>, at: string): RecordQuery
}

export function telemetryVerification(svc: Svc<unknown>, reports: Reports, further: ReadRecords): VerifiedRecords {
  return { name: 'telemetry', read: (value, at) => readQuery(value, at, { svc, reports, further }) }
}

interface Parts {
  svc: Svc<unknown>
  reports: Reports
  further: ReadRecords
}

function readQuery(value: Json, at: string, { svc, reports, further }: Parts): RecordQuery {
  const given = asObject(value, at, 'expected an object such as {"spans": {"name": "GET /orders"}}')
  const names = [...KINDS, further.name]
  rejectUnknownKeys(given, names, at)
  const named = names.filter(name => given[name] !== undefined)
  const [name] = named
  if (name === undefined || named.length > 1) throw new InputProblem(at, `expected one of ${names.join(', ')}`)
  const place = `${at}.${name}`
  const object = asObject(given[name]!, place, 'expected an object of filters')
  const filters = textsIn(object, place)
  const kind = KINDS.find(one => one === name)
  if (kind === undefined) {
    rejectUnknownKeys(object, further.filters, place)
    return further.read(filters, place)
  }
  const { where, since: own } = conditionsOf(kind, filters, place)
  const filterOf = (session: string | undefined, since: RecordFilter['since']): RecordFilter => ({
    session: session ?? null,
    since,
    where,
  })
  const conditions = Object.entries(filters).map(([name, text]) => `${name} ${text}`)
  return {
    text: conditions.length === 0 ? kind : `${kind} with ${conditions.join(' and ')}`,
    async find(session, since) {
      const found = await select(reports, kind, filterOf(session, since === null ? own : readSince(since)))
      return found.map(({ id }) => id).reverse()
    },
    onRecord(session, listener) {
      const leave = enterWait(svc)
      const stop = reports.follow(kind, session ?? null, record => {
        if (where(record)) listener()
      })
      return () => {
        leave()
        stop()
      }
    },
  }
}

/** Filters as texts: numbers are written as in queries. */
function textsIn(given: JsonObject, at: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : filterText(value, `${at}.${name}`),
    ]),
  )
}

function filterText(value: Json, at: string): string {
  if (typeof value !== 'string') throw new InputProblem(at, 'expected a text, a number or a boolean')
  return value
}

function conditionsOf(kind: Kind, filters: Readonly<Record<string, string>>, at: string) {
  try {
    return readConditions(kind, filters)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const { parameter, details } = error.body as { parameter?: string; details?: string }
    throw new InputProblem(`${at}.${parameter}`, details ?? 'invalid filter')
  }
}
