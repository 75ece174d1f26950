/** Rejections of shared mode: no key, an invalid key, or too many requests. */
import { periodAt, printSeconds } from '../limits/period.ts'
import type { Rejection } from '../limits/plan-rejection.ts'
import { formatExhausted, formatPolicies } from '../limits/rate-limit-fields.ts'
import type { KeyRecord } from './api-key.ts'
import type { KeyRefusal } from './key-limits.ts'
import type { KeyProblem } from './key-registry.ts'

const CHALLENGE = { 'WWW-Authenticate': 'Key realm="svc"' }
const USAGE_PATH = '/_svc/keys/usage'
const FIRST_SENTENCE = "Rejected by this service's own key quota, not by the gateway in front of it."
const DAY_SECS = 86_400
const UNAVAILABLE_SECS = 5

/** 401: the request has no key. */
export function keyRequired(): Rejection {
  return {
    status: 401,
    headers: CHALLENGE,
    body: {
      error: 'svc_key_required',
      message: 'This instance requires an API key: send the X-Svc-Key header or the query parameter rb_key.',
    },
  }
}

/** 401: the key is not valid. */
export function keyInvalid(reason: KeyProblem): Rejection {
  return {
    status: 401,
    headers: CHALLENGE,
    body: {
      error: 'svc_key_invalid',
      reason,
      message: `The API key is ${reason === 'unknown' ? 'not known to this instance' : reason}.`,
    },
  }
}

/** 503: the registry is not loaded yet. */
export function registryUnavailable(): Rejection {
  return {
    status: 503,
    headers: { 'Retry-After': String(UNAVAILABLE_SECS) },
    body: {
      error: 'svc_key_registry_unavailable',
      message: 'The API key registry has not been loaded yet. Try again later.',
    },
  }
}

/** 429 for the limits of the key; `now` is the wall clock in milliseconds. */
export function keyLimited(record: KeyRecord, { limit, retryAfterSecs, used }: KeyRefusal, now: number): Rejection {
  return {
    status: 429,
    headers: {
      'Retry-After': String(retryAfterSecs),
      'RateLimit-Policy': formatPolicies([
        ...(record.rps === null
          ? []
          : [{ name: 'key-rps', quota: record.rps, window: 1, burst: record.burst ?? record.rps }]),
        ...(record.dailyRequests === null
          ? []
          : [{ name: 'key-requests', quota: record.dailyRequests, window: DAY_SECS }]),
      ]),
      RateLimit: formatExhausted(limit, retryAfterSecs),
      'X-Svc-Limit': limit,
    },
    body:
      limit === 'key-rps'
        ? {
            error: 'svc_key_rate_limited',
            key: record.id,
            limit,
            rps: record.rps,
            burst: record.burst,
            retry_after_secs: retryAfterSecs,
            usage: USAGE_PATH,
            message: `${FIRST_SENTENCE} Key ${record.id}: ${record.rps} requests per second.`,
          }
        : {
            error: 'svc_quota_exceeded',
            key: record.id,
            limit,
            quota: record.dailyRequests,
            used,
            retry_after_secs: retryAfterSecs,
            resets_at: printSeconds(periodAt('day', now).end),
            usage: USAGE_PATH,
            message: `${FIRST_SENTENCE} Key ${record.id}: ${record.dailyRequests} requests per day; the quota resets at 00:00 UTC.`,
          },
  }
}
