/** What all parts of a run share. */
import type {
  CheckField,
  ClientAddress,
  ClientRoutes,
  ClientTrust,
  ProbeClient,
  ProbeConversations,
  ProcessLoad,
} from '../../probe/types.ts'
import type { JsonObject } from 'svc/plugin'
import type { RunBounds } from '../file/bounds.ts'
import type { CertificateKind } from '../file/demo.ts'
import type { ControlClient } from './control.ts'
import type { GrpcService, ReadGrpcDefinitions } from './grpc-services.ts'

/** By what an arrival was recognized. */
export type Mark = 'path' | 'header' | 'baggage' | 'key'

export interface ClientPair {
  certificate: string
  key: string
}

export interface Target {
  /** Resolved. */
  address: ClientAddress
  /** Straight to svc: the control run. */
  isDirect: boolean
  trust: ClientTrust
  /** Value of the Host field; null: that of the address. */
  host: string | null
  /** Fields of every request. */
  fields: readonly CheckField[]
  /** In front of all paths. */
  prefix: string
  routes: ClientRoutes | null
}

export interface RunContext {
  id: string
  client: ProbeClient
  /** Of the probe: it reads and writes the formats of models. Undefined: the plugin probe is off. */
  conversations: () => Promise<ProbeConversations | undefined>
  /** The folder with the shapes of agents. */
  agentsFolder: string
  /** Reads what reflection says. Undefined: the plugin grpc is off. */
  grpcDefinitions: ReadGrpcDefinitions
  /** Services of the upstream, by name. */
  grpcServices: Map<string, Promise<GrpcService>>
  control: ControlClient
  /** Lanes that are other instances. */
  laneControls: Readonly<Record<string, ControlClient>>
  lanes: readonly string[]
  target: Target
  bounds: RunBounds
  /** Of requests of which the demo does not say it; default 10 s. */
  timeoutMs?: number
  /** Null until the route check. */
  mark: Mark | null
  /**
   * Where clients reach the gateway through svc, below the session of the run; absent: nowhere. Their requests on the way there
   * are in the session, too, and do not count as arrivals.
   */
  tapPath?: string | undefined
  signal: AbortSignal
  /** Whether this process had to wait for the processor; null before the run begins. */
  load: ProcessLoad | null
  /** Cookies of the run. */
  jar: Map<string, string>
  /** Client certificates of svc, as they are needed. */
  certificates: Map<CertificateKind, Promise<ClientPair>>
}

export const DEFAULT_TIMEOUT_MS = 10_000

/** Straight to svc. */
export function directTarget(control: ControlClient, fields: readonly CheckField[]): Target {
  const trust = { ca: null, insecure: true, name: null }
  return { address: control.address, isDirect: true, trust, host: null, fields, prefix: '', routes: null }
}

/** Name of the session of a lane. */
export function laneSession(lane: string): string {
  return `lane-${lane}`
}

/** Where the records of a lane are; null: of the run's own session. */
export function sessionsOf(context: RunContext, lane: string | null): { control: ControlClient; session: string } {
  if (lane === null) return { control: context.control, session: context.id }
  return { control: context.laneControls[lane] ?? context.control, session: laneSession(lane) }
}

/** Member of the baggage of what clients send through svc to the gateway. */
const OF_CLIENT = 'svc.client=1'

/** Conditions that arrivals meet, and requests of a client on the way to the gateway do not. */
export function arrivedOnly(match: JsonObject, { tapPath }: Pick<RunContext, 'tapPath'>): JsonObject {
  if (tapPath === undefined) return match
  return { ...match, none: [...(Array.isArray(match.none) ? match.none : []), { path: `${tapPath}/**` }] }
}

/** Conditions that only requests of the run meet, in the session of a lane. */
export function marksOf({ id }: Pick<RunContext, 'id'>): object {
  return {
    any: [
      { header: { 'x-svc-session': id } },
      { header: { baggage: { contains: id } } },
      { header: { authorization: { contains: id } } },
      { url: { contains: id } },
    ],
  }
}

/** By what a record in the session of a lane belongs to a run; null: it does not. */
export function markIn(
  { uri, headers }: { uri: string; headers: readonly { name: string; value: string }[] },
  id: string,
): Mark | null {
  const has = (name: string): boolean => headers.some(header => header.name === name && header.value.includes(id))
  if (has('x-svc-session')) return 'header'
  if (has('baggage')) return 'baggage'
  return has('authorization') ? 'key' : uri.includes(id) ? 'path' : null
}

/** What every request of the run carries, so that its arrivals are recognized. `isOfClient`: it is not traffic of the demo. */
export function markFields({ id, target }: RunContext, { isOfClient = false } = {}): CheckField[] {
  const members = [sessionMember(id), ...(isOfClient ? [OF_CLIENT] : [])]
  return [['X-Svc-Session', id], ['baggage', members.join()], ...target.fields]
}

const sessionMember = (id: string): string => `svc.session=${id}`

/** Whether an arrival is of the traffic of the demo. Without baggage it is not known, and false. */
export function isOfTraffic({ headers }: { headers: readonly { name: string; value: string }[] }, id: string): boolean {
  const baggage = headers.find(({ name }) => name === 'baggage')?.value ?? ''
  return baggage.includes(sessionMember(id)) && !baggage.includes(OF_CLIENT)
}

/** A credential for AI traffic without one. */
export function sessionKey({ id }: Pick<RunContext, 'id'>): string {
  return `sk-svc-session-${id}`
}

/** The request target of a path of the demo. */
export function targetOf({ target, mark, id }: RunContext, path: string): string {
  const session = mark === 'path' ? `/s/${id}` : ''
  return `${target.address.prefix}${target.prefix}${session}${path}`
}
