/** The paths of server URLs (OpenAPI 3.1.1, 4.5). */
import { isRecord, trimEndCharacters } from 'svc/toolkit'
import { ownObject, ownText, type Json, type JsonObject } from './json.ts'

/** Servers of one list that count; documents with more list regions, whose paths are the same. */
const MAX_PATHS = 32

/** The different paths of a list of servers, longest first, without a trailing slash; null without servers. */
export function serverPathsOf(servers: Json | undefined): string[] | null {
  const list = Array.isArray(servers) ? servers.filter(server => isRecord(server)) : []
  if (list.length === 0) return null
  return [...new Set(list.map(pathOf))].slice(0, MAX_PATHS).sort((a, b) => b.length - a.length)
}

/** The path of a server URL, with variables replaced by their defaults. */
function pathOf(server: JsonObject): string {
  const variables = ownObject(server, 'variables')
  const url = (ownText(server, 'url') ?? '').replaceAll(
    /\{([^{}]*)\}/g,
    (_, name: string) => ownText(ownObject(variables, name), 'default') ?? '',
  )
  const path = trimEndCharacters(
    url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*|^\/\/[^/?#]*/i, '').replace(/[?#].*$/s, ''),
    '/',
  )
  return path === '' || path.startsWith('/') ? path : `/${path}`
}
