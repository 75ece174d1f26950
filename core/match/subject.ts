/** The request that conditions are evaluated on: one being processed, or a captured one. */
import { parseCookies } from '../fields/cookie.ts'
import { decodedPath } from '../fields/request-target.ts'
import { parseExactJson } from '../toolkit/exact-json.ts'
import { isTextNestedWithin } from '../toolkit/json-depth.ts'
import { setOwn, type Json, type JsonObject } from '../contract/json.ts'
import type { StepBudget } from '../contract/budgets.ts'
import type { MatchableRequest, ReadFacts } from '../contract/testing.ts'
import { formFields } from './form.ts'
import { segmentsOfPath } from './path-pattern.ts'
import { PendingFacts } from './pending-facts.ts'
import type { RegisteredProtocol } from './protocols.ts'

/** Bodies that are nested more deeply count as bodies without JSON. */
const MAX_DEPTH = 500
/** Bytes of a form for one step. */
const FORM = 10
const NO_TAGS: readonly string[] = []

export interface SubjectFacts {
  method: string
  /** Path and query, without a session prefix. */
  url: string
  /** Path and query of what serves it, if that is elsewhere: on a host that a plugin serves whole. Protocols are read from it. */
  served?: string
  /** Alternating names and values. */
  rawHeaders: readonly string[]
  /** The name of the session, or null. */
  session: string | null
  clientIp: string
  /** Of the connection, or of a trusted proxy header. */
  scheme: 'http' | 'https'
  body: Buffer
  /** Only of captured requests. */
  status?: number
  /** Name of the rule that acted on a captured request. */
  rule?: string | null
  /** Of a captured request. */
  tags?: readonly string[] | undefined
  /** Whether a captured request came after the entry with this id, or at or after this time. */
  isSince?(mark: string): boolean
  /** The body as JSON, where a plugin has read it already. */
  json?(): Json | undefined
  /** Segments of the path by name, where a plugin knows its template. */
  captures?: ReadonlyMap<string, string>
  /** The request within this one whose protocol this is; undefined without one. */
  within?(protocol: string): MatchSubject | undefined
  /** The facts that only this subject has, such as a state that a plugin keeps: by key, and by name for named ones. */
  own?(key: string, name: string): Json | undefined
}

/** Parts of the request are read when a condition asks for them, once. */
export class MatchSubject implements MatchableRequest {
  readonly facts: SubjectFacts
  /** What evaluating conditions on the request may take. */
  readonly steps: StepBudget
  readonly url: string
  #segments: string[] | undefined
  #query: URLSearchParams | undefined
  #cookies: ReadonlyMap<string, string> | undefined
  #form: ReadonlyMap<string, readonly string[]> | undefined
  #text: string | null | undefined
  #json: { value: Json | undefined } | undefined
  #exact: { value: Json } | undefined
  #protocols: Map<string, ReadFacts> | undefined

  /** `url`: what is seen as the target. */
  constructor(facts: SubjectFacts, steps: StepBudget, url = facts.url) {
    this.facts = facts
    this.steps = steps
    this.url = url
  }

  get method(): string {
    return this.facts.method
  }

  get tags(): readonly string[] {
    return this.facts.tags ?? NO_TAGS
  }

  get path(): string {
    return decodedPath(this.url) ?? this.url
  }

  /** The decoded segments of the path. */
  get segments(): readonly string[] {
    return (this.#segments ??= segmentsOfTarget(this.url))
  }

  /** Those of the target that serves it; null if it is the same. */
  get servedSegments(): readonly string[] | null {
    return this.facts.served === undefined ? null : segmentsOfTarget(this.facts.served)
  }

  /** The host without its port, lower case. */
  get host(): string | undefined {
    const host = this.header('host') ?? this.header(':authority')
    return host?.toLowerCase().replace(/:\d{1,5}$/, '')
  }

  header(name: string): string | undefined {
    const values = this.headerValues(name)
    return values.length === 0 ? undefined : values.join(', ')
  }

  headers(): Record<string, string> {
    const { rawHeaders } = this.facts
    const headers = Object.create(null) as Record<string, string>
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!.toLowerCase()
      const value = rawHeaders[index + 1]!
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value
    }
    return headers
  }

