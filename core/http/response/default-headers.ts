/**
 * The headers that every response has, whatever answers it. They are added when the head goes out, to those that the
 * route hands over: headers set on the response beforehand would make Node copy and check each of them twice.
 */
import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http'
import type { RequestContext } from '../request/context.ts'
import { READ_BY_NODE } from '../node-internals/header-line-cache.ts'
import { mergeVary } from './cors.ts'

const NAMES = new Map(
  [
    'X-Request-Id',
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
    'X-Svc-Fault',
    'X-Svc-Ignored',
    'Vary',
  ].map(name => [name.toLowerCase(), name]),
)
const LENGTHS = new Set([...NAMES.keys()].map(name => name.length))
const LENGTHS_READ_BY_NODE = new Set([...READ_BY_NODE].map(name => name.length))

/** Request id, CORS, the fault that was injected, and what the choice of the origin adds to `Vary`. */
export function defaultHeaders(context: RequestContext): OutgoingHttpHeaders {
  const own: OutgoingHttpHeaders = {}
  if (context.hasOwnHeaders) own['X-Request-Id'] = context.requestId
  if (context.allowedOrigin !== null) {
    own['Access-Control-Allow-Origin'] = context.allowedOrigin
    own['Access-Control-Expose-Headers'] = context.generation.exposedHeaders
  }
  if (context.fault !== null) own['X-Svc-Fault'] = context.fault
  if (context.ignored !== null) own['X-Svc-Ignored'] = context.ignored
  if (context.vary !== null) own.Vary = context.vary
  return own
}

/**
 * The same with the route's, which win; names are compared in any case, and `Vary` is the members of both. A list of
 * names and values in turn: a new object of so many members costs several times as much. What Node reads itself comes
 * last, as the lines before it may be known.
 */
export function withDefaultHeaders(
  context: RequestContext,
  given: OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined,
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
  if (!Array.isArray(given)) for (const name in given) add(name, given[name]!)
  // Node takes pairs, and one flat list of names and values.
  else if (Array.isArray(given[0]))
    for (const [name, value] of given as unknown as [string, OutgoingHttpHeader][]) add(name, value)
  else for (let index = 0; index < given.length; index += 2) add(String(given[index]), given[index + 1]!)
  for (const name in own) head.push(name, own[name]!)
  head.push(...last)
  return head
}

function isReadByNode(name: string): boolean {
  return LENGTHS_READ_BY_NODE.has(name.length) && READ_BY_NODE.has(name.toLowerCase())
}
