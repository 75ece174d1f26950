/** Queries over the demo data: their canonical form, their ids and their results. */
import { createHash } from 'node:crypto'
import type { DemoRecords } from '../demo-data/types.ts'

/** The lists that can be queried. */
export const SOURCES = ['products', 'users', 'orders'] as const
export type Source = (typeof SOURCES)[number]

export type Scalar = string | number | boolean
export type DemoRecord = Readonly<Record<string, unknown>>

/** A query in canonical form: members and fields are sorted, so equal queries are equal as JSON. */
export interface DataQuery {
  from: Source
  /** Fields with the values that they must have, sorted by name. */
  where: [field: string, value: Scalar][]
  /** Names of the fields of each item, sorted; null: all. */
  fields: string[] | null
  limit: number
}

/** What a query finds. */
export interface QueryResult {
  count: number
  items: DemoRecord[]
}

export function recordsOf(records: DemoRecords, from: Source): readonly DemoRecord[] {
  return records[from] as unknown as readonly DemoRecord[]
}

/** Names of the fields of a list. All its records have the same ones. */
export function fieldsOf(records: DemoRecords, from: Source): string[] {
  return Object.keys(recordsOf(records, from)[0]!)
}

/** The id of a query: the same for equal queries, in whichever media type and order they were written. */
export function idOf(query: DataQuery): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('hex').slice(0, 32)
}

export function run(records: DemoRecords, { from, where, fields, limit }: DataQuery): QueryResult {
  const items = recordsOf(records, from)
    .filter(record => where.every(([field, value]) => record[field] === value))
    .slice(0, limit)
    .map(record => (fields === null ? record : pick(record, fields)))
  return { count: items.length, items }
}

/** The fields in the order of the record. */
function pick(record: DemoRecord, fields: readonly string[]): DemoRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)))
}
