/** `respond`: a response that a rule defines. */
import { isUtf8 } from 'node:buffer'
import { headerProblem } from '../fields/settable-header.ts'
import { isNestedWithin } from '../toolkit/json-depth.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import { checkReferences } from '../toolkit/references.ts'
import { RULE_REFERENCES } from '../toolkit/request-references.ts'
import {
  asBoolean,
  asInteger,
  asObject,
  asText,
  below,
  InputProblem,
  rejectUnknownKeys,
} from '../toolkit/input-problem.ts'
import type { BodyFile, FindBodyFile } from './body-files.ts'
import type { RuleBounds } from './bounds.ts'
import { readHeaders, readInterim, readTrailers, type HeaderLine, type Interim } from './respond-headers.ts'
import { MAX_SCENARIO_TEXT } from './scenarios.ts'

export interface RespondStep {
  status: number
  /** In order; a name can occur more than once. */
  headers: readonly HeaderLine[]
  /** They were given as a list: names keep their case over HTTP/1.1. Otherwise they are lower-case. */
  keepsCase: boolean
  /** A text, JSON, bytes, a number of letters, a file (with a text if references in it are replaced), chunks, or nothing. */
  body:
    | { kind: 'none' }
    | { kind: 'text'; text: string }
    | { kind: 'json'; value: Json }
    | { kind: 'bytes'; bytes: Buffer }
    | { kind: 'size'; bytes: number }
    | { kind: 'file'; file: BodyFile; text: string | null }
    | { kind: 'chunks'; chunks: readonly Chunk[] }
  /** Undefined if the kind of the body decides; null: no field. */
  contentType: string | null | undefined
  /** Fields after the body (RFC 9110, 6.5), which is chunked then. */
  trailers: readonly HeaderLine[]
  /** Sent before the response, in order; not over HTTP/1.0. */
  interim: readonly Interim[]
  /** The reason phrase of HTTP/1.1; null: the usual one. */
  reason: string | null
  /** Whether references in texts are replaced. */
  isTemplate: boolean
  /** Whether a reference reads the body of the request. */
  needsBody: boolean
}

/** The state of a scenario for which a chunk waits. If it is not reached in this time, the response breaks off. */
export interface ChunkCondition {
  scenario: string
  state: string
  withinMs: number
}

export type Chunk = { afterMs: number; after: ChunkCondition | null } & (
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'event'; event: string | null; id: string | null; data: Json }
)

const KEYS = [
  'status',
  'headers',
  'body',
  'body_base64',
  'body_file',
  'size',
  'content_type',
  'chunks',
  'trailers',
  'interim',
  'reason',
  'template',
]
const BODIES = ['body', 'body_base64', 'body_file', 'size', 'chunks']
/** The parts in which references are replaced. */
const TEMPLATES = ['headers', 'body', 'chunks', 'trailers', 'interim']
const READS_BODY = /\{\{\s{0,10}request\.body/
const MAX_REASON = 100
const MAX_DEPTH = 100
/** How long all chunks of a response may take. */
const MAX_STREAM_MS = 600_000

/** Reads the step. `findFile`: null for a rule that is in no file. Throws an `InputProblem`. */
export function readRespond(
  value: Json,
  at: string,
  bounds: RuleBounds,
  findFile: FindBodyFile | null = null,
): RespondStep {
  const given = asObject(value, at)
  rejectUnknownKeys(given, KEYS, at)
  const bodies = BODIES.filter(key => given[key] !== undefined)
  if (bodies.length > 1) throw new InputProblem(below(at, bodies[1]!), `expected at most one of ${BODIES.join(', ')}`)
  const isTemplate = given.template === undefined || asBoolean(given.template, below(at, 'template'))
  for (const key of isTemplate ? TEMPLATES : [])
    if (given[key] !== undefined) checkReferences(given[key], RULE_REFERENCES, below(at, key))
  const body = given.body_file === undefined ? readBody(given, at, bounds) : readBodyFile(given, at, findFile)
  const headers = given.headers === undefined ? [] : readHeaders(given.headers, below(at, 'headers'))
  return {
    status: given.status === undefined ? 200 : asInteger(given.status, below(at, 'status'), 200, 599),
    headers,
    keepsCase: Array.isArray(given.headers),
    body,
    contentType: readContentType(given.content_type, below(at, 'content_type')),
    trailers: given.trailers === undefined ? [] : readTrailers(given.trailers, below(at, 'trailers')),
    interim: given.interim === undefined ? [] : readInterim(given.interim, below(at, 'interim')),
    reason: given.reason === undefined ? null : readReason(given.reason, below(at, 'reason')),
    isTemplate,
    needsBody: isTemplate && [JSON.stringify(value), textOf(body)].some(text => READS_BODY.test(text)),
  }
}

function textOf(body: RespondStep['body']): string {
  return body.kind === 'file' ? (body.text ?? '') : ''
}

/** References in a file are replaced only if the rule says so. */
function readBodyFile(
  { body_file: path, template }: JsonObject,
  at: string,
  findFile: FindBodyFile | null,
): RespondStep['body'] {
  const place = below(at, 'body_file')
  if (findFile === null) throw new InputProblem(place, 'body_file is for rules in svc.yaml and the files that it names')
  if (typeof path !== 'string') throw new InputProblem(place, 'expected the path of a file')
  const file = findFile(path, place)
  if (template !== true) return { kind: 'file', file, text: null }
  if (!isUtf8(file.content)) throw new InputProblem(place, 'the file is not UTF-8, so it cannot be a template')
  const text = file.content.toString()
  checkReferences(text, RULE_REFERENCES, place)
  return { kind: 'file', file, text }
}

function readContentType(value: Json | undefined, at: string): string | null | undefined {
  if (value === undefined || value === null) return value
  const type = asText(value, at, 256, 1)
  if (headerProblem('content-type', type) !== null)
    throw new InputProblem(at, 'expected a media type such as application/json, or null')
  return type
}

function readReason(value: Json, at: string): string {
  const reason = asText(value, at, MAX_REASON, 1)
  if (/[^\x20-\x7e]/.test(reason)) throw new InputProblem(at, 'expected printable ASCII characters')
  return reason
}

function readBody(given: JsonObject, at: string, bounds: RuleBounds): RespondStep['body'] {
  const { body, body_base64: base64, size, chunks } = given
  if (base64 !== undefined) return { kind: 'bytes', bytes: readBytes(base64, below(at, 'body_base64')) }
  if (size !== undefined) return { kind: 'size', bytes: asInteger(size, below(at, 'size'), 0, bounds.bodyBytes) }
  if (chunks !== undefined) return { kind: 'chunks', chunks: readChunks(chunks, below(at, 'chunks'), bounds) }
  if (body === undefined) return { kind: 'none' }
  if (typeof body === 'string') return { kind: 'text', text: body }
  if (!isNestedWithin(body, MAX_DEPTH))
    throw new InputProblem(below(at, 'body'), `expected JSON with at most ${MAX_DEPTH} levels`)
  return { kind: 'json', value: body }
}

function readBytes(value: Json, at: string): Buffer {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 === 1)
    throw new InputProblem(at, 'expected base64')
  return Buffer.from(value, 'base64')
}

function readChunks(value: Json, at: string, bounds: RuleBounds): Chunk[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > bounds.chunks)
    throw new InputProblem(at, `expected a list of 1 to ${bounds.chunks} chunks`)
  if (JSON.stringify(value).length > bounds.chunkBytes)
    throw new InputProblem(at, `expected at most ${bounds.chunkBytes} bytes of chunks`)
  const read = value.map((chunk, index) => readChunk(chunk, below(at, index), bounds))
  if (read.reduce((sum, { afterMs, after }) => sum + afterMs + (after?.withinMs ?? 0), 0) > MAX_STREAM_MS)
    throw new InputProblem(at, `expected at most ${MAX_STREAM_MS} ms in all`)
  return read
}

