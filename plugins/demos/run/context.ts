/** What all parts of a run share. */
import type { CheckField, ClientAddress, ClientRoutes, ClientTrust, ProbeClient } from '../../probe/types.ts'
import type { RunBounds } from '../file/bounds.ts'
import type { ControlClient } from './control.ts'

/** By what an arrival was recognized. */
export type Mark = 'path' | 'header' | 'baggage' | 'key'

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
  control: ControlClient
  /** Lanes that are other instances. */
  laneControls: Readonly<Record<string, ControlClient>>
  lanes: readonly string[]
  target: Target
  bounds: RunBounds
  /** Null until the route check. */
  mark: Mark | null
  signal: AbortSignal
  /** Cookies of the run. */
  jar: Map<string, string>
}

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

/** What every request of the run carries, so that its arrivals are recognized. */
export function markFields({ id, target }: RunContext): CheckField[] {
  return [['X-Svc-Session', id], ['baggage', `svc.session=${id}`], ...target.fields]
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
