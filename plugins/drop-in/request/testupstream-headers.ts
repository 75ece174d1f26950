/** The headers of Envoy AI Gateway's test upstream, in the forms of `X-Svc-Expect` and `X-Svc-Answer`. */
import { isUtf8 } from 'node:buffer'
import type { AnyRequest, ExpectationFailure, Json, JsonObject, RequestAlias, Svc } from 'svc/plugin'
import { awsEventFrame, headerProblem, InputProblem, setOwn } from 'svc/toolkit'
import { jsonObject } from './json-object.ts'

const EVENT_PAUSE_MS = 200
const STATUS = /^[2-5]\d\d$/
const ERROR_TYPE = 'text/plain; charset=utf-8'
/** Bytes by the word of `x-fake-response`. */
const SIZES: Readonly<Record<string, number>> = { small: 5000, medium: 500_000, large: 5_000_000 }
const MAX_SIZE = 5_242_880
const MAX_PUBLIC_SIZE = 65_536
/** One event with more bytes is sent as a body: a list of chunks has fewer. */
const MAX_EVENT = 32_768
const MAX_HEADERS = 45

const EXPECTATIONS = [
  'x-expected-host',
  'x-expected-headers',
  'x-non-expected-request-headers',
  'x-expected-testupstream-id',
  'x-expected-path',
  'x-expected-raw-query',
  'x-expected-request-body',
]
/** Those that ask for a response; `x-response-type` alone does not. */
const ANSWERS = ['x-response-headers', 'x-response-status', 'x-response-body', 'x-fake-response']

/** What is below a path of the upstream: of all routes, or of a flavour. */
export interface Seen {
  /** The path as received, without query and `base`. */
  path: string
  /** What comes before it in the target. */
  base: string
}

/** A field without a value is one that is not there, as in Go. */
const NOTHING: JsonObject = { any: ['', { exists: false }] }

interface DifferenceShown {
  at: string
  expected: Json
  got: Json
}

export class TestUpstreamHeaders {
  readonly #svc: Svc<unknown>
  readonly #id: string

  /** `id`: the header `testupstream-id` of responses. */
  constructor(svc: Svc<unknown>, id: string) {
    this.#svc = svc
    this.#id = id
  }

