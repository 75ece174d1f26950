/** Reads the query parameters that select connections. */
import type { FastifyRequest } from 'fastify'
import type { ConnectionEnd, ConnectionEntry } from '../contract/connections.ts'
import { readQuery, type RouteParameter } from '../contract/plugin.ts'
import type { Connections } from '../inspector/connections.ts'
import { isMark } from '../inspector/subjects.ts'
import type { ControlDeps } from './deps.ts'
import { invalidFilter, publicSessionRequired, readSession, rejectUnknownFilters, SESSION } from './request-filters.ts'

const KINDS = ['tcp', 'tls', 'udp']
const IS_END: Readonly<Record<ConnectionEnd, true>> = {
  open: true,
  client_fin: true,
  server_fin: true,
  client_reset: true,
  server_reset: true,
  max_bytes: true,
  idle: true,
  lifetime: true,
  limit: true,
  proxy_invalid: true,
  tls_failed: true,
  reload: true,
  stop: true,
}
const ENDS = Object.keys(IS_END)

const text = (name: string, description: string): RouteParameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
})

/** The parameters of `readConnectionFilter`. */
export const CONNECTION_FILTERS: RouteParameter[] = [
  { ...SESSION, description: 'Only connections of this session. Required in public mode.' },
  text('listener', 'Name of the listener.'),
  { ...text('kind', 'How the connection came.'), schema: { enum: KINDS } },
  { ...text('end', 'How it ended; `open` for those that are open.'), schema: { enum: ENDS } },
  text('client_ip', 'Address of the client.'),
  text('sni', 'Server name that the client sent.'),
  text('data_contains', 'A text in the first 16 KiB received.'),
  text('since', 'Id of a connection, or a time (RFC 3339): only what began after.'),
]
const NAMES = CONNECTION_FILTERS.map(({ name }) => name)

export interface ConnectionFilter {
  /** Undefined: of all sessions. */
  session: string | undefined
  /** Id of a connection, or a time; null: all. */
  since: string | null
  matches(entry: ConnectionEntry): boolean
}

/** Throws 400 for wrong or unknown parameters. `others` are the other parameters of the route. */
export function readConnectionFilter(
  request: FastifyRequest,
  { config, http }: Pick<ControlDeps, 'config' | 'http'>,
  others: readonly string[],
): ConnectionFilter {
  rejectUnknownFilters(request, [...NAMES, ...others])
  const query = readQuery(request)
  for (const name of NAMES)
    if (query.getAll(name).length > 1) throw invalidFilter(name, 'the parameter is set more than once')
  const session = readSession(request, http)
  if (config.publicMode && session === undefined) throw publicSessionRequired()
  const kind = query.get('kind')
  if (kind !== null && !KINDS.includes(kind)) throw invalidFilter('kind', `expected one of ${KINDS.join(', ')}`)
  const ended = query.get('end')
  if (ended !== null && !ENDS.includes(ended)) throw invalidFilter('end', `expected one of ${ENDS.join(', ')}`)
  const since = query.get('since')
  if (since !== null && !isMark(since))
    throw invalidFilter('since', 'expected the id of an entry, or a time such as 2026-03-14T12:00:00Z')
  const [listener, clientIp, sni, data] = ['listener', 'client_ip', 'sni', 'data_contains'].map(name => query.get(name))
  const is = (wanted: string | null | undefined, value: string | null): boolean => wanted == null || wanted === value
  return {
    session,
    since,
    matches: entry =>
      (session === undefined || entry.session === session) &&
      is(kind, entry.kind) &&
      is(listener, entry.listener) &&
      is(ended, entry.end) &&
      is(clientIp, entry.client_ip) &&
      is(sni, entry.tls?.sni ?? null) &&
      (data == null || entry.received.data?.includes(data) === true),
  }
}

/** Matching connections, newest first. */
export async function selectConnections(
  connections: Connections,
  { since, matches }: Pick<ConnectionFilter, 'since' | 'matches'>,
): Promise<ConnectionEntry[]> {
  const all = await connections.list()
  return after(all, since).filter(matches)
}

/** What began after a mark: of an id that is no longer stored, all. */
function after(newestFirst: ConnectionEntry[], since: string | null): ConnectionEntry[] {
  if (since === null) return newestFirst
  const index = newestFirst.findIndex(({ id }) => id === since)
  if (index !== -1) return newestFirst.slice(0, index)
  const time = Date.parse(since)
  return Number.isNaN(time) ? newestFirst : newestFirst.filter(({ started_at: at }) => Date.parse(at) > time)
}
