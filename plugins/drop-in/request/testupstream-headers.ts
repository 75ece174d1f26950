/** The headers of Envoy AI Gateway's test upstream, in the forms of `X-Svc-Expect` and `X-Svc-Answer`. */
import { isUtf8 } from 'node:buffer'
import type { AnyRequest, ExpectationFailure, Json, JsonObject, RequestAlias, Svc } from 'svc/plugin'
import { headerProblem, InputProblem, setOwn } from 'svc/toolkit'
import { jsonObject } from './json-object.ts'
import { streamOf, usualResponse } from './testupstream-responses.ts'

const STATUS = /^[2-5]\d\d$/
const ERROR_TYPE = 'text/plain; charset=utf-8'
const MAX_PUBLIC_SIZE = 65_536
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
  /** Requests of any route are read less strictly than those of the flavour: without `Content-Length`, and below any path. */
  isFlavour: boolean
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
    const seen = (request: AnyRequest): Seen => ({
      path: pathOf(this.#svc.http.target(request)),
      base: '',
      isFlavour: false,
    })
    return {
      fields: [...EXPECTATIONS, ...ANSWERS],
      expect: request => this.conditions(request, seen(request)),
      answer: request =>
        ANSWERS.some(name => fieldOf(request, name) !== undefined) ? this.answer(request, seen(request)) : null,
      refuse: (request, failure) => this.refuse(request, failure),
    }
  }

  /** The conditions of `X-Svc-Expect`. Throws an `InputProblem`. */
  conditions(request: AnyRequest, { path, base, isFlavour }: Seen): JsonObject {
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
    const needsLength = isFlavour || !['GET', 'HEAD'].includes(request.method ?? 'GET')
    return {
      ...(host !== undefined && !hasHostField ? { host: host.replace(/:\d{1,5}$/, '') } : {}),
      ...(Object.keys(header).length > 0 ? { header } : {}),
      ...(wantedPath === undefined ? {} : { path: { equals: base + wantedPath.toString() } }),
      ...(query === undefined ? {} : { url: `${base}${path}?${query}` }),
      // The bodies that an endpoint picker has changed are chunked.
      ...(needsLength ? { any: ['content-length', 'x-gateway-destination-endpoint'].map(exists) } : {}),
      ...(body === undefined ? {} : bodyCondition(body)),
    }
  }

  /** The response of `X-Svc-Answer`. Throws an `InputProblem`. */
  answer(request: AnyRequest, seen: Seen): JsonObject {
    const status = fieldOf(request, 'x-response-status') ?? '200'
    if (!STATUS.test(status))
      throw new InputProblem('x-response-status', `invalid x-response-status ${status.slice(0, 20)}`)
    const chosen = this.#chosenHeaders(request)
    const type = fieldOf(request, 'x-response-type') ?? ''
    const stream = streamOf(type, () => decoded(request, 'x-response-body')?.toString() ?? '')
    const isTypeChosen = chosen.some(([name]) => name.toLowerCase() === 'content-type')
    // The type of a stream wins.
    const kept = stream === null ? chosen : chosen.filter(([name]) => name.toLowerCase() !== 'content-type')
    const base: JsonObject = {
      status: Number(status),
      headers: [...Object.entries(this.#commonHeaders(request)), ...kept].map(line => [...line]),
      template: false,
    }
    if (stream !== null) return { ...base, ...stream }
    const body = decoded(request, 'x-response-body') ?? this.#usualBody(request, seen)
    if (body === null) return base
    return {
      ...base,
      ...(isTypeChosen ? {} : { content_type: 'application/json' }),
      ...(type === 'gzip' ? { encoding: 'gzip' } : {}),
      body_base64: body.toString('base64'),
    }
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
    const shown = typeof model === 'string' ? model : JSON.stringify(model)
    const isShown = shown !== undefined && headerProblem('x-model', shown) === null
    return { 'testupstream-id': this.#id, ...(isShown ? { 'X-Model': model === null ? '' : shown } : {}) }
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

  /** By the path; null if a route has none. */
  #usualBody(request: AnyRequest, { path, isFlavour }: Seen): Buffer | null {
    const word = fieldOf(request, 'x-fake-response')
    const maxSize = this.#svc.config.publicMode ? MAX_PUBLIC_SIZE : Number.POSITIVE_INFINITY
    const usual = usualResponse(path, word, { maxSize, isExact: isFlavour })
    if (usual === null && isFlavour)
      throw new InputProblem(
        '',
        `no response for the path ${path.slice(0, 200)}${word === undefined ? '' : ` and x-fake-response ${word.slice(0, 40)}`}`,
      )
    if (usual === null) return null
    this.#svc.budgets.output(request).take(usual.size)
    return Buffer.from(JSON.stringify(usual.body()))
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
  if (what === WORDS.url) return `unexpected ${what}: got ${quoted(queryIn(got))}, expected ${quoted(queryIn(wanted))}`
  return `unexpected ${what}: got ${quoted(got)}, expected ${quoted(wanted)}`
}

function queryIn(url: Json): string {
  const [, ...rest] = String(url).split('?')
  return rest.join('?')
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