  /** For all routes (`testing.aliases`). */
  get alias(): RequestAlias {
    const seen = (request: AnyRequest): Seen => ({ path: pathOf(this.#svc.http.target(request)), base: '' })
    return {
      fields: [...EXPECTATIONS, ...ANSWERS],
      expect: request => this.conditions(request, seen(request)),
      answer: request =>
        ANSWERS.some(name => fieldOf(request, name) !== undefined) ? this.answer(request, seen(request)) : null,
      refuse: (request, failure) => this.refuse(request, failure),
    }
  }

  /** The conditions of `X-Svc-Expect`. Throws an `InputProblem`. */
  conditions(request: AnyRequest, { path, base }: Seen): JsonObject {
    const header: JsonObject = {}
    const host = fieldOf(request, 'x-expected-host')
    const hasHostField = headersOf(request).host !== undefined
    if (host !== undefined && hasHostField) header.host = host
    for (const [name, value] of pairsIn(request, 'x-expected-headers'))
      setOwn(header, name.toLowerCase(), value === '' ? NOTHING : value)
    const unwanted = decoded(request, 'x-non-expected-request-headers')?.toString() ?? ''
    for (const name of unwanted.split(',').filter(one => one !== '')) setOwn(header, name.trim().toLowerCase(), NOTHING)
    if (fieldOf(request, 'x-expected-testupstream-id') !== undefined) header['x-expected-testupstream-id'] = this.#id
    const wantedPath = decoded(request, 'x-expected-path')
    const query = fieldOf(request, 'x-expected-raw-query')
    const body = decoded(request, 'x-expected-request-body')
    const mayHaveBody = !['GET', 'HEAD'].includes(request.method ?? 'GET')
    return {
      ...(host !== undefined && !hasHostField ? { host: host.replace(/:\d{1,5}$/, '') } : {}),
      ...(Object.keys(header).length > 0 ? { header } : {}),
      ...(wantedPath === undefined ? {} : { path: { equals: base + wantedPath.toString() } }),
      ...(query === undefined ? {} : { url: `${base}${path}?${query}` }),
      // The bodies that an endpoint picker has changed are chunked.
      ...(mayHaveBody ? { any: ['content-length', 'x-gateway-destination-endpoint'].map(exists) } : {}),
      ...(body === undefined ? {} : bodyCondition(body)),
    }
  }

  /**
   * The response of `X-Svc-Answer`. Without `x-response-body` it is the usual one of the path, else empty, unless `needsBody` is true.
   * Throws an `InputProblem`.
   */
  answer(request: AnyRequest, { path }: Seen, { needsBody = false } = {}): JsonObject {
    const status = fieldOf(request, 'x-response-status') ?? '200'
    if (!STATUS.test(status))
      throw new InputProblem('x-response-status', `invalid x-response-status ${status.slice(0, 20)}`)
    const chosen = this.#chosenHeaders(request)
    const base: JsonObject = {
      status: Number(status),
      headers: [...Object.entries(this.#commonHeaders(request)), ...chosen].map(line => [...line]),
      template: false,
    }
    const body = decoded(request, 'x-response-body') ?? this.#usualBody(request, path)
    if (body === null && needsBody) throw new InputProblem('', `no response for the path ${path.slice(0, 200)}`)
    if (body === null) return base
    const hasType = chosen.some(([name]) => name.toLowerCase() === 'content-type')
    const typed = (type: string): JsonObject => (hasType ? {} : { content_type: type })
    const type = fieldOf(request, 'x-response-type')
    const coding: JsonObject = type === 'gzip' || type === 'sse-gzip' ? { encoding: 'gzip' } : {}
    if (type === 'sse' || type === 'sse-gzip')
      return { ...base, ...typed('text/event-stream'), ...coding, ...streamed(eventsOf(body.toString())) }
    if (type === 'aws-event-stream')
      return { ...base, ...typed('application/vnd.amazon.eventstream'), ...streamed(framesOf(body.toString())) }
    return { ...base, ...typed('application/json'), ...coding, body_base64: body.toString('base64') }
  }

  /** The 400 for what does not hold, or can't be read. */
  refuse(
    request: AnyRequest,
    { status, body }: ExpectationFailure,
  ): { status: number; headers: Record<string, string>; body: string } {
    const line = status === 400 ? problemIn(body) : firstOf((body as { differences: DifferenceShown[] }).differences)
    return {
      status: 400,
      headers: { 'Content-Type': ERROR_TYPE, ...this.#commonHeaders(request), 'X-TestUpstream-Error': 'true' },
      body: `${line}\n`,
    }
  }

  /** The fields of every response. The model is known once the body has been read. */
  #commonHeaders(request: AnyRequest): Record<string, string> {
    const model = jsonObject(this.#bodyOf(request))?.model
    const isShown = typeof model === 'string' && headerProblem('x-model', model) === null
    return { 'testupstream-id': this.#id, ...(isShown ? { 'X-Model': model } : {}) }
  }

  #bodyOf(request: AnyRequest): string {
    return this.#svc.http.receivedBody(request).toString()
  }

  /** Those that a client may set; the others are left out. */
  #chosenHeaders(request: AnyRequest): [name: string, value: string][] {
    return pairsIn(request, 'x-response-headers')
      .filter(([name, value]) => !/^(?:x-request-id|x-svc-.*)$/i.test(name) && headerProblem(name, value) === null)
      .slice(0, MAX_HEADERS)
  }

  /** By the path; null if there is none. */
  #usualBody(request: AnyRequest, path: string): Buffer | null {
    const wanted = SIZES[fieldOf(request, 'x-fake-response') ?? ''] ?? 0
    const size = Math.min(wanted, this.#svc.config.publicMode ? MAX_PUBLIC_SIZE : MAX_SIZE)
    const usual = usualResponse(path, size)
    if (usual === null) return null
    this.#svc.budgets.output(request).take(size)
    return Buffer.from(JSON.stringify(usual))
  }
}

function headersOf(request: AnyRequest): Record<string, string | string[] | undefined> {
  return request.headers
}

/** Undefined also for an empty one, as in the original. */
function fieldOf(request: AnyRequest, name: string): string | undefined {
  const value = headersOf(request)[name]
  return value === undefined || value === '' ? undefined : String(value)
}

function decoded(request: AnyRequest, name: string): Buffer | undefined {
  const text = fieldOf(request, name)
  if (text === undefined) return undefined
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new InputProblem(name, `failed to decode the base64 header ${name}`)
  return Buffer.from(text, 'base64')
}

/** Pairs `k:v,k:v`. */
function pairsIn(request: AnyRequest, field: string): [name: string, value: string][] {
  const text = decoded(request, field)?.toString() ?? ''
  return text
    .split(',')
    .filter(part => part !== '')
    .map(part => {
      const colon = part.indexOf(':')
      if (colon <= 0) throw new InputProblem(field, `invalid header key-value pair ${part.slice(0, 200)}`)
      return [part.slice(0, colon).trim(), part.slice(colon + 1).trim()]
    })
}

function pathOf(target: string): string {
  return target.split('?', 1)[0]!
}

function exists(name: string): JsonObject {
  return { header: { [name]: { exists: true } } }
}

function bodyCondition(body: Buffer): JsonObject {
  return isUtf8(body) ? { body: { equals: body.toString() } } : { body_base64: body.toString('base64') }
}

// ---------- Responses

function usualResponse(path: string, size: number): Json {
  const text = 'x'.repeat(size)
  if (path.endsWith('/chat/completions'))
    return {
      id: 'chatcmpl-testupstream',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: text === '' ? 'This is a test.' : text },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 100, total_tokens: 300 },
    }
  if (path.endsWith('/embeddings'))
    return {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2, 0.3, 0.4, 0.5] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    }
  return path === '/non-llm-route' ? { message: 'This is a non-LLM endpoint response' } : null
}

/** The events of a body: as they are when it has empty lines, else one for each line. */
function eventsOf(body: string): Buffer[] {
  const events = body.includes('\n\n')
    ? body
        .split('\n\n')
        .filter(event => event.trim() !== '')
        .map(event => `${event}\n\n`)
    : linesOf(body).map(line => `data: ${line}\n\n`)
  return events.map(event => Buffer.from(event))
}

/** Each line is a frame whose type is the first member of its object, as in Converse; the last frame ends the stream. */
function framesOf(body: string): Buffer[] {
  const frames = linesOf(body).map(line => {
    const [type = 'chunk'] = Object.keys(jsonObject(line) ?? {})
    return awsEventFrame(
      { ':event-type': type.slice(0, 100), ':content-type': 'application/json', ':message-type': 'event' },
      line,
    )
  })
  return [...frames, awsEventFrame({ ':event-type': 'end' }, 'this-is-end')]
}

function linesOf(body: string): string[] {
  return body.split('\n').filter(line => line !== '')
}

function streamed(parts: readonly Buffer[]): JsonObject {
  const [first] = parts
  if (first === undefined) return { body: '' }
  if (parts.length === 1 && first.length > MAX_EVENT) return { body_base64: first.toString('base64') }
  return {
    chunks: parts.map((part, index) => ({
      base64: part.toString('base64'),
      ...(index > 0 ? { after_ms: EVENT_PAUSE_MS } : {}),
    })),
  }
}

// ---------- Errors

function problemIn(body: object): string {
  const { at, details } = body as { at: string; details: string }
  const isField = at === '' || EXPECTATIONS.includes(at) || ANSWERS.includes(at)
  return isField ? details : `${at}: ${details}`
}

/** The first expectation of the original that does not hold, in one line. */
function firstOf(differences: readonly DifferenceShown[]): string {
  const [{ at, expected, got }] = differences.toSorted((a, b) => rankOf(a) - rankOf(b)) as [DifferenceShown]
  if (at === 'any') return 'the request has no Content-Length'
  if (at === 'header.x-expected-testupstream-id') return unexpected('testupstream id', expected, got)
  if (at.startsWith('header.') && isAbsence(expected)) return `unexpected ${at.replace('.', ' ')} is present`
  return unexpected(WORDS[at] ?? at.replace('.', ' '), got, expected)
}

const WORDS: Readonly<Record<string, string>> = {
  'header.host': 'host',
  url: 'raw query',
  body: 'request body',
  body_base64: 'request body',
}

function unexpected(what: string, got: Json, expected: Json): string {
  const wanted = typeof expected === 'object' && expected !== null && 'equals' in expected ? expected.equals! : expected
  return `unexpected ${what}: got ${quoted(got)}, expected ${quoted(wanted)}`
}

function quoted(value: Json): string {
  return JSON.stringify(value ?? '').slice(0, 1000)
}

function isAbsence(expected: Json): boolean {
  return typeof expected === 'object' && expected !== null && 'any' in expected
}

/** The order of the original. */
const PARTS = [
  (at: string) => at === 'host' || at === 'header.host',
  (at: string, expected: Json) =>
    at.startsWith('header.') && !isAbsence(expected) && !at.endsWith('.x-expected-testupstream-id'),
  (at: string, expected: Json) => at.startsWith('header.') && isAbsence(expected),
  (at: string) => at === 'header.x-expected-testupstream-id',
  (at: string) => at === 'path',
  (at: string) => at === 'url',
  (at: string) => at === 'any',
]

function rankOf({ at, expected }: DifferenceShown): number {
  const rank = PARTS.findIndex(isPart => isPart(at, expected))
  return rank === -1 ? PARTS.length : rank
}
