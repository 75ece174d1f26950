/** Where groups live at gateways that have addresses of their own: the file of `--routes`. */
import { isRecord } from 'svc/toolkit'
import { SERVICE_GROUPS, type GraphSettings } from '../catalog/check.ts'
import { NO_LLM_ROUTES, readLlm, type LlmRoutes, type RoutesContext } from '../pairs/llm-routes.ts'
import type { Wire } from '../wires/types.ts'
import { WIRES } from '../wires/wires.ts'
import type { Address } from './address.ts'
import { NO_GRAPH_SETTINGS, readGraphs } from './graph-routes.ts'
import type { Field } from './response-parser.ts'
import { readRoute, rejectUnknown, RoutesProblem, type GroupRoute } from './routes-text.ts'

export type { GroupRoute }

export interface Routes {
  /** By group; `jwt`, `tls.expired` and others, and `wire.chat` and others, are routes of single checks. */
  paths: Readonly<Record<string, GroupRoute>>
  /** Of the requests to models. */
  model: string | null
  /** The gateway has a credential of its own for the model's provider. */
  ownLlmCredential: boolean
  /** The gateway asks clients for certificates. */
  asksForCertificates: boolean
  /** A token of the gateway's own issuer for MCP. */
  mcpToken: string | null
  /** Tools that the gateway must not show. */
  hiddenTools: readonly string[]
  llm: LlmRoutes
  /** Formats of requests to models, also those of other plugins. */
  wires: readonly Wire[]
  /** Of realtime sockets; null: that of the requests to models. */
  realtimeModel: string | null
  guardrails: { value: string; ask: string | null }
  graphs: GraphSettings
}

/** A social security number that was published and is not assigned. */
const STOPPED_VALUE = '078-05-1120'

export const NO_ROUTES: Routes = {
  paths: {},
  model: null,
  ownLlmCredential: false,
  asksForCertificates: false,
  mcpToken: null,
  hiddenTools: [],
  llm: NO_LLM_ROUTES,
  wires: WIRES,
  realtimeModel: null,
  guardrails: { value: STOPPED_VALUE, ask: null },
  graphs: NO_GRAPH_SETTINGS,
}

const KEYS = [
  'llm',
  'websocket',
  'grpc',
  'mcp',
  'a2a',
  'oauth',
  'jwt',
  'tls',
  'mtls',
  'realtime',
  'guardrails',
  'gql',
  ...SERVICE_GROUPS,
]
/** Those that are one path or URL. */
const PLAIN = ['websocket', 'grpc', 'a2a', 'oauth', 'jwt', ...SERVICE_GROUPS]
const MCP_KEYS = ['path', 'token', 'hidden']
/** Kinds of certificates of the upstream. */
const TLS_KEYS = ['good', 'expired', 'wrong-host', 'unknown-ca']
const MAX_HIDDEN = 100
const MAX_TEXT = 10_000
/** Characters. */
const MIN_SECRET = 16

export interface RoutesOptions extends Pick<Partial<RoutesContext>, 'environment'> {
  /** Those of checks of other plugins. */
  newGroups?: readonly string[]
  /** Default: those of the product. */
  wires?: readonly Wire[]
}

/** Returns a sentence for invalid routes. */
export function readRoutes(value: unknown, options: RoutesOptions = {}): Routes | string {
  try {
    return readAll(value, options)
  } catch (error) {
    if (error instanceof RoutesProblem) return error.message
    throw error
  }
}

function readAll(value: unknown, { newGroups = [], environment = {}, wires = WIRES }: RoutesOptions): Routes {
  if (!isRecord(value)) throw new RoutesProblem('routes: expected a mapping of groups to paths or URLs')
  rejectUnknown('', value, [...KEYS, ...newGroups])
  const paths: Record<string, GroupRoute> = {}
  for (const name of [...PLAIN, ...newGroups]) if (value[name] !== undefined) paths[name] = readRoute(name, value[name])
  const { llm, openai, model, ownCredential } = readLlm(value.llm, {
    environment,
    moreWires: wires.flatMap(wire => (WIRES.includes(wire) ? [] : wire.id)),
  })
  if (openai !== null) paths.llm = openai
  for (const [wire, route] of Object.entries(llm.bases)) paths[`wire.${wire}`] = route
  const mcp = readMcp(value.mcp)
  if (mcp.route !== null) paths.mcp = mcp.route
  const realtime = readRealtime(value.realtime)
  if (realtime.route !== null) paths.realtime = realtime.route
  readTls(value.tls, paths)
  if (value.mtls !== undefined && typeof value.mtls !== 'boolean')
    throw new RoutesProblem('routes: mtls must be true or false')
  return {
    paths,
    model,
    ownLlmCredential: ownCredential,
    asksForCertificates: value.mtls === true,
    mcpToken: mcp.token,
    hiddenTools: mcp.hidden,
    llm,
    wires,
    realtimeModel: realtime.model,
    guardrails: readGuardrails(value.guardrails),
    graphs: readGraphs(value.gql, paths),
  }
}

