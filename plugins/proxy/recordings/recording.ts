/** The YAML format of a recording: a request, and its responses in order. */
import { randomBytes } from 'node:crypto'
import { Document, parse, Scalar, visit } from 'yaml'
import { fieldProblem, isRecord } from 'svc/toolkit'
import type { Json } from 'svc/plugin'
import { canonicalPath } from '../target-path.ts'
import type { Pairs, RecordedBody, RequestShape } from './request-shape.ts'

export interface RecordedChunk {
  /** Milliseconds after the previous chunk; of the first one, after the head. */
  after_ms: number
  text?: string
  base64?: string
}

export interface RecordedResponse {
  status: number
  /** In lower case. */
  headers: Pairs
  recorded_at?: string
  /** Milliseconds from the request to the head of the response. */
  first_byte_ms?: number
  /** Headers of the 103 responses before this one (RFC 8297). */
  early_hints?: Pairs[]
  json?: Json
  body?: string
  base64?: string
  chunks?: RecordedChunk[]
  /** Fields after the body (RFC 9110, 6.5). */
  trailers?: Pairs
}

export interface Recording {
  version: 1
  request: RequestShape
  responses: RecordedResponse[]
}

/** Thrown for a file that is not a recording; the message is for the log. */
export class InvalidRecording extends Error {}

