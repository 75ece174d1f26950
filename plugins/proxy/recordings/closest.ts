/** The recordings closest to a request without one, and how they differ. */
import { escapeToken } from 'svc/toolkit'
import type { Upstream } from '../config/upstream.ts'
import { significantParts, type Pairs, type RequestShape } from './request-shape.ts'

export interface Difference {
  /** Such as `method`, `path`, `query.page`, `headers.accept`, `json/amount`. */
  at: string
  /** In the recording; null if absent. */
  expected: unknown
  /** In the request; null if absent. */
  got: unknown
}

export interface Comparison {
  matched: number
  of: number
  differences: Difference[]
}

const MAX_DIFFERENCES = 20
const MAX_LEAVES = 500
const MAX_TEXT = 200

/** Compares the significant parts of a recording with those of a request. */
export function compare(upstream: Upstream, recorded: RequestShape, requested: RequestShape): Comparison {
  const expected = partsOf(significantParts(upstream, recorded))
  const got = partsOf(significantParts(upstream, requested))
  const names = new Set([...expected.keys(), ...got.keys()])
  const differences = [...names]
    .filter(name => expected.get(name) !== got.get(name))
    .map(at => ({ at, expected: shown(expected.get(at)), got: shown(got.get(at)) }))
  return {
    matched: names.size - differences.length,
    of: names.size,
    differences: differences.slice(0, MAX_DIFFERENCES),
  }
}

function shown(json: string | undefined): unknown {
  if (json === undefined) return null
  const value: unknown = JSON.parse(json)
  return typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
}

/** Values by location, as JSON. */
function partsOf({ method, path, query, headers, json, form, body, base64 }: RequestShape): Map<string, string> {
  const parts = new Map([
    ['method', JSON.stringify(method)],
    ['path', JSON.stringify(path)],
  ])
  const addPairs = (prefix: string, pairs: Pairs): void => {
    for (const [name, value] of Object.entries(pairs)) parts.set(`${prefix}.${name}`, JSON.stringify(value))
  }
  addPairs('query', query)
  addPairs('headers', headers)
  if (form !== undefined) addPairs('form', form)
  if (json !== undefined) addLeaves(parts, 'json', json)
  if (body !== undefined) parts.set('body', JSON.stringify(body))
  if (base64 !== undefined) parts.set('base64', JSON.stringify(base64))
  return parts
}

function addLeaves(parts: Map<string, string>, at: string, value: unknown): void {
  if (parts.size >= MAX_LEAVES) return
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (members.length === 0) parts.set(at, JSON.stringify(value))
  else for (const [name, member] of members) addLeaves(parts, `${at}/${escapeToken(name)}`, member)
}