const CHUNK_BODIES = ['text', 'base64', 'event']

function readChunk(value: Json, at: string, bounds: RuleBounds): Chunk {
  const given = asObject(value, at)
  rejectUnknownKeys(given, ['after_ms', 'after_scenario', 'within_ms', ...CHUNK_BODIES], at)
  const [kind, ...others] = CHUNK_BODIES.filter(key => given[key] !== undefined)
  if (kind === undefined || others.length > 0)
    throw new InputProblem(at, `expected exactly one of ${CHUNK_BODIES.join(', ')}`)
  const afterMs =
    given.after_ms === undefined ? 0 : asInteger(given.after_ms, below(at, 'after_ms'), 0, bounds.maxDelayMs)
  const when = { afterMs, after: readCondition(given, at, bounds) }
  if (kind === 'text') return { ...when, kind, text: asText(given.text, below(at, 'text'), bounds.chunkBytes) }
  if (kind === 'base64') return { ...when, kind: 'bytes', bytes: readBytes(given.base64!, below(at, 'base64')) }
  return { ...when, ...readEvent(given.event!, below(at, 'event')) }
}

/** Default of `within_ms`. */
const WITHIN_MS = 5000

function readCondition(given: JsonObject, at: string, bounds: RuleBounds): ChunkCondition | null {
  if (given.after_scenario === undefined) {
    if (given.within_ms === undefined) return null
    throw new InputProblem(below(at, 'within_ms'), 'expected after_scenario, for which to wait')
  }
  const place = below(at, 'after_scenario')
  const [one, ...others] = Object.entries(asObject(given.after_scenario, place))
  if (one === undefined || others.length > 0) throw new InputProblem(place, 'expected one scenario and its state')
  const [scenario, state] = one
  const withinMs =
    given.within_ms === undefined
      ? Math.min(WITHIN_MS, bounds.maxDelayMs)
      : asInteger(given.within_ms, below(at, 'within_ms'), 1, bounds.maxDelayMs)
  return {
    scenario: asText(scenario, place, MAX_SCENARIO_TEXT, 1),
    state: asText(state, below(place, scenario), MAX_SCENARIO_TEXT, 1),
    withinMs,
  }
}

function readEvent(value: Json, at: string): { kind: 'event'; event: string | null; id: string | null; data: Json } {
  const given = asObject(value, at)
  rejectUnknownKeys(given, ['event', 'id', 'data'], at)
  const line = (key: string): string | null => {
    const text = given[key]
    if (text === undefined) return null
    if (typeof text !== 'string' || text.length > 1000 || /[\r\n\0]/.test(text))
      throw new InputProblem(below(at, key), 'expected a text without line breaks')
    return text
  }
  return { kind: 'event', event: line('event'), id: line('id'), data: given.data ?? '' }
}
