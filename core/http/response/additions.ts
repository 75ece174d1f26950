/** What plugins add to the responses of all routes (`core.responses`). */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { HttpError } from '../../contract/http-error.ts'
import type { ResponseAddition } from '../../contract/responses.ts'
import type { RequestContext } from '../request/context.ts'
import { eachHeader, type Headers } from './header-list.ts'

/** Asks all plugins. Returns the error that one of them wants to be sent; null if the request continues. */
export function readAdditions(context: RequestContext): HttpError | null {
  for (const read of context.generation.responseReaders) {
    const addition = read(context.request)
    if (addition === null) continue
    // Recognized by its code: after a reload there can be two copies of the class.
    if ('code' in addition) return addition as HttpError
    const { ignored } = addition as ResponseAddition
    if (ignored !== undefined) context.ignore(ignored.name, ignored.expected)
    ;(context.additions ??= []).push(addition as ResponseAddition)
  }
  return null
}

/** The header fields that are added to this head, without those that the route sends. */
export function addedHeaders(
  context: RequestContext,
  status: number,
  given: Headers | undefined,
): OutgoingHttpHeaders | null {
  if (context.additions === null) return null
  let head: Head | null = null
  let added: OutgoingHttpHeaders | null = null
  for (const addition of context.additions) {
    addition.onStatus?.(status)
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
