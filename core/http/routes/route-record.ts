/** Records of registered routes, and the conversion of router paths to templates. */
import type { RouteDescription } from '../../contract/plugin.ts'
import type { Log } from '../../log/log.ts'

/** One route of a generation, as it was registered. */
export interface RouteRecord {
  /** Name of the plugin that registered it; null for the core. */
  plugin: string | null
  /** Upper-case methods as registered; may include the HEAD that the router derives from GET. */
  methods: string[]
  /** Template such as `/status/{code}` or `/echo/{*path}`. */
  path: string
  descriptions: RouteDescription[]
}

/** A route with the data that the pipeline needs. */
export interface CoreRoute extends RouteRecord {
  websocket: boolean
  /** Whether Fastify parses the body; if false, the route gets bytes. */
  parsesBody: boolean
  /** The body limit of the route in bytes (Fastify's `bodyLimit`), or null. */
  bodyLimit: number | null
  /** The log of the plugin; the log of a request is its child. */
  log: Log
  /** Whether it only answers requests that match no other route. */
  isFallback: boolean
  /** The area of the plugin, under which the metrics count the request unless the description names another. */
  area: string | null
}

/** The routes of a generation, as looked up by the pipeline. */
export interface RouteLookup {
  readonly list: readonly CoreRoute[]
  find(method: string, url: string): CoreRoute | null
  /** Methods supported by the path (RFC 9110, 10.2.1); empty for an unknown path. */
  methodsOf(url: string): readonly string[]
}

/** Parameter name for the rest of a path matched by the router's `*`. */
const WILDCARD_NAME = 'path'

/**
 * Converts a router path to a template: `/status/:code` becomes `/status/{code}`, `/echo/*` becomes `/echo/{*path}`,
 * and `::` a colon. The pattern of a parameter (`/:id(^\\d+$)`) and the mark of an optional one (`/:id?`) are removed.
 * A parameter name ends where the router ends it: at `/`, `-`, `.`, `(` or the end.
 */
export function toTemplate(routerPath: string): string {
  let template = ''
  let at = 0
  while (at < routerPath.length) {
    const char = routerPath[at] as string
    if (char === '*') {
      template += `{*${WILDCARD_NAME}}`
      at++
    } else if (char !== ':') {
      template += char
      at++
    } else if (routerPath[at + 1] === ':') {
      template += ':'
      at += 2
    } else {
      const nameEnd = endOfName(routerPath, at + 1)
      template += `{${routerPath.slice(at + 1, nameEnd).replace(/\?$/, '')}}`
      at = routerPath[nameEnd] === '(' ? endOfPattern(routerPath, nameEnd) : nameEnd
      if (routerPath[at] === '?') at++
    }
  }
  return template
}

function endOfName(path: string, start: number): number {
  let end = start
  while (end < path.length && !'/-.('.includes(path[end] as string)) end++
  return end
}

/** Index after the parenthesis that closes the one at `open`; a backslash escapes the next character. */
function endOfPattern(path: string, open: number): number {
  let depth = 0
  for (let at = open; at < path.length; at++) {
    if (path[at] === '\\') at++
    else if (path[at] === '(') depth++
    else if (path[at] === ')' && --depth === 0) return at + 1
  }
  return path.length
}