/** A path or URL, or a mapping with a token. */
function readMcp(mcp: unknown): { route: GroupRoute | null; token: string | null; hidden: readonly string[] } {
  if (mcp === undefined) return { route: null, token: null, hidden: [] }
  if (!isRecord(mcp)) return { route: readRoute('mcp', mcp), token: null, hidden: [] }
  const { path, token, hidden = [] } = mcp
  rejectUnknown('mcp.', mcp, MCP_KEYS)
  if (token !== undefined && (typeof token !== 'string' || !/^[\w.~+/=-]{1,8192}$/.test(token)))
    throw new RoutesProblem('routes: mcp.token must be a token')
  if (!Array.isArray(hidden) || hidden.length > MAX_HIDDEN || !hidden.every(isToolName))
    throw new RoutesProblem('routes: mcp.hidden must be a list of names of tools')
  return { route: path === undefined ? null : readRoute('mcp.path', path), token: token ?? null, hidden }
}

/** A path or URL, or a mapping with a model. */
function readRealtime(realtime: unknown): { route: GroupRoute | null; model: string | null } {
  if (realtime === undefined) return { route: null, model: null }
  if (!isRecord(realtime)) return { route: readRoute('realtime', realtime), model: null }
  rejectUnknown('realtime.', realtime, ['path', 'model'])
  const { path, model } = realtime
  if (model !== undefined && !isToolName(model))
    throw new RoutesProblem('routes: realtime.model must be the name of a model')
  return { route: path === undefined ? null : readRoute('realtime.path', path), model: model ?? null }
}

function isToolName(name: unknown): name is string {
  return typeof name === 'string' && /^[\u0021-\u007e]{1,200}$/.test(name)
}

function readTls(tls: unknown, paths: Record<string, GroupRoute>): void {
  if (tls === undefined) return
  if (!isRecord(tls)) throw new RoutesProblem('routes: tls must be a mapping, such as {expired: /tls-expired}')
  rejectUnknown('tls.', tls, TLS_KEYS)
  for (const [kind, text] of Object.entries(tls)) paths[`tls.${kind}`] = readRoute(`tls.${kind}`, text)
}

function readGuardrails(value: unknown): Routes['guardrails'] {
  if (value === undefined) return NO_ROUTES.guardrails
  if (!isRecord(value)) throw new RoutesProblem('routes: guardrails must be a mapping with value and ask')
  rejectUnknown('guardrails.', value, ['value', 'ask'])
  const { value: stopped = STOPPED_VALUE, ask = null } = value
  if (typeof stopped !== 'string' || stopped.length < 4 || stopped.length > MAX_TEXT)
    throw new RoutesProblem('routes: guardrails.value must be a text of 4 or more characters')
  if (ask !== null && (typeof ask !== 'string' || ask === '' || ask.length > MAX_TEXT))
    throw new RoutesProblem('routes: guardrails.ask must be a text')
  return { value: stopped, ask }
}

/** What no report shows. */
export function secretsOfRoutes({ mcpToken, llm }: Routes): string[] {
  const fields = [...llm.headers, ...(llm.models ?? []).flatMap(({ headers }) => headers)]
  return [
    ...(mcpToken === null ? [] : [mcpToken]),
    ...llm.tenants,
    ...fields.filter(isSecret).map(([, value]) => value),
  ]
}

/** A short value of another field is the name of a provider, which must not be masked wherever it occurs. */
function isSecret([name, value]: Field): boolean {
  return (
    value.length >= MIN_SECRET ||
    (value.length >= 4 && /\b(?:authorization|apikey|key|token|secret|cookie|password)\b/i.test(name))
  )
}

/** Names are resolved once a run. */
export async function resolvedRoutes(
  { paths, ...rest }: Routes,
  resolve: (address: Address) => Promise<Address>,
): Promise<Routes> {
  const resolved: Record<string, GroupRoute> = {}
  for (const [group, route] of Object.entries(paths))
    resolved[group] = route.address === null ? route : { ...route, address: await resolve(route.address) }
  return { ...rest, paths: resolved }
}
