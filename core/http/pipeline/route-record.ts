/** Owns what the host remembers of a registered route, and how the router's paths read as templates. */
import type { RouteDescription } from '../../contract/plugin.ts'
import type { Log } from '../../log/log.ts'

/** One route of a generation, as the host saw it being registered. */
export interface RouteRecord {
  /** Name of the plugin that registered it; null: the core's own. */
  plugin: string | null
  /** Upper-case methods as registered; the HEAD that the router derives from a GET may be among them. */
  methods: string[]
  /** Template such as `/status/{code}` or `/echo/{*path}`. */
  path: string
  descriptions: RouteDescription[]
}

/** A route with what the pipeline has to know of it. */
export interface CoreRoute extends RouteRecord {
  websocket: boolean
  /** Fastify parses the body; false: the route gets bytes. */
  parsesBody: boolean
  /** The route's own limit of a body in bytes (Fastify's `bodyLimit`), or null. */
  bodyLimit: number | null
  /** The log of the route's plugin; that of a request is its child. */
  log: Log
  /** It answers what no route matches, and is no endpoint. */
  isFallback: boolean
  /** The area of the plugin: it counts under it in the metrics, unless the description that is served names another. */
  area: string | null
}

/** Name of the rest of a path behind the router's `*`. */
const WILDCARD_NAME = 'path'

/**
 * Template of a router path: `/status/:code` is `/status/{code}`, `/echo/*` is `/echo/{*path}`, `::` is a colon, the
 * pattern of a parameter (`/:id(^\\d+$)`) and the mark of an optional one (`/:id?`) are left out.
 * A parameter's name ends where the router ends it: at `/`, `-`, `.`, `(` or the end.
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

/** Index behind the parenthesis that closes the one at `open`; a backslash hides the next character. */
function endOfPattern(path: string, open: number): number {
  let depth = 0
  for (let at = open; at < path.length; at++) {
    if (path[at] === '\\') at++
    else if (path[at] === '(') depth++
    else if (path[at] === ')' && --depth === 0) return at + 1
  }
  return path.length
}
