/** Reads queries from JSON and from forms. */
import { type Json, type JsonObject, readJsonObject } from 'svc/plugin'
import {
  asInteger,
  asObject,
  asText,
  below,
  InputProblem,
  own,
  rejectUnknownKeys,
  setOwn,
  unknownName,
} from 'svc/toolkit'
import type { DemoRecords } from '../demo-data/types.ts'
import { type DataQuery, fieldsOf, recordsOf, type Scalar, type Source, SOURCES } from './data-query.ts'

const KEYS = ['from', 'where', 'fields', 'limit']
const MAX_ITEMS = 100
const MAX_TEXT = 200
const WHERE = 'where.'
/** Members with a value each; `fields` may be repeated. */
const SINGLE = new Set(['from', 'limit'])

/** A query in JSON: `{"from":"products","where":{"category":"Kitchen"},"fields":["id"],"limit":10}`. Throws `InputProblem`. */
export function readJsonQuery(body: Buffer, records: DemoRecords): DataQuery {
  const value = readJsonObject(body)
  if (value === null) throw new InputProblem('', 'expected a JSON object')
  return readQueryObject(value as JsonObject, records, asJsonValue)
}

/** The same names in a form: `from=products&where.category=Kitchen&fields=id&limit=10`. Throws `InputProblem`. */
export function readFormQuery(body: Buffer, records: DemoRecords): DataQuery {
  const query: JsonObject = {}
  const where: JsonObject = {}
  const fields: string[] = []
  for (const [name, value] of new URLSearchParams(body.toString())) {
    const field = name.startsWith(WHERE) ? name.slice(WHERE.length) : null
    if (name === 'fields') fields.push(...value.split(','))
    else if (field !== null) addOnce(where, field, value, name)
    else if (SINGLE.has(name))
      addOnce(query, name, name === 'limit' && /^\d+$/.test(value) ? Number(value) : value, name)
    else throw unknown('name', name, [...SINGLE, 'fields', `${WHERE}<field>`], name)
  }
  if (fields.length > 0) query.fields = fields
  query.where = where
  return readQueryObject(query, records, asFormValue)
}

function addOnce(to: JsonObject, name: string, value: Json, at: string): void {
  if (own(to, name) !== undefined) throw new InputProblem(at.slice(0, MAX_TEXT), 'is given twice')
  setOwn(to, name, value)
}

/** Reads a value that a field of the type of `like` must have. */
type ReadValue = (value: Json, like: Scalar, at: string) => Scalar

function readQueryObject(query: JsonObject, records: DemoRecords, readValue: ReadValue): DataQuery {
  rejectUnknownKeys(query, KEYS, '')
  const from = readSource(query.from)
  const known = fieldsOf(records, from)
  return {
    from,
    where: readWhere(query.where ?? {}, recordsOf(records, from)[0]!, readValue),
    fields: query.fields === undefined ? null : readFields(query.fields, known),
    limit: query.limit === undefined ? MAX_ITEMS : asInteger(query.limit, 'limit', 1, MAX_ITEMS),
  }
}

function readSource(value: Json | undefined): Source {
  if (value === undefined) throw new InputProblem('from', `expected one of ${SOURCES.join(', ')}`)
  const name = asText(value, 'from', MAX_TEXT)
  const source = SOURCES.find(known => known === name)
  if (source === undefined) throw unknown('source', name, SOURCES, 'from')
  return source
}

function readWhere(value: Json, first: Readonly<Record<string, unknown>>, readValue: ReadValue): DataQuery['where'] {
  const comparable = Object.keys(first).filter(name => typeof first[name] !== 'object')
  return Object.entries(asObject(value, 'where'))
    .map(([name, wanted]): [string, Scalar] => {
      const at = below('where', name)
      if (!comparable.includes(name)) throw unknown('field', name, comparable, at)
      return [name, readValue(wanted as Json, first[name] as Scalar, at)]
    })
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function readFields(value: Json, known: readonly string[]): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ITEMS)
    throw new InputProblem('fields', `expected a list of 1 to ${MAX_ITEMS} names`)
  for (const [index, name] of value.entries()) {
    const at = below('fields', index)
    if (!known.includes(asText(name, at, MAX_TEXT))) throw unknown('field', name as string, known, at)
  }
  return [...new Set(value as string[])].toSorted()
}

function asJsonValue(value: Json, like: Scalar, at: string): Scalar {
  if (typeof value !== typeof like) throw new InputProblem(at, `expected a ${typeof like}`)
  return typeof value === 'string' ? asText(value, at, MAX_TEXT) : (value as Scalar)
}

function asFormValue(value: Json, like: Scalar, at: string): Scalar {
  const text = asText(value, at, MAX_TEXT)
  if (typeof like === 'string') return text
  if (typeof like === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (typeof like === 'number' && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  throw new InputProblem(at, `expected a ${typeof like}`)
}

function unknown(kind: string, name: string, known: readonly string[], at: string): InputProblem {
  const { message, remedy } = unknownName(kind, name, known)
  return new InputProblem(at.slice(0, MAX_TEXT), message, remedy)
}
