/** Formats a rejection by the plan: as an HTTP 429 (RFC 6585, 4) and as a gRPC status. */
import type { PlanLimits } from '../config/plans.ts'
import { periodAt } from './period.ts'
import type { Dimension, Refusal } from './plan-limiter.ts'
import { formatExhausted, formatPolicies, type Policy } from './rate-limit-fields.ts'

export interface Rejection {
  status: number
  headers: Record<string, string>
  body: { error: string; message: string; [field: string]: unknown }
}

const USAGE_PATH = '/_svc/usage'
const FIRST_SENTENCE = "Rejected by this service's own plan limit, not by the gateway in front of it."

/** `now` is the wall clock in milliseconds: the window of a monthly quota is the length of the current month. */
export function planRejection(
  { dimension, retryAfterSecs }: Refusal,
  plan: string,
  limits: PlanLimits,
  now: number,
): Rejection {
  return {
    status: 429,
    headers: {
      'Content-Type': 'application/json',
      'Retry-After': String(retryAfterSecs),
      'RateLimit-Policy': formatPolicies(policiesOf(limits, now)),
      RateLimit: formatExhausted(dimension, retryAfterSecs),
      'X-Svc-Limit': dimension,
      'X-Svc-Plan': plan,
    },
    body: {
      error: 'svc_plan_limit',
      limit: dimension,
      plan,
      scope: limits.scope,
      retry_after_secs: retryAfterSecs,
      message: `${FIRST_SENTENCE} Plan ${plan}, scope ${limits.scope}: ${allowance(dimension, limits)}. Try again in ${retryAfterSecs} s; see ${USAGE_PATH} for the current usage.`,
      usage: USAGE_PATH,
    },
  }
}

function policiesOf(limits: PlanLimits, now: number): Policy[] {
  const { rps, burst, concurrency, streams, requests, egressBytes } = limits
  const { start, end } = periodAt(limits.period, now)
  const window = (end - start) / 1000
  const policies: Policy[] = []
  if (rps !== null) policies.push({ name: 'rps', quota: rps, window: 1, burst: burst ?? rps })
  if (concurrency !== null) policies.push({ name: 'concurrency', quota: concurrency, unit: 'concurrent-requests' })
  if (streams !== null) policies.push({ name: 'streams', quota: streams, unit: 'concurrent-requests' })
  if (requests !== null) policies.push({ name: 'requests', quota: requests, window })
  if (egressBytes !== null) policies.push({ name: 'egress', quota: egressBytes, unit: 'content-bytes', window })
  return policies
}

function allowance(dimension: Dimension, limits: PlanLimits): string {
  switch (dimension) {
    case 'requests':
      return `at most ${limits.requests} requests per ${limits.period}`
    case 'egress':
      return `at most ${limits.egressBytes} bytes of response bodies per ${limits.period}`
    case 'rps':
      return `at most ${limits.rps} requests per second (rps), in bursts of up to ${limits.burst}`
    case 'concurrency':
      return `at most ${limits.concurrency} requests in flight`
    case 'streams':
      return `at most ${limits.streams} open streams`
  }
}
