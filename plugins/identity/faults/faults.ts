/** Which fault applies to a request: one that the request asks for, one of the control plane, or one of the settings. */
import { randomUUID } from 'node:crypto'
import { type FastifyReply, type FastifyRequest, HttpError, integerParameter, readQuery, type Svc } from 'svc/plugin'
import { mirrorStore } from 'svc/toolkit'
import type { Issuer } from '../issuers/issuer.ts'
import {
  FAULT_KINDS,
  type FaultKind,
  type FaultPlace,
  type FaultSettings,
  type TimedFaults,
} from '../settings/fault-settings.ts'
import { suggestion } from '../settings/shape.ts'

/** The kind of `X-Svc-Fault` for all faults of this plugin. */
export const FAULT = 'identity'

/** Faults with the id under which their uses are counted. */
export interface StoredFaults extends TimedFaults {
  id: string
  /** Milliseconds since 1970. */
  until: number
}

/** A fault for one request. */
export interface ActiveFault<P extends FaultPlace> {
  kind: FaultKind<P>
  ms: number
}

/** The faults of all issuers. */
export interface Faults {
  /** The fault for a request, which is then counted and marked; null for none. Throws a 400 for an unknown name. */
  find<P extends FaultPlace>(
    place: P,
    issuer: Issuer,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ActiveFault<P> | null>
  /** The faults that are set for an issuer, by the control plane or its settings. */
  current(issuer: Issuer): Promise<FaultSettings | null>
  set(issuer: string, faults: TimedFaults): Promise<void>
  clear(issuer: string): Promise<void>
  /** The same, and those of the settings begin again. Returns false if the control plane had set none. */
  reset(issuer: string): Promise<boolean>
}

/** More than all issuers that can exist at once. */
const MAX_ISSUERS = 400

/** Opens the faults. */
export function createFaults(
  svc: Pick<Svc, 'state' | 'http' | 'config' | 'channel' | 'whenRegistered' | 'whenClosed'>,
): Faults {
  const store = svc.state<StoredFaults>('issuer-faults', { maxCount: MAX_ISSUERS, watched: true })
  const stored = mirrorStore(svc, store, handler => svc.channel('issuer-faults', handler))
  const uses = svc.state<number>('fault-uses', { maxCount: 2 * MAX_ISSUERS })

  const idOfSettings = (issuer: string): string => `settings ${issuer}`

  async function ofControlPlane(issuer: string): Promise<StoredFaults | undefined> {
    const found = await stored.peek(issuer)
    return found !== undefined && Date.now() < found.until ? found : undefined
  }

  /** Faults with uses left; counts a use. */
  async function take(id: string, { times }: FaultSettings): Promise<boolean> {
    return times === undefined || (await uses.increment(id)) <= times
  }

  return {
    async find(place, issuer, request, reply) {
      const asked = requestedFault(place, request, svc.config.maxDelayMs)
      if (asked !== null) return marked(asked, svc, request, reply)
      const ofControl = await ofControlPlane(issuer.name)
      const faults = ofControl ?? issuer.settings.faults
      const kind = faults?.[place] as FaultKind<typeof place> | undefined
      if (faults === undefined || kind === undefined) return null
      if (!(await take(ofControl?.id ?? idOfSettings(issuer.name), faults))) return null
      return marked({ kind, ms: faults.ms }, svc, request, reply)
    },
    async current(issuer) {
      const ofControl = await ofControlPlane(issuer.name)
      if (ofControl === undefined) return issuer.settings.faults ?? null
      const { id: _id, until: _until, ...faults } = ofControl
      return faults
    },
    set(issuer, faults) {
      const ttlMs = faults.for_s * 1000
      return stored.set(issuer, { ...faults, id: randomUUID(), until: Date.now() + ttlMs }, { ttlMs })
    },
    async clear(issuer) {
      await stored.delete(issuer)
    },
    async reset(issuer) {
      await uses.delete(idOfSettings(issuer))
      return stored.delete(issuer)
    },
  }
}

function marked<P extends FaultPlace>(
  fault: ActiveFault<P>,
  { http }: Pick<Svc, 'http'>,
  request: FastifyRequest,
  reply: FastifyReply,
): ActiveFault<P> {
  http.markFault(request, reply, FAULT, `identity: ${fault.kind}`)
  return fault
}

/** The fault in the query, `?fault=slow&ms=2000`: a gateway can only be given an address. */
function requestedFault<P extends FaultPlace>(
  place: P,
  request: FastifyRequest,
  maxDelayMs: number,
): ActiveFault<P> | null {
  const query = readQuery(request)
  const name = query.get('fault')
  if (name === null) return null
  const kinds: readonly string[] = FAULT_KINDS[place]
  if (!kinds.includes(name)) {
    const { didYouMean } = suggestion(name, kinds)
    throw new HttpError(400, {
      error: 'unknown_fault',
      fault: name.slice(0, 200),
      ...(didYouMean !== undefined && { did_you_mean: didYouMean }),
      faults: kinds,
    })
  }
  return { kind: name as FaultKind<P>, ms: integerParameter(query, 'ms', { fallback: 3000, max: maxDelayMs }) }
}
