/** A request for a mock. Expensive parts are parsed lazily and once. */
import type { MediaType } from '../document/operations.ts'
import { parseJson, type Json } from '../document/json.ts'
import type { Flattener } from '../schema/flat-schema.ts'
import { readBody, type ReadBody } from './body.ts'
import { isJsonType } from './media-types.ts'
import { parseQuery, readCookies, type RawParameters } from './parameters.ts'
import { withoutPreferences } from './prefer.ts'

export interface RequestSource {
  /** Upper case. */
  method: string
  /** The path below the mock as sent, with a leading slash. */
  path: string
  /** Without the question mark; can be empty. */
  query: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Names and values, alternating, as received. */
  rawHeaders: readonly string[]
  body: Buffer
}

export class Incoming {
  readonly method: string
  readonly path: string
  readonly bytes: Buffer
  readonly contentType: string
  readonly rawQuery: string
  readonly rawHeaders: readonly string[]
  /** Including the query forms of `Prefer`. */
  readonly fullQuery: readonly (readonly [string, string])[]
  readonly query: readonly (readonly [string, string])[]
  readonly #headers: RequestSource['headers']
  #cookies: Map<string, string> | undefined
  #json: { value: Json | undefined } | undefined
  #read: ReadBody | undefined

  constructor(source: RequestSource) {
    this.method = source.method
    this.path = source.path
    this.bytes = source.body
    this.#headers = source.headers
    this.contentType = this.header('content-type') ?? ''
    this.rawQuery = source.query
    this.rawHeaders = source.rawHeaders
    this.fullQuery = parseQuery(source.query)
    this.query = withoutPreferences(this.fullQuery)
  }

  /** A header by case-insensitive name; several values are joined. */
  readonly header = (name: string): string | undefined => {
    const value = this.#headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Path and query below the mock, as sent. */
  get url(): string {
    return this.rawQuery === '' ? this.path : `${this.path}?${this.rawQuery}`
  }

  get cookies(): Map<string, string> {
    this.#cookies ??= readCookies(this.header('cookie'))
    return this.#cookies
  }

  /** The sources of the parameters of an operation; `path` has those of its template. */
  parameters(path: ReadonlyMap<string, string>): RawParameters {
    return new IncomingParameters(this, path)
  }

  /** The body, parsed by its media type; null if there is no body. */
  read(media: MediaType | undefined, flattener: Flattener): ReadBody | null {
    if (this.bytes.length === 0) return null
    this.#read ??= readBody(this.bytes, this.contentType, media, flattener)
    return this.#read
  }

  /** The body for rules and templates: the value of JSON or a form; undefined for other types. */
  readonly json = (): Json | undefined => {
    if (this.#read) return this.#read.kind === 'value' ? this.#read.value : undefined
    this.#json ??= {
      value:
        this.bytes.length > 0 && (this.contentType === '' || isJsonType(this.contentType))
          ? parseJson(this.bytes.toString('utf8'))
          : undefined,
    }
    return this.#json.value
  }
}

class IncomingParameters implements RawParameters {
  readonly path: ReadonlyMap<string, string>
  readonly #incoming: Incoming

  constructor(incoming: Incoming, path: ReadonlyMap<string, string>) {
    this.#incoming = incoming
    this.path = path
  }

  get query(): RawParameters['query'] {
    return this.#incoming.query
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#incoming.cookies
  }

  header(name: string): string | undefined {
    return this.#incoming.header(name)
  }
}