const MAX_ALIASES = 100
/** Longer texts are written and read as JSON strings on one line: YAML would take seconds for megabytes. */
const LONG_CHARACTERS = 16 * 1024
/** Indentation and key before a long text. */
const MAX_LINE_START = 400
/** What a block scalar keeps as it is. */
const BLOCK_TEXT = /^[\t\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/

/** As YAML. */
export function printRecording(recording: Recording): string {
  const document = new Document(recording, { aliasDuplicateObjects: false })
  const longTexts = new LongTexts()
  visit(document, {
    Scalar(key, node) {
      if (typeof node.value !== 'string') return
      if (key !== 'key' && node.value.length > LONG_CHARACTERS) node.value = longTexts.placeholder(node.value)
      node.type = styleOf(node.value as string)
    },
  })
  return longTexts.print(document.toString({ lineWidth: 0, flowCollectionPadding: true }))
}

function styleOf(text: string): Scalar.Type {
  const isBlock = text.includes('\n') && BLOCK_TEXT.test(text) && !/(?:^|\n)[ \t]|[ \t](?:\n|$)/.test(text)
  if (isBlock) return Scalar.BLOCK_LITERAL
  return text.length <= 200 && /^[\x20-\x7e]*$/.test(text) ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE
}

/** Keeps long texts out of the YAML library, in both directions. */
class LongTexts {
  readonly #texts: string[] = []
  /** Unpredictable, so that no recorded text is one. */
  readonly #prefix = `long-${randomBytes(12).toString('hex')}-`

  placeholder(text: string): string {
    return `${this.#prefix}${this.#texts.push(text) - 1}.`
  }

  /** Replaces placeholders by JSON strings, which are YAML too. */
  print(yaml: string): string {
    if (this.#texts.length === 0) return yaml
    const [first = '', ...others] = yaml.split(this.#prefix)
    const filled = others.map(part => {
      const end = part.indexOf('.')
      return JSON.stringify(this.#texts[Number(part.slice(0, end))]) + part.slice(end + 1)
    })
    return first + filled.join('')
  }

  /** Replaces long JSON strings at the ends of lines by placeholders. */
  hide(yaml: string): string {
    if (yaml.length <= LONG_CHARACTERS) return yaml
    return yaml
      .split('\n')
      .map(line => (line.length > LONG_CHARACTERS ? this.#hideIn(line) : line))
      .join('\n')
  }

  /** The text of a placeholder; other values are returned unchanged. */
  reveal(value: unknown): unknown {
    if (typeof value !== 'string' || !value.startsWith(this.#prefix)) return value
    const index = Number(value.slice(this.#prefix.length, -1))
    return this.#texts[index] ?? value
  }

  #hideIn(line: string): string {
    const start = line.slice(0, line.slice(0, MAX_LINE_START).indexOf(': "') + 2)
    if (!/^[ \w-]*: $/.test(start)) return line
    try {
      const text: unknown = JSON.parse(line.slice(start.length))
      return typeof text === 'string' ? start + this.placeholder(text) : line
    } catch {
      return line
    }
  }
}

/** Reads a recording. Throws `InvalidRecording`. */
export function parseRecording(text: string): Recording {
  const value = parseYaml(text)
  if (!isRecord(value)) throw new InvalidRecording('expected a mapping with version, request and responses')
  if (value.version !== 1) throw new InvalidRecording('expected version: 1')
  const request = readRequest(value.request)
  if (!Array.isArray(value.responses) || value.responses.length === 0)
    throw new InvalidRecording('responses: expected a list with at least one response')
  return {
    version: 1,
    request,
    responses: value.responses.map((item, index) => readResponse(item, `responses[${index}]`)),
  }
}

/** Reads only the request; `head` is the text before `responses:`. Throws `InvalidRecording`. */
export function parseRequest(head: string): RequestShape {
  const value = parseYaml(head)
  return readRequest(isRecord(value) ? value.request : undefined)
}

function parseYaml(text: string): unknown {
  try {
    const longTexts = new LongTexts()
    return parse(longTexts.hide(text), (_, value: unknown) => longTexts.reveal(value), {
      schema: 'core',
      maxAliasCount: MAX_ALIASES,
    })
  } catch (error) {
    throw new InvalidRecording((error as Error).message.split('\n', 1)[0])
  }
}

function readRequest(value: unknown): RequestShape {
  if (!isRecord(value)) throw new InvalidRecording('request: expected a mapping')
  const { method, path, query = {}, headers = {} } = value
  if (typeof method !== 'string' || typeof path !== 'string' || !path.startsWith('/'))
    throw new InvalidRecording('request: expected a method, and a path that starts with /')
  const form = value.form === undefined ? {} : { form: readPairs(value.form, 'request.form') }
  return {
    method: method.toUpperCase(),
    path: readPath(path),
    query: readPairs(query, 'request.query'),
    headers: readHeaders(headers),
    ...form,
    ...readBody(value, 'request'),
  }
}

function readPath(path: string): string {
  try {
    return canonicalPath(path)
  } catch {
    throw new InvalidRecording('request.path: invalid percent-encoding')
  }
}

function readHeaders(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readPairs(value, 'request.headers')).map(([name, text]) => [
      name.toLowerCase(),
      [text].flat().join(', '),
    ]),
  )
}

/** Texts, or numbers and booleans that YAML read from unquoted texts. */
function readPairs(value: unknown, at: string): Pairs {
  if (!isRecord(value)) throw new InvalidRecording(`${at}: expected a mapping`)
  const texts = (item: unknown): string => {
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') return String(item)
    throw new InvalidRecording(`${at}: expected text values`)
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, Array.isArray(item) ? item.map(texts) : texts(item)]),
  )
}

function readBody(value: Record<string, unknown>, at: string): RecordedBody {
  const { json, body, base64 } = value
  if (body !== undefined && typeof body !== 'string') throw new InvalidRecording(`${at}.body: expected a text`)
  if (base64 !== undefined && typeof base64 !== 'string') throw new InvalidRecording(`${at}.base64: expected a text`)
  return {
    ...(json === undefined ? {} : { json: json as Json }),
    ...(body === undefined ? {} : { body }),
    ...(base64 === undefined ? {} : { base64 }),
  }
}

function readResponse(value: unknown, at: string): RecordedResponse {
  if (!isRecord(value)) throw new InvalidRecording(`${at}: expected a mapping`)
  const { status, headers = {}, first_byte_ms: firstByte, early_hints: hints, chunks, recorded_at: recordedAt } = value
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    throw new InvalidRecording(`${at}.status: expected a status from 200 to 599`)
  if (chunks !== undefined && !Array.isArray(chunks)) throw new InvalidRecording(`${at}.chunks: expected a list`)
  if (hints !== undefined && !Array.isArray(hints)) throw new InvalidRecording(`${at}.early_hints: expected a list`)
  return {
    status,
    headers: readFields(headers, `${at}.headers`),
    ...(typeof recordedAt === 'string' ? { recorded_at: recordedAt } : {}),
    ...(firstByte === undefined ? {} : { first_byte_ms: milliseconds(firstByte, `${at}.first_byte_ms`) }),
    ...(hints === undefined
      ? {}
      : { early_hints: hints.map((fields, index) => readFields(fields, `${at}.early_hints[${index}]`)) }),
    ...readBody(value, at),
    ...(chunks === undefined
      ? {}
      : { chunks: chunks.map((chunk, index) => readChunk(chunk, `${at}.chunks[${index}]`)) }),
    ...(value.trailers === undefined ? {} : { trailers: readFields(value.trailers, `${at}.trailers`) }),
  }
}

/** Header or trailer fields that can be sent, with names in lower case. */
function readFields(value: unknown, at: string): Pairs {
  const fields = Object.entries(readPairs(value, at)).map(([name, text]) => [name.toLowerCase(), text] as const)
  for (const [name, text] of fields)
    for (const one of [text].flat()) {
      const problem = fieldProblem(name, one)
      if (problem !== null) throw new InvalidRecording(`${at}: ${problem}`)
    }
  return Object.fromEntries(fields)
}

function readChunk(value: unknown, at: string): RecordedChunk {
  if (!isRecord(value)) throw new InvalidRecording(`${at}: expected a mapping`)
  const { after_ms: after = 0, text, base64 } = value
  if (typeof text !== 'string' && typeof base64 !== 'string')
    throw new InvalidRecording(`${at}: expected text or base64`)
  const waits = milliseconds(after, `${at}.after_ms`)
  return typeof text === 'string' ? { after_ms: waits, text } : { after_ms: waits, base64: base64 as string }
}

function milliseconds(value: unknown, at: string): number {
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value
  throw new InvalidRecording(`${at}: expected a number of milliseconds`)
}

/** The body in one piece. */
export function bodyBytes({ json, body, base64 }: RecordedResponse): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  return Buffer.from(body ?? (json === undefined ? '' : JSON.stringify(json)))
}

export function chunkBytes({ text, base64 }: RecordedChunk): Buffer {
  return text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text)
}
