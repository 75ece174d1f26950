/** Faults of an issuer's documents and endpoints: their kinds and how they are set. */
import { defaulted, integer, object, oneOf, optional, type ValueOf } from './shape.ts'

/** The kinds of faults by endpoint. */
export const FAULT_KINDS = {
  jwks: [
    'slow',
    '500',
    '503',
    '404',
    'reset',
    'truncate',
    'not-json',
    'html',
    'empty',
    'stale',
    'unknown',
    'duplicate-kid',
    'no-kid',
    'no-alg',
    'huge',
    'private',
    'redirect',
    'mixed',
  ],
  discovery: [
    'slow',
    '500',
    '404',
    'not-json',
    'wrong-issuer',
    'no-jwks',
    'other-jwks',
    'http-endpoints',
    'trailing-slash',
  ],
  token: [
    'slow',
    '500',
    'temporarily_unavailable',
    'invalid_client',
    'html',
    'no-expires',
    'lower-bearer',
    'string-expires',
  ],
  introspect: ['slow', '500', 'active-only', 'flip'],
} as const
/** An endpoint that can have faults. */
export type FaultPlace = keyof typeof FAULT_KINDS
/** The kinds of an endpoint. */
export type FaultKind<P extends FaultPlace> = (typeof FAULT_KINDS)[P][number]

const DEFAULT_SLOW_MS = 3000
/** The longest delay that can be set; the configured maximum applies besides. */
export const MAX_SLOW_MS = 600_000

const members = {
  jwks: optional(oneOf(FAULT_KINDS.jwks)),
  discovery: optional(oneOf(FAULT_KINDS.discovery)),
  token: optional(oneOf(FAULT_KINDS.token)),
  introspect: optional(oneOf(FAULT_KINDS.introspect)),
  ms: defaulted(integer(0, MAX_SLOW_MS), () => DEFAULT_SLOW_MS),
  times: optional(integer(1, 1_000_000)),
  jwks_max_age: optional(integer(0, 86_400)),
}

/** The faults in the settings of an issuer, which have no end but `times`. */
export const settledFaults = object(members)
/** The faults of the control plane, which end after `for_s` seconds. */
export const timedFaults = object({ ...members, for_s: defaulted(integer(1, 3600), () => 300) })

/** The faults of an issuer. */
export type FaultSettings = ValueOf<typeof settledFaults>
/** The faults of the control plane. */
export type TimedFaults = ValueOf<typeof timedFaults>
