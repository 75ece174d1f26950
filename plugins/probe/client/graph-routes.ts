/** What the file of `--routes` says of a gateway that joins graphs. */
import { isRecord } from 'svc/toolkit'
import type { GraphSettings } from '../catalog/check.ts'
import { readRoute, rejectUnknown, RoutesProblem, type GroupRoute } from './routes-text.ts'

const KEYS = ['url', 'ws', 'propagates', 'timeout_s', 'persisted']
const MAX_NAMES = 20
const MAX_TIMEOUT_S = 120
/** Of headers that the client half sends itself. */
const OWN = /^(?:host|content-length|content-type|transfer-encoding|connection|upgrade|x-svc-probe)$/i

export const NO_GRAPH_SETTINGS: GraphSettings = { propagates: null, timeoutS: null, persisted: null }

/** A path or URL, or a mapping. Adds the paths to those of the groups. */
export function readGraphs(value: unknown, paths: Record<string, GroupRoute>): GraphSettings {
  if (value === undefined) return NO_GRAPH_SETTINGS
  if (!isRecord(value)) {
    paths.gql = readRoute('gql', value)
    return NO_GRAPH_SETTINGS
  }
  rejectUnknown('gql.', value, KEYS)
  const { url, ws, propagates = null, timeout_s: timeoutS = null, persisted = null } = value
  if (url !== undefined) paths.gql = readRoute('gql.url', url)
  if (ws !== undefined) paths['gql.ws'] = readRoute('gql.ws', ws)
  if (propagates !== null && !isNames(propagates))
    throw new RoutesProblem(`routes: gql.propagates must be a list of up to ${MAX_NAMES} names of headers`)
  if (timeoutS !== null && !(typeof timeoutS === 'number' && timeoutS >= 1 && timeoutS <= MAX_TIMEOUT_S))
    throw new RoutesProblem(`routes: gql.timeout_s must be a number from 1 to ${MAX_TIMEOUT_S}`)
  if (persisted !== null && !(typeof persisted === 'string' && /^[\w.:/+=-]{1,200}$/.test(persisted)))
    throw new RoutesProblem('routes: gql.persisted must be the id of a document')
  return { propagates, timeoutS, persisted }
}

function isNames(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length > MAX_NAMES) return false
  return value.every(name => typeof name === 'string' && /^[\w-]{1,100}$/.test(name) && !OWN.test(name))
}