  /** The lines of a header by its lower-case name. */
  headerValues(name: string): string[] {
    const { rawHeaders } = this.facts
    const values: string[] = []
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const own = rawHeaders[index]!
      if (own.length === name.length && own.toLowerCase() === name) values.push(rawHeaders[index + 1]!)
    }
    return values
  }

  queryValues(name: string): string[] {
    if (this.#query === undefined) {
      const start = this.url.indexOf('?')
      this.#query = new URLSearchParams(start === -1 ? '' : this.url.slice(start + 1))
    }
    return this.#query.getAll(name)
  }

  cookie(name: string): string | undefined {
    this.#cookies ??= parseCookies(this.headerValues('cookie').join('; '))
    return this.#cookies.get(name)
  }

  /** The values of a field of a form. */
  formValues(name: string): readonly string[] {
    if (this.#form === undefined) {
      this.steps.take(this.facts.body.length / FORM)
      this.#form = formFields(this.facts.body, this.header('content-type'))
    }
    return this.#form.get(name) ?? []
  }

  text(): string | null {
    if (this.#text === undefined) {
      try {
        this.#text = new TextDecoder('utf-8', { fatal: true }).decode(this.facts.body)
      } catch {
        this.#text = null
      }
    }
    return this.#text
  }

  json(): Json | undefined {
    this.#json ??= { value: this.facts.json?.() ?? this.#parsed() }
    return this.#json.value
  }

  /** The body as JSON whose long integers keep their digits, for templates. */
  exactJson(): Json | undefined {
    const value = this.json()
    const text = value === undefined ? null : this.text()
    if (value === undefined || text === null) return value
    this.#exact ??= { value: exactOr(value, text) }
    return this.#exact.value
  }

  /** The fields of a form as an object: a text, or a list of texts; undefined without any. */
  formObject(): Json | undefined {
    this.formValues('')
    if (this.#form!.size === 0) return undefined
    const object: JsonObject = {}
    for (const [name, values] of this.#form!) setOwn(object, name, values.length === 1 ? values[0]! : [...values])
    return object
  }

  #parsed(): Json | undefined {
    return this.facts.json === undefined ? parse(this.facts.body.length === 0 ? null : this.text()) : undefined
  }

  /** The request of a protocol within this one, where a captured request has one. */
  within(protocol: string): MatchSubject | undefined {
    return this.facts.within?.(protocol)
  }

  /** Sets what `protocol` returns, for a request that its route has read. */
  setProtocol(name: string, items: ReadFacts): void {
    ;(this.#protocols ??= new Map()).set(name, items)
  }

  /**
   * The items of a request of this protocol; null if it is of another one. Throws `PendingFacts` while they are read
   * asynchronously.
   */
  protocol(protocol: RegisteredProtocol): ReadFacts {
    const known = this.#protocols?.get(protocol.name)
    if (known !== undefined) return known
    const { served } = this.facts
    const read = protocol.read(served === undefined ? this : new MatchSubject(this.facts, this.steps, served))
    if (read instanceof Promise)
      throw new PendingFacts(
        read.then(
          items => this.setProtocol(protocol.name, items),
          () => this.setProtocol(protocol.name, null),
        ),
      )
    this.setProtocol(protocol.name, read)
    return read
  }
}

function segmentsOfTarget(url: string): string[] {
  const end = url.search(/[?#]/)
  return segmentsOfPath(end === -1 ? url : url.slice(0, end))
}

function parse(text: string | null): Json | undefined {
  if (text === null || !isTextNestedWithin(text, MAX_DEPTH)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** A plugin may have read the value from a body in another format. */
function exactOr(value: Json, text: string): Json {
  try {
    return parseExactJson(text)
  } catch {
    return value
  }
}
