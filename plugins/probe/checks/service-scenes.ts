/** Requests about which the gateway asks svc as a service. */
import type { JsonObject } from 'svc/plugin'
import type { Call, Evidence } from '../client/evidence.ts'
import type { ConnectionSpec, ExchangeRecord } from '../client/exchange.ts'
import type { RequestSpec } from '../client/request.ts'
import type { ServiceScene } from '../client/service-scene.ts'

/** `when` of all checks of services: svc itself asks nobody, and refusals are what is judged. */
export const OF_SERVICE = { noDirect: true, judgesRefusal: true, alone: true } as const
/** A reply after it comes too late. */
const SILENT_MS = 20_000
/** How long the client waits for a gateway that waits for its service. */
const PATIENCE_MS = 15_000

/** Makes the connections of a group: one request, while a rule about calls of the service has this step. */
export const asking =
  (name: ServiceScene['name']) =>
  (label: string, then: JsonObject | null, request: RequestSpec = {}): ConnectionSpec => ({
    service: { name, ...(then === null ? {} : { then }) },
    requests: [{ label, isValid: false, timeoutMs: PATIENCE_MS, silenceMs: PATIENCE_MS, ...request }],
  })

export const isAsked = (call: Call): boolean => call.asked.length > 0

/** `isEnough` of a plan: nothing can be said if the service is not asked about the request with this label, the first one. */
export const isUseless =
  (label: string) =>
  ({ calls, asked }: ExchangeRecord): boolean =>
    calls[0]?.spec.label === label && asked?.length === 0

export const shownStatus = (call: Call): string => String(call.status ?? 'no status')

export interface Outage {
  label: string
  text: string
  then: JsonObject
}

/** How a service fails; `passing` is the step with which the request passes. */
export function outagesOf(service: string, passing: JsonObject): readonly Outage[] {
  return [
    { label: 'failing', text: `the ${service} fails`, then: { fail: 503 } },
    { label: 'reset', text: `the ${service} resets the call`, then: { abort: 'reset' } },
    { label: 'silent', text: `the ${service} does not reply`, then: { delay: SILENT_MS, ...passing } },
  ]
}

/** What became of requests while the service fails. */
export function outageOf(
  evidence: Evidence,
  outages: readonly Outage[],
): { tried: Outage[]; open: Outage[]; values: Record<string, { arrives: boolean; status: number | null }> } {
  const tried = outages.filter(({ label }) => isAsked(evidence.call(label)))
  const values = Object.fromEntries(
    tried.map(({ label }) => {
      const call = evidence.call(label)
      return [label, { arrives: call.count > 0, status: call.status }]
    }),
  )
  return { tried, open: tried.filter(({ label }) => evidence.call(label).count > 0), values }
}
