/**
 * Headers of every response. They are merged with the headers of the route when the head is sent: if they were set on
 * the response beforehand, Node would copy and check each of them twice.
 */
import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http'
import type { RequestContext } from '../request/context.ts'
import { asksIncremental } from '../../fields/incremental.ts'
import { READ_BY_NODE } from '../node-internals/header-line-cache.ts'
import { mergeVary } from './cors.ts'
import { eachHeader, type Headers } from './header-list.ts'

const NAMES = new Map(
  [
    'X-Request-Id',
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
    'X-Svc-Fault',
    'X-Svc-Rule',
    'X-Svc-Expectation',
    'X-Svc-Answer',
    'X-Svc-Ignored',
    'X-Svc-Replica',
    'Incremental',
    'Vary',
  ].map(name => [name.toLowerCase(), name]),
)
const LENGTHS = new Set([...NAMES.keys()].map(name => name.length))
const LENGTHS_READ_BY_NODE = new Set([...READ_BY_NODE].map(name => name.length))

/** Request id, CORS, the injected fault, the replica, `Incremental`, and the `Vary` for the origin. */
export function defaultHeaders(context: RequestContext): OutgoingHttpHeaders {
  const own: OutgoingHttpHeaders = {}
  if (context.hasDefaultHeaders && context.knownRequestId !== null) own['X-Request-Id'] = context.knownRequestId
  if (context.allowedOrigin !== null) {
    own['Access-Control-Allow-Origin'] = context.allowedOrigin
    // Only a browser reads it, and it is longer than all other headers.
    if (context.request.headers.origin !== undefined)
      own['Access-Control-Expose-Headers'] = context.generation.exposedHeaders(context.route?.plugin ?? null)
  }
  if (context.fault !== null) own['X-Svc-Fault'] = context.fault
  if (context.rule !== null) own['X-Svc-Rule'] = context.rule
  if (context.expectation !== null) own['X-Svc-Expectation'] = context.expectation
  if (context.answer !== null) own['X-Svc-Answer'] = context.answer
  if (context.ignored !== null) own['X-Svc-Ignored'] = context.ignored
  if (context.generation.replica !== null) own['X-Svc-Replica'] = context.generation.replica
  if (isIncremental(context)) own.Incremental = '?1'
  if (context.vary !== null) own.Vary = context.vary
  return own
}

/** A streamed response to a request that asks for one as it is written (RFC 10036, 3). */
function isIncremental({ streaming, isEventStream, request }: RequestContext): boolean {
  if (streaming === 'passed' || (streaming === null && !isEventStream)) return false
  return asksIncremental(request.headers.incremental)
}

/**
 * Merges them with the headers of the route, which take precedence; names are case-insensitive, and `Vary` combines the
 * members of both. The result is a flat list of names and values, because a new object with as many members costs
 * several times as much. `added` are fields of plugins, which the route does not send. Headers that Node reads itself come last, so that the lines before them can be cached.
 */
export function withDefaultHeaders(
  context: RequestContext,
  given: Headers | undefined,
  added: OutgoingHttpHeaders | null = null,
): OutgoingHttpHeader[] {
  const own = defaultHeaders(context)
  const head: OutgoingHttpHeader[] = []
  const last: OutgoingHttpHeader[] = []
  const add = (name: string, value: OutgoingHttpHeader): void => {
    const ownName = LENGTHS.has(name.length) ? NAMES.get(name.toLowerCase()) : undefined
    if (ownName === undefined) (isReadByNode(name) ? last : head).push(name, value)
    else if (ownName === 'Vary' && own.Vary !== undefined) own.Vary = mergeVary(String(value), String(own.Vary))
    else own[ownName] = value
  }
  eachHeader(given, (name, value) => add(name, value!))
  for (const name in own) head.push(name, own[name]!)
  for (const name in added) head.push(name, added[name]!)
  head.push(...last)
  return head
}

function isReadByNode(name: string): boolean {
  return LENGTHS_READ_BY_NODE.has(name.length) && READ_BY_NODE.has(name.toLowerCase())
}
