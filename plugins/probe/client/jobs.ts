/** What a run does: each check in each protocol, in phases. */
import { SERVICE_GROUPS, type Check, type Facts, type Protocol } from '../catalog/check.ts'
import type { Routes } from './routes.ts'

/** A check in one protocol; one for pairs is a job for each of them. */
export interface Job {
  check: Check
  protocol: Protocol
}

const TUNNEL_GROUPS: readonly string[] = ['headers', 'targets', 'framing', 'responses', 'caching', 'trust']
/** What gateways of models have, which need not route `/probe`. */
const MODEL_GROUPS: readonly string[] = ['llm', 'translate', 'guardrails', 'realtime']
/** Those that they may have too, where `--routes` names them. */
const ROUTED_GROUPS: readonly string[] = ['mcp', 'a2a', 'oauth', 'gql', ...SERVICE_GROUPS]
/** What gateways that join graphs have, which need not route `/probe` either. */
export const GRAPH_GROUP = 'gql'
const TUNNEL_CHECKS: readonly string[] = ['CON-ERROR', 'CON-LOOP', 'UPG-H2C']

/** Without HTTP/2 only the checks that need it have a result for it, which says that they were skipped. */
export function jobsOf(checks: readonly Check[], triesHttp2: boolean): Job[] {
  return checks.flatMap(check => {
    const { protocols = ['1.1'] } = check
    return protocols
      .filter(protocol => protocol !== '2' || triesHttp2 || protocols.length === 1)
      .map(protocol => ({ check, protocol }))
  })
}

/** Plugins of svc without which checks of a group can't be judged. */
const PLUGINS: Readonly<Record<string, string>> = {
  authz: 'ext-authz',
  ratelimit: 'rate-limit',
  proc: 'ext-proc',
  report: 'telemetry',
  gql: 'graphql-subgraphs',
  realtime: 'llm-openai-realtime',
}
const TOKEN_PLUGIN = 'identity'

export interface Circumstances {
  /** The gateway forwards bytes, and reads no HTTP. */
  isTunnel: boolean
  /** The gateway does not route `/probe`. */
  isOfModels: boolean
  /** The gateway does not route `/probe`, and joins graphs. */
  isOfGraphs: boolean
  isHostile: boolean
  triesHttp2: boolean
  /** The upstream is reached in HTTP/2 without the gateway. */
  hasDirectHttp2: boolean
  routes: Routes
  facts: Facts
  /** States of the plugins of the upstream; null: not known. */
  plugins: ReadonlyMap<string, string> | null
}

/** Why a job is not tried; null if it is. */
export function skipReason({ check, protocol }: Job, circumstances: Circumstances): string | null {
  const { isTunnel, isOfModels, isOfGraphs, isHostile, triesHttp2, hasDirectHttp2, routes, facts, plugins } =
    circumstances
  const wanted = check.when?.routes
  const isGrpc = check.group === 'grpc' && hasOwnGrpcAddress(routes)
  if (isOfModels && !isForModels(check) && !isRouted(check.group, routes)) return '/probe is not routed'
  if (isOfGraphs && check.group !== GRAPH_GROUP && !isRouted(check.group, routes)) return '/probe is not routed'
  if (isTunnel && (TUNNEL_GROUPS.includes(check.group) || TUNNEL_CHECKS.includes(check.id)))
    return 'nothing that reads HTTP was seen'
  if (check.hostile === true && !isHostile) return '--hostile'
  if (!facts.clientProtocols.includes(protocol) && !isGrpc)
    return triesHttp2 ? 'the gateway does not speak HTTP/2' : '--h2'
  if (protocol === '2' && !hasDirectHttp2)
    return 'the upstream is not reached in HTTP/2: SVC_GRPC_PORT, SVC_GRPC_ON_HTTP'
  if (wanted !== undefined && !wanted.some(name => facts.routes.has(name)))
    return `not in --routes: ${wanted.join(', ')}`
  const plugin = pluginOf(check)
  const state = plugin === null ? 'enabled' : (plugins?.get(plugin) ?? (plugins === null ? 'enabled' : 'not there'))
  return state === 'enabled' ? null : `the plugin "${plugin}" of svc is ${state}`
}

/** Whether a gateway of models can pass it without a route to `/probe`. Checks for pairs may have any group. */
function isForModels({ group, when }: Check): boolean {
  return MODEL_GROUPS.includes(group) || when?.pairs === true
}

function pluginOf({ group, when }: Check): string | null {
  const needsTokens = when?.tokens !== undefined || when?.rotatesKeys === true
  return needsTokens ? TOKEN_PLUGIN : (PLUGINS[group] ?? null)
}

/** Whether a plugin of svc that may be off has a part in a check of the run. */
export function needsPlugins(checks: readonly Check[]): boolean {
  return checks.some(check => pluginOf(check) !== null)
}

function isRouted(group: string, { paths }: Routes): boolean {
  return ROUTED_GROUPS.includes(group) && paths[group] !== undefined
}

/** Whether the run has a check that needs the pairs of wires. */
export function needsPairs(checks: readonly Check[]): boolean {
  return checks.some(({ when }) => when?.pairs === true)
}

/** Of a run; checks that would send more are skipped. */
export function maxRequests(checks: readonly Check[]): number {
  return needsPairs(checks) ? 8_000 : 4_000
}

/** Whether the run has a check that a gateway of models can pass without a route to `/probe`. */
export function hasModelChecks(checks: readonly Check[]): boolean {
  return checks.some(isForModels)
}

/** Whether `--routes` gives gRPC a separate address, which speaks HTTP/2. */
export function hasOwnGrpcAddress({ paths }: Routes): boolean {
  return (paths.grpc?.address ?? null) !== null
}

interface Phase {
  of(check: Check): boolean
  atOnce: number
  /** The upstream fails in the gateway's eyes: everything else is done before. */
  isLate?: true
}

/** One after the other; checks that only wait belong to none of them. */
export function phasesOf(concurrency: number): Phase[] {
  return [
    { of: check => check.when?.first === true, atOnce: concurrency },
    { of: isOrdinary, atOnce: concurrency },
    { of: check => check.when?.alone === true && check.when.breaks !== true && check.hostile !== true, atOnce: 1 },
    { of: check => check.when?.breaks === true && check.hostile !== true, atOnce: 1, isLate: true },
    { of: check => check.hostile === true, atOnce: 1, isLate: true },
  ]
}

function isOrdinary({ when = {}, hostile }: Check): boolean {
  return when.first !== true && when.alone !== true && when.breaks !== true && hostile !== true
}

export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, work))
}
