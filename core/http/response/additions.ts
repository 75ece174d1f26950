/** What plugins add to the responses of all routes (`core.responses`). */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { HttpError } from '../../contract/http-error.ts'
import type { ResponseAddition, ResponseReader, SvcResponses } from '../../contract/responses.ts'
import type { RequestContext } from '../request/context.ts'
import type { ResponsePlugins } from '../request/types.ts'
import { eachHeader, type Headers } from './header-list.ts'

/** What the plugins of a generation have asked for. */
export class ResponseExtensions implements SvcResponses, ResponsePlugins {
  readonly #readers: { read: ResponseReader; fields: readonly string[] | undefined }[] = []
  readonly #listeners: ((status: number) => void)[] = []

  add(read: ResponseReader, { fields }: { fields?: readonly string[] } = {}): void {
    this.#readers.push({ read, fields })
  }

  observe(listener: (status: number) => void): void {
    this.#listeners.push(listener)
  }

  get isEmpty(): boolean {
    return this.#readers.length === 0 && this.#listeners.length === 0
  }

  read(context: RequestContext): HttpError | null {
    const { request } = context
    context.isObserved = this.#listeners.length > 0
    for (const { read, fields } of this.#readers) {
      if (fields !== undefined && !hasOneOf(request.headers, fields)) continue
      const addition = read(request)
      if (addition === null) continue
      // Recognized by its code: after a reload there can be two copies of the class.
      if ('code' in addition) return addition as HttpError
      const { ignored } = addition as ResponseAddition
      if (ignored !== undefined) context.ignore(ignored.name, ignored.expected)
      ;(context.additions ??= []).push(addition as ResponseAddition)
    }
    return null
  }

  report(status: number): void {
    for (const listener of this.#listeners) listener(status)
  }
}

function hasOneOf(headers: IncomingHttpHeaders, names: readonly string[]): boolean {
  for (const name of names) if (headers[name] !== undefined) return true
  return false
}

/** The header fields that are added to this head, without those that the route sends. */
export function addedHeaders(
  context: RequestContext,
  status: number,
  given: Headers | undefined,
): OutgoingHttpHeaders | null {
  if (context.isObserved) context.generation.responses.report(status)
  if (context.additions === null) return null
  let head: Head | null = null
  let added: OutgoingHttpHeaders | null = null
  for (const addition of context.additions) {
    if (addition.headers === undefined) continue
    head ??= new Head(context, status, given)
    const headers = addition.headers(head)
    for (const name in headers) if (!head.sent.has(name.toLowerCase())) (added ??= {})[name] = headers[name]
  }
  return added
}

/** A head as plugins see it. The names of its fields are only collected for those who ask. */
class Head {
  readonly #context: RequestContext
  readonly #given: Headers | undefined
  #sent: Set<string> | null = null
  readonly status: number

  constructor(context: RequestContext, status: number, given: Headers | undefined) {
    this.#context = context
    this.#given = given
    this.status = status
  }

  get sent(): Set<string> {
    return (this.#sent ??= sentNames(this.#context, this.#given))
  }

  get canTrail(): boolean {
    const context = this.#context
    context.canTrail =
      !this.sent.has('content-length') &&
      this.status !== 204 &&
      this.status !== 304 &&
      context.method !== 'HEAD' &&
      context.request.httpVersion !== '1.0'
    return context.canTrail
  }
}

/** The names of the fields that the route sends, in lower case. */
function sentNames({ response }: RequestContext, given: Headers | undefined): Set<string> {
  const names = new Set<string>(response.getHeaderNames())
  eachHeader(given, name => names.add(name.toLowerCase()))
  return names
}

/** Adds the trailers, just before the body ends. */
export function addTrailers(
  context: RequestContext,
  response: Pick<ServerResponse, 'addTrailers' | 'headersSent'>,
): void {
  if (context.additions === null || !context.canTrail || !response.headersSent) return
  for (const addition of context.additions) {
    const trailers = addition.trailers?.()
    if (trailers !== undefined) response.addTrailers(trailers)
  }
  context.canTrail = false
}
