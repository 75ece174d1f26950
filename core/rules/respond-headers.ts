/** Header lines, trailers and interim responses of `respond`. */
import { headerProblem } from '../fields/settable-header.ts'
import type { Json } from '../contract/json.ts'
import { asInteger, asObject, below, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'

export type HeaderLine = readonly [name: string, value: string]

/** A response before the final one (RFC 9110, 15.2): 102, 103 or 104. */
export interface Interim {
  status: number
  headers: readonly HeaderLine[]
}

/** Header lines, and values of one name. */
const MAX_HEADERS = 50
const MAX_VALUES = 20
const MAX_INTERIM = 5

/** An object of names and texts, or lists of texts. Throws an `InputProblem`. */
export function readTrailers(value: Json, at: string): HeaderLine[] {
  return readHeaders(asObject(value, at, 'expected an object of names and values'), at)
}

/** A list of `{status, headers}`. Throws an `InputProblem`. */
export function readInterim(value: Json, at: string): Interim[] {
  if (!Array.isArray(value) || value.length > MAX_INTERIM)
    throw new InputProblem(at, `expected a list of at most ${MAX_INTERIM} interim responses`)
  return value.map((entry, index) => {
    const place = below(at, index)
    const given = asObject(entry, place)
    rejectUnknownKeys(given, ['status', 'headers'], place)
    return {
      status: asInteger(given.status, below(place, 'status'), 102, 104),
      headers: given.headers === undefined ? [] : readHeaders(given.headers, below(place, 'headers')),
    }
  })
}

/** An object of names and values, where a value is a text or a list of texts; or a list of `[name, value]`. Throws an `InputProblem`. */
export function readHeaders(value: Json, at: string): HeaderLine[] {
  const lines = Array.isArray(value)
    ? value.map((line, index) => readLine(line, below(at, index)))
    : Object.entries(asObject(value, at, 'expected an object of names and values')).flatMap(([name, given]) =>
        readValues(given, below(at, name)).map(text => readHeader(name.toLowerCase(), text, below(at, name))),
      )
  if (lines.length > MAX_HEADERS) throw new InputProblem(at, `expected at most ${MAX_HEADERS} headers`)
  return lines
}

function readLine(line: Json, at: string): HeaderLine {
  if (!Array.isArray(line) || line.length !== 2 || typeof line[0] !== 'string')
    throw new InputProblem(at, 'expected a list of a name and a value')
  return readHeader(line[0], line[1]!, at)
}

function readValues(given: Json, at: string): readonly Json[] {
  if (!Array.isArray(given)) return [given]
  if (given.length === 0 || given.length > MAX_VALUES)
    throw new InputProblem(at, `expected a text, or a list of 1 to ${MAX_VALUES} texts`)
  return given
}

function readHeader(name: string, text: Json, at: string): HeaderLine {
  if (typeof text !== 'string' || text.length > 8192)
    throw new InputProblem(at, 'expected a text of at most 8192 characters')
  const problem = isOwn(name) ? 'reserved' : headerProblem(name, text)
  if (problem === 'name') throw new InputProblem(at, 'expected the name of a header')
  if (problem === 'reserved')
    throw new InputProblem(at, 'this header belongs to the connection, the service or the whole origin')
  if (problem === 'value') throw new InputProblem(at, 'expected printable ASCII characters, spaces or tabs')
  return [name, text]
}

/** Headers that say what the service did. */
function isOwn(name: string): boolean {
  return /^(?:x-svc-.*|x-request-id)$/i.test(name)
}
